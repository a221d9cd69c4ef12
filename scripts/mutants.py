"""Mutants of a module: its source with one small thing changed, each a change that some test should notice.

Comparisons, boolean operators and their operands, arithmetic, numbers, truth values, names without blanks in quotes,
returned values, raised errors and calls made for their effect are changed. Texts for people (anything with a blank in
it), docstrings, logging and type-checking blocks are left: no rule hangs on them.
"""

from __future__ import annotations

import ast
import contextlib
import copy
import dataclasses
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import CodeType

_COMPARED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip
_COUNTED: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.FloorDiv, ast.Div: ast.Mult, ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Mult, ast.BitOr: ast.BitAnd, ast.BitAnd: ast.BitOr,
}  # fmt: skip
Change = Callable[[ast.AST], ast.AST]


@dataclass(frozen=True)
class Mutant:
    """One changed place: in which function (empty at the top of the module), the code before and after."""

    path: Path
    function: str
    first_line: int
    before: str
    after: str
    tree: ast.Module
    place: ast.AST
    change: Change

    @property
    def name(self) -> str:
        """What the mutant is called in tables and explanations; it outlives moved lines."""
        room = self.path.as_posix().partition("/src/tenure/")[2]
        return f"{room} {self.function or '(top)'}: {self.before} -> {self.after}"

    def source(self) -> str:
        """Return the module's source with the change."""
        return ast.unparse(ast.fix_missing_locations(self._changed(self.tree)))

    def statement(self) -> ast.stmt | None:
        """Return the changed statement at the top of the module when it only gives a name a value."""
        top = self._top()
        return self._changed(top) if isinstance(top, ast.Assign | ast.AnnAssign) else None  # type: ignore[return-value]

    @property
    def runs_at_import(self) -> bool:
        """Whether the changed code runs when the module is loaded: at its top, or in a function called there."""
        calls = (
            node.func.id
            for part in self.tree.body
            if not isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef)
            for node in ast.walk(part)
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
        )
        return not self.function or self.function in calls

    def _top(self) -> ast.stmt:
        return next(part for part in self.tree.body if any(node is self.place for node in ast.walk(part)))

    def code(self) -> CodeType:
        """Return the code of the changed function."""
        # The future import belongs to every module of ours, and to what its annotations become.
        future = ast.ImportFrom("__future__", [ast.alias("annotations")], 0)
        module = ast.fix_missing_locations(ast.Module([future, self._changed(self._top())], []))  # type: ignore[list-item]
        return _code_of(compile(module, str(self.path), "exec"), self.function, self.first_line)

    def _changed(self, part: ast.AST) -> ast.AST:
        self.place.is_place = True  # type: ignore[attr-defined]  # how the copy's place is found
        try:
            return _Replace(self.change).visit(copy.deepcopy(part))
        finally:
            del self.place.is_place  # type: ignore[attr-defined]


class _Replace(ast.NodeTransformer):
    def __init__(self, change: Change) -> None:
        self.change = change

    def visit(self, node: ast.AST) -> ast.AST:
        if hasattr(node, "is_place"):
            return ast.copy_location(self.change(node), node)
        return self.generic_visit(node)


def _code_of(code: CodeType, function: str, first_line: int) -> CodeType:
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            if constant.co_firstlineno == first_line and constant.co_qualname == function:
                return constant
            with contextlib.suppress(LookupError):
                return _code_of(constant, function, first_line)
    raise LookupError(function)


def mutants(path: Path) -> list[Mutant]:
    """Return every mutant of a module, in the order of its lines."""
    tree = ast.parse(path.read_text("utf-8"))
    found: list[Mutant] = []
    names: Counter[str] = Counter()
    for place, function in _places(tree):
        for change in _changes(place):
            qualified, after = getattr(function, "qualified", ""), _short(change(place))
            mutant = Mutant(path, qualified, _first_line(function), _short(place), after, tree, place, change)
            names[mutant.name] += 1
            # The same change at several places of one function is told apart by its number.
            again = f" #{names[mutant.name]}" if names[mutant.name] > 1 else ""
            found.append(dataclasses.replace(mutant, after=after + again))
    return found


def _first_line(function: ast.AST | None) -> int:
    """Return the line a function's code object says it begins at: that of its first decorator."""
    if not isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
        return 0
    return min([function.lineno, *(one.lineno for one in function.decorator_list)])


def _short(node: ast.AST) -> str:
    if isinstance(node, ast.If | ast.While):
        return f"{type(node).__name__.lower()} {' '.join(ast.unparse(node.test).split())}"[:110]
    return " ".join(ast.unparse(node).split())[:110]


