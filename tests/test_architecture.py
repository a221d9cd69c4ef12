"""The shape DESIGN.md section 2 promises, read from the source."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "src" / "tenure"
SOURCES = sorted(PACKAGE.rglob("*.py"))
TREES = {path: ast.parse(path.read_text(encoding="utf-8")) for path in SOURCES}
SURFACES = {"cli", "hooks", "mcp", "web", "anthropic"}
# What stands between the surfaces' service and the model, and knows nothing of either's neighbours above.
PARTS = {"rules", "recall", "capture", "audit", "systems", "store", "hosts", "formats"}
SERVICE = {"workspace", "usecases"}
DIALECTS = re.compile(r"geas|claude[-_ ]?memory|archeflow|claude[-_ ]?code|\bokf\b", re.IGNORECASE)
SQL = re.compile(
    r"\b(SELECT\s.+\sFROM|INSERT\s+(OR\s+\w+\s+)?INTO|UPDATE\s+\w+\s+SET|DELETE\s+FROM|CREATE\s+(VIRTUAL\s+)?TABLE"
    r"|DROP\s+TABLE|PRAGMA\s+\w+|BEGIN\s+IMMEDIATE)\b",
    re.DOTALL,
)
# Drop-in command lines are surfaces of their own: they print what the originals print.
PRINTING = {"cli", "hooks", "systems", "mcp"}
# Module -> names by which it would ask for the time.
TIME = {"now", "utcnow", "today", "time", "time_ns", "monotonic", "monotonic_ns", "perf_counter", "localtime", "gmtime"}
# Locks and deadlines count how long they have waited, on a clock that no date can change.
PATIENT = {"files/lock.py", "files/sockets.py", "systems/claude_memory/gate.py", "files/git.py"}
DANGEROUS_CALLS = {"eval", "exec", "compile", "__import__"}


def relative(path: Path) -> str:
    return path.relative_to(PACKAGE).as_posix()


def part(path: Path) -> str:
    """Return the part of the package a module belongs to: a folder, one of the surfaces, or a module at the top."""
    return _part(relative(path).removesuffix(".py").split("/"))


def _part(names: list[str]) -> str:
    if names[0] == "surfaces" and len(names) > 1:
        return names[1]
    # The alias users import is part of what it stands for.
    return "anthropic" if names[0] == "integrations" else names[0]


def imports(path: Path) -> Iterator[tuple[str, int]]:
    """Return the tenure modules a file imports at any depth, type-checking imports left out."""
    for node in walk(TREES[path]):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            assert node.level == 0, f"{relative(path)}:{node.lineno}: relative import"
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        else:
            continue
        for name in names:
            if name.startswith("tenure."):
                yield _part(name.split(".")[1:]), node.lineno


def walk(tree: ast.AST) -> Iterator[ast.AST]:
    if isinstance(tree, ast.If) and "TYPE_CHECKING" in ast.dump(tree.test):
        return
    yield tree
    for child in ast.iter_child_nodes(tree):
        yield from walk(child)


def allowed(of: str) -> set[str] | None:
    """Return the parts a part may not import, None when it is free."""
    if of in SURFACES or of in ("__main__", "__init__"):
        return None
    if of in SERVICE:
        return SURFACES
    if of == "rules":
        return SURFACES | SERVICE | PARTS - {"rules"}
    if of == "store":
        # A query and what of it a memory holds is what the index hands to the ranking.
        return SURFACES | SERVICE | PARTS - {"store", "recall"}
    if of in ("capture", "formats"):
        # One host keeps its sessions in a database, one program its notes, and only store/ opens databases.
        return SURFACES | SERVICE
    if of in PARTS:
        return SURFACES | SERVICE | {"store"} if of != "systems" else SURFACES
    return SURFACES | SERVICE | PARTS


def test_imports_point_one_way() -> None:
    """DESIGN 2: surfaces -> workspace -> lifecycle, recall, capture, audit, dialects, store -> model."""
    wrong = [
        f"{relative(path)}:{line} imports {target}"
        for path in SOURCES
        if (forbidden := allowed(part(path))) is not None
        for target, line in imports(path)
        if target in forbidden
    ]
    assert wrong == []


def test_surfaces_never_talk_to_each_other_or_past_the_workspace() -> None:
    """DESIGN 2: thin, never talk to each other or to store/ directly; a hook may read the store itself (3.1)."""
    wrong = [
        f"{relative(path)}:{line} imports {target}"
        for path in SOURCES
        if part(path) in SURFACES
        for target, line in imports(path)
        if (target in SURFACES and target != part(path)) or (target == "store" and part(path) != "hooks")
        # The doctor looks at what hooks left behind.
        if (relative(path), target) != ("surfaces/cli/doctor.py", "hooks")
        # The name that users import is an alias.
        if (relative(path), target) != ("integrations/anthropic.py", "anthropic")
    ]
    assert wrong == []


def test_no_rule_names_a_dialect() -> None:
    """DESIGN 2: policy is data; comments and docstrings may say where a rule comes from, code may not ask."""
    wrong = []
    for path in SOURCES:
        if part(path) != "rules":
            continue
        documented = {id(node) for node in docstrings(TREES[path])}
        for node in ast.walk(TREES[path]):
            said = str(node.value) if isinstance(node, ast.Constant) and id(node) not in documented else ""
            name = node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""
            if DIALECTS.search(f"{said} {name}"):
                wrong.append(f"{relative(path)}:{getattr(node, 'lineno', 0)}")
    assert wrong == []


def test_sql_stays_in_the_store() -> None:
    """DESIGN 2: store/ is the only package that knows SQL."""
    wrong = []
    for path in SOURCES:
        documented = {id(node) for node in docstrings(TREES[path])}
        for node in ast.walk(TREES[path]):
            text = node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""
            if SQL.search(text) and id(node) not in documented and part(path) != "store":
                wrong.append(f"{relative(path)}:{getattr(node, 'lineno', 0)}: {text:.60}")
    assert wrong == []


def test_only_the_store_imports_a_database() -> None:
    """GUARANTEES R6: also hooks, which use the store's light side."""
    wrong = [
        relative(path)
        for path in SOURCES
        if part(path) != "store"
        for node in walk(TREES[path])
        if isinstance(node, ast.Import)
        and {alias.name.split(".")[0] for alias in node.names} & {"apsw", "sqlite3", "psycopg"}
    ]
    assert wrong == []


