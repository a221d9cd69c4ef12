"""The package as a graph and as stated facts, read from the source; `test_house.py` counts with it.

Everything is computed from the tree, so that a module may move without a word changing here.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

PACKAGE = Path(__file__).parents[1] / "src" / "tenure"


def module_name(path: Path) -> str:
    """Return the dotted name of a source file."""
    parts = path.with_suffix("").relative_to(PACKAGE.parent).parts
    return ".".join(parts).removesuffix(".__init__")


@cache
def trees() -> Mapping[str, ast.Module]:
    """Return every module of the package, parsed."""
    return {module_name(path): ast.parse(path.read_text("utf-8")) for path in sorted(PACKAGE.rglob("*.py"))}


@cache
def is_package(name: str) -> bool:
    return (PACKAGE.parent / Path(*name.split(".")) / "__init__.py").is_file()


@cache
def imports() -> Mapping[str, frozenset[str]]:
    """Return which modules of ours each module imports, at any depth and also for types only."""
    known = trees()
    return {name: frozenset(_imported(name, tree, known) - {name}) for name, tree in known.items()}


def _imported(name: str, tree: ast.Module, known: Iterable[str]) -> set[str]:
    package = name if is_package(name) else name.rpartition(".")[0]
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                above = package.split(".")[: len(package.split(".")) - node.level + 1]
                base = ".".join([*above, *filter(None, [node.module])])
            found |= {f"{base}.{alias.name}" if f"{base}.{alias.name}" in known else base for alias in node.names}
    return found & set(known)


def cycles(graph: Mapping[str, frozenset[str]]) -> list[list[str]]:
    """Return the groups of modules that import each other, the largest first (Tarjan's components)."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    groups: list[list[str]] = []

    def visit(name: str) -> None:
        index[name] = low[name] = len(index)
        stack.append(name)
        for target in sorted(graph[name]):
            if target not in index:
                visit(target)
                low[name] = min(low[name], low[target])
            elif target in stack:
                low[name] = min(low[name], index[target])
        if low[name] == index[name]:
            group = stack[stack.index(name) :]
            del stack[stack.index(name) :]
            if len(group) > 1:
                groups.append(sorted(group))

    for name in graph:
        if name not in index:
            visit(name)
    return sorted(groups, key=len, reverse=True)


# Facts


@dataclass(frozen=True)
class Fact:
    """Something that should be stated once: where, and by which signs a statement of it is known."""

    # The owner's dotted name, or the end of it.
    owner: str
    # Module-level names that hold it.
    names: tuple[str, ...] = ()
    # Policy keys whose value it is.
    keys: tuple[str, ...] = ()
    # File and folder names, as whole texts or as whole parts of a path.
    files: tuple[str, ...] = ()
    # Calls with these keywords, functions of these names, texts that begin so.
    keywords: tuple[str, ...] = ()
    functions: tuple[str, ...] = ()
    beginnings: tuple[str, ...] = ()
    # A literal list that holds all of these.
    lists: frozenset[str] = frozenset()
    # A pattern that cuts a sentence into its words; a function that does nothing but guard a type.
    cuts_words: bool = False
    guards_types: bool = False
    # Only modules that import this one are looked at; other systems state facts of their own.
    among_users_of: str = ""
    not_of_systems: bool = False


def holders(fact: Fact) -> list[str]:
    """Return the modules that state a fact."""
    return [
        name
        for name, tree in trees().items()
        if not fact.among_users_of or any(target.endswith(fact.among_users_of) for target in imports()[name])
        if not (fact.not_of_systems and name.startswith("tenure.systems."))
        if any(_states(node, fact) for node in _statements(tree))
    ]


def is_owner(name: str, fact: Fact) -> bool:
    return name == fact.owner or name.endswith(f".{fact.owner}")


def _states(node: ast.AST, fact: Fact) -> bool:
    if isinstance(node, ast.Assign | ast.AnnAssign):
        return any(name in fact.names for name in _targets(node))
    if isinstance(node, ast.FunctionDef):
        return node.name in fact.functions or (fact.guards_types and _only_guards_a_type(node))
    if isinstance(node, ast.Attribute):
        return node.attr in fact.keys and isinstance(node.value, ast.Attribute)
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        named = any(node.value == name or node.value.startswith(f"{name}/") for name in fact.files)
        return named or node.value.startswith(fact.beginnings) or _lists(node.value.split(), fact)
    if isinstance(node, ast.Call):
        return any(keyword.arg in fact.keywords for keyword in node.keywords) or (
            fact.cuts_words and ast.unparse(node.func) == "re.compile" and _cuts_words(node)
        )
    if isinstance(node, ast.Set | ast.Tuple | ast.List):
        return _lists((item.value for item in node.elts if isinstance(item, ast.Constant)), fact)
    return False


def _lists(items: Iterable[object], fact: Fact) -> bool:
    return bool(fact.lists) and fact.lists <= set(items)


def _only_guards_a_type(node: ast.FunctionDef) -> bool:
    """Tell `return value if isinstance(value, dict) else {}` and its like."""
    body = [line for line in node.body if not (isinstance(line, ast.Expr) and isinstance(line.value, ast.Constant))]
    only = body[0].value if len(body) == 1 and isinstance(body[0], ast.Return) else None
    return (
        isinstance(only, ast.IfExp)
        and ast.unparse(only.test).startswith("isinstance(")
        and isinstance(only.body, ast.Name | ast.ListComp)
        and ast.unparse(only.orelse) in ("''", "[]", "{}", "()", "None", "0")
    )


def _cuts_words(node: ast.Call) -> bool:
    pattern = node.args[0] if node.args else None
    if not isinstance(pattern, ast.Constant) or not isinstance(pattern.value, str):
        return False
    found = [match.group() for match in re.finditer(pattern.value, "2nd words/here.too")]
    return found == ["2nd", "words", "here", "too"]


def _targets(node: ast.Assign | ast.AnnAssign) -> Iterator[str]:
    for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
        for part in target.elts if isinstance(target, ast.Tuple) else [target]:
            if isinstance(part, ast.Name):
                yield part.id


def _statements(tree: ast.Module) -> Iterator[ast.AST]:
    """Return every node but docstrings; assignments only where they stand at the top of a module."""
    documented = {id(constant) for constant in docstrings(tree)}
    top = {id(node) for node in tree.body}
    for node in ast.walk(tree):
        inner = isinstance(node, ast.Assign | ast.AnnAssign) and id(node) not in top
        if id(node) not in documented and not inner:
            yield node


def docstrings(tree: ast.AST) -> Iterator[ast.Constant]:
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        first = body[0] if isinstance(body, list) and body else None
        if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
            yield first.value