def _places(tree: ast.Module) -> Iterator[tuple[ast.AST, ast.AST | None]]:
    """Yield the nodes that may be changed, each with the outermost function whose body holds it."""

    def walk(
        node: ast.AST, function: ast.AST | None, names: tuple[str, ...]
    ) -> Iterator[tuple[ast.AST, ast.AST | None]]:
        for child in ast.iter_child_nodes(node):
            if _left_alone(child):
                continue
            inner, inside = names, function
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
                if function is None:
                    child.qualified = ".".join((*names, child.name))  # type: ignore[union-attr]
                inner = (*names, child.name)
                # What stands in the signature runs when the module is loaded.
                for part in [*child.args.defaults, *child.args.kw_defaults, *child.decorator_list]:
                    if part is not None:
                        yield part, function
                        yield from walk(part, function, inner)
                yield from walk(ast.Module(child.body, []), function or child, inner)
                continue
            if isinstance(child, ast.ClassDef):
                inner = (*names, child.name)
            if isinstance(child, ast.AnnAssign) and child.value is not None:
                yield child.value, inside
                yield from walk(child.value, inside, inner)
                continue
            yield child, inside
            yield from walk(child, inside, inner)

    yield from walk(tree, None, ())


def _left_alone(node: ast.AST) -> bool:
    if isinstance(node, ast.Import | ast.ImportFrom | ast.JoinedStr | ast.arguments | ast.arg):
        return True
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return True
    # Declarations that a type checker or an assertion already holds: frozen records, lists of one length.
    if isinstance(node, ast.keyword) and node.arg in ("frozen", "kw_only", "omit_defaults", "slots", "strict", "tag"):
        return True
    if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
        return True
    if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) in ("TYPE_CHECKING", "__all__", "__slots__"):
        return True
    # Names of types stand for readers and for the type checker.
    if isinstance(node, ast.Subscript) and ast.unparse(node.value) == "Literal":
        return True
    return isinstance(node, ast.Call) and ast.unparse(node.func) in ("cast", "TypeVar", "re.compile")


def _changes(node: ast.AST) -> Iterator[Change]:
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        other = _COMPARED[type(node.ops[0])]
        yield lambda node: ast.Compare(node.left, [other()], node.comparators)  # type: ignore[attr-defined]
    elif isinstance(node, ast.BoolOp):
        swapped = ast.Or if isinstance(node.op, ast.And) else ast.And
        yield lambda node: ast.BoolOp(swapped(), node.values)  # type: ignore[attr-defined]
        for number in range(len(node.values)):
            yield lambda node, number=number: _without(node, number)  # type: ignore[misc]
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield lambda node: node.operand  # type: ignore[attr-defined]
    elif isinstance(node, ast.BinOp | ast.AugAssign) and type(node.op) in _COUNTED:
        operator = _COUNTED[type(node.op)]
        yield lambda node: _with(node, op=operator())
    elif isinstance(node, ast.If | ast.IfExp | ast.While):
        if not isinstance(node.test, ast.Compare | ast.BoolOp | ast.UnaryOp):
            yield lambda node: _with(node, test=ast.UnaryOp(ast.Not(), node.test))  # type: ignore[attr-defined]
        if isinstance(node, ast.If):
            yield lambda node: _with(node, test=ast.Constant(False))
    elif isinstance(node, ast.Constant):
        yield from _constants(node)
    elif isinstance(node, ast.Return) and node.value is not None and ast.unparse(node.value) != "None":
        yield lambda node: ast.Return(ast.Constant(None))
    elif isinstance(node, ast.Raise | ast.Expr) and not _yields(node):
        yield lambda node: ast.Pass()
    elif isinstance(node, ast.Continue | ast.Break):
        other_way = ast.Break if isinstance(node, ast.Continue) else ast.Continue
        yield lambda node: other_way()


def _constants(node: ast.Constant) -> Iterator[Change]:
    if isinstance(node.value, bool):
        yield lambda node: ast.Constant(not node.value)  # type: ignore[attr-defined]
    elif isinstance(node.value, int | float):
        yield lambda node: ast.Constant(node.value + 1)  # type: ignore[attr-defined]
    elif isinstance(node.value, str) and node.value and not any(sign.isspace() for sign in node.value):
        yield lambda node: ast.Constant(f"XX{node.value}")  # type: ignore[attr-defined]


def _yields(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Yield | ast.YieldFrom | ast.Await)


def _without(node: ast.AST, number: int) -> ast.AST:
    values = [value for n, value in enumerate(node.values) if n != number]  # type: ignore[attr-defined]
    return values[0] if len(values) == 1 else ast.BoolOp(node.op, values)  # type: ignore[attr-defined]


def _with(node: ast.AST, **fields: ast.AST) -> ast.AST:
    changed = copy.copy(node)
    for name, value in fields.items():
        setattr(changed, name, value)
    return changed