def test_only_the_clock_asks_for_the_time() -> None:
    """STYLE: time only through tenure.model.clock; a lock may count how long it has waited."""
    wrong = []
    for path in SOURCES:
        for node in ast.walk(TREES[path]):
            if not (isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.attr in TIME):
                continue
            asks = node.value.id in ("datetime", "date", "time")
            patient = node.attr == "monotonic" and relative(path) in PATIENT
            if asks and relative(path) != "model/clock.py" and not patient and part(path) != "hooks":
                wrong.append(f"{relative(path)}:{node.lineno}: {node.value.id}.{node.attr}")
    assert wrong == []


def test_nothing_prints_but_the_surfaces() -> None:
    """GUARANTEES S6: what reaches a terminal goes through one place."""
    wrong = [
        f"{relative(path)}:{node.lineno}"
        for path in SOURCES
        for node in ast.walk(TREES[path])
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print"
        if part(path) not in PRINTING
    ]
    assert wrong == []


def test_nothing_runs_text_as_code() -> None:
    """GUARANTEES S10 and S16: no shell, no pickle, no eval."""
    wrong = []
    for path in SOURCES:
        for node in ast.walk(TREES[path]):
            if isinstance(node, ast.Import | ast.ImportFrom):
                names = {alias.name for alias in node.names} | {getattr(node, "module", None) or ""}
                if names & {"pickle", "marshal", "shelve", "dill"}:
                    wrong.append(f"{relative(path)}:{node.lineno}: {names}")
            if not isinstance(node, ast.Call):
                continue
            called = ast.unparse(node.func)
            if called in DANGEROUS_CALLS and relative(path) not in ("__main__.py", "surfaces/hooks/__init__.py"):
                wrong.append(f"{relative(path)}:{node.lineno}: {called}")
            if called in ("os.system", "os.popen", "yaml.load"):
                wrong.append(f"{relative(path)}:{node.lineno}: {called}")
            if any(keyword.arg == "shell" for keyword in node.keywords):
                wrong.append(f"{relative(path)}:{node.lineno}: shell=")
    assert wrong == []


@pytest.mark.parametrize("path", SOURCES, ids=relative)
def test_every_module_says_what_it_is_for(path: Path) -> None:
    """STYLE: each module opens with a few lines. docs/architecture.md: its first line says what it is for."""
    assert ast.get_docstring(TREES[path])
    assert path.read_text(encoding="utf-8").startswith(('"""', 'r"""'))


@pytest.mark.parametrize("path", SOURCES, ids=relative)
def test_names_of_modules_are_ours(path: Path) -> None:
    """STYLE: no `utils`, `helpers`, `manager`, `base`, `common`. `scripts/shape.py` reports what grows long."""
    assert path.stem not in {"utils", "helpers", "manager", "base", "common"}


def docstrings(tree: ast.AST) -> Iterator[ast.Constant]:
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        first = body[0] if isinstance(body, list) and body else None
        if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
            yield first.value


def test_the_page_leads_to_files_that_are_there() -> None:
    """HOUSE: each behaviour is found in at most two files by the tree alone; after a `;` another one begins."""
    page = (PACKAGE.parents[1] / "docs" / "architecture.md").read_text("utf-8")
    table = page.partition("## Where to look")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| ([^|*]+) \| ([^|]*[^|-][^|]*) \|$", table, re.MULTILINE)[1:]
    assert len(rows) > 60
    for behaviour, files in rows:
        named = [re.findall(r"`([\w/]+\.\w+)`", part) for part in files.split(";")]
        assert any(named) and max(map(len, named)) <= 2, behaviour
        assert [name for part in named for name in part if not (PACKAGE / name).is_file()] == [], behaviour
