"""Prints the reference pages from the code.

    python scripts/reference.py          writes docs/reference/*.md
    python scripts/reference.py --check  names the pages that are out of date, exit status 1

The pages are made from what the program itself uses, so a command, policy key, event or error that exists is
documented. tests/test_docs.py fails when a page differs from what this prints.
"""

from __future__ import annotations

import ast
import inspect
import re
import sys
import tomllib
from collections.abc import Callable, Iterable, Iterator
from importlib import import_module, resources
from pathlib import Path
from typing import Any

import click

from tenure import workspace
from tenure.model import errors
from tenure.model.events import EventType
from tenure.model.kinds import CONTENT, KINDS, describe
from tenure.model.memory import SCOPES, TRUST_ORDER
from tenure.model.policy import packaged_text
from tenure.rules.use_counts import EFFECTS
from tenure.rules.verdicts import DECISIONS
from tenure.store.sqlite.migrate import migrations, schema_version
from tenure.surfaces.cli import BUG
from tenure.surfaces.cli.app import COMMANDS, tenure
from tenure.usecases import answers
from tenure.workspace import Workspace, unopened
from tenure.workspace.reading import ReadingMethods
from tenure.workspace.sharing import SharingMethods

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "reference"
NOTE = "<!-- Written by scripts/reference.py from the code; change it there. -->"

EXIT_STATUS = (
    (0, "Done."),
    (1, "Failed; also when a check found problems."),
    (2, "The request makes no sense."),
    (3, "Refused by a rule."),
    (4, "A conflict: somebody wrote first."),
    (5, "The store cannot be used."),
    (BUG, "A bug of ours."),
    (130, "Stopped from the keyboard."),
)
ENVIRONMENT = (
    ("TENURE_STORE", "The store to use when `--store` is not given."),
    ("TENURE_HOME", "The user-level folder; otherwise the platform's data folder."),
    ("TENURE_NOW", "A time such as `2026-04-03T14:00:00Z` that freezes the clock, for tests and replays."),
    ("TENURE_OFF", "When set, hooks are silent and nothing is learned; `tenure off` does the same for longer."),
    ("TENURE_DEBUG", "When set, a bug of ours prints its trace."),
)


def commands() -> Iterator[str]:
    """Every command with its arguments, options and example."""
    yield "# Commands\n"
    yield "Global options stand before the command; `--json` is also accepted after it.\n"
    yield from _options(tenure)
    yield "\nEnvironment variables:\n"
    yield from _table(("variable", "meaning"), [(f"`{name}`", means) for name, means in ENVIRONMENT])
    for name, (module, _) in COMMANDS.items():
        command: click.Command = getattr(import_module(f"tenure.surfaces.cli.{module}"), f"{name}_command")
        arguments = [_argument(each) for each in command.params if isinstance(each, click.Argument)]
        yield f"\n## {name}\n"
        yield from _sentences(command.help or "")
        yield f"\n```\n{' '.join(['tenure', name, *arguments, '[OPTIONS]'])}\n```\n"
        yield from _options(command)
        example = (command.epilog or "").partition("Example:")[2]
        yield "\nExample:\n\n```\n" + inspect.cleandoc(example) + "\n```"


def _argument(argument: click.Argument) -> str:
    shown = argument.metavar or (argument.name or "").upper()
    many = "…" if argument.nargs == -1 and not shown.endswith("…") else ""
    return shown + many if argument.required or shown.startswith("[") else f"[{shown}{many}]"


def _options(command: click.Command) -> Iterator[str]:
    rows = []
    for each in command.params:
        if isinstance(each, click.Option):
            names = ", ".join(f"`{name}`" for name in each.opts)
            default = f" Default: `{each.default}`." if each.show_default else ""
            rows.append((names, f"{each.help}{default}"))
    yield from _table(("option", "meaning"), rows)


def policy() -> Iterator[str]:
    """Every policy key with its default and the comment that stands above it in the policy file."""
    yield "# Policy keys\n"
    yield "Every threshold is data in a policy file; `tenure policy` prints the values in force and their origin."
    yield "A comment stands above the keys it speaks of."
    yield "[Tune the policy](../howto/policy.md) shows how to change a value."
    systems = resources.files("tenure.systems").iterdir()
    names = {entry.name.replace("_", "-") for entry in systems if entry.joinpath("policy.toml").is_file()}
    for name in ("tenure", *sorted(names - {"native"})):
        yield f"\n## {name}.toml\n"
        yield from _policy_file(packaged_text(name))


def _policy_file(text: str) -> Iterator[str]:
    section, comment, pending = "", "", ""
    for line in text.splitlines():
        stripped = line.strip()
        if stripped.startswith("["):
            section, comment = stripped.strip("[]") + ".", ""
            yield f"\n### {section.rstrip('.')}\n"
        elif stripped.startswith("#"):
            comment += stripped.lstrip("# ") + " "
        elif not stripped:
            if comment:
                yield from _sentences(comment)
            comment = ""
        else:
            pending += line + "\n"
            try:
                values = tomllib.loads(pending)
            except tomllib.TOMLDecodeError:
                # The value goes on in the next line.
                continue
            if comment:
                yield from ("", *_sentences(comment), "")
            yield from (f"- `{key}` = `{_toml(value)}`" for key, value in _leaves(values, section))
            comment, pending = "", ""


def _leaves(tree: dict[str, Any], prefix: str) -> Iterator[tuple[str, Any]]:
    for key, value in tree.items():
        if isinstance(value, dict) and value:
            yield from _leaves(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value


def _toml(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return f"[{', '.join(map(_toml, value))}]"
    return f'"{value}"' if isinstance(value, str) else str(value)


def events() -> Iterator[str]:
    """Every kind of ledger entry and its meaning."""
    yield "# Ledger events\n"
    yield "Each change to a memory is one of these entries: when, by whom, why, and the exact values it set."
    yield "`tenure history ID` shows them.\n"
    yield from _table(("event", "meaning"), [(f"`{event.value}`", event.meaning) for event in EventType])


def error_codes() -> Iterator[str]:
    """Every error code with its exit status and meaning."""
    yield "# Errors and exit status\n"
    yield 'With `--json` an error is `{"error": {"code", "message", "hint"}}` on standard error.\n'
    rows = [(f"`{each.code}`", str(each.exit_status), _first_line(each)) for each in all_errors()]
    yield from _table(("code", "exit status", "meaning"), [*rows, ("`BUG`", str(BUG), "A bug of ours.")])
    yield "\n## Exit status\n"
    yield from _table(("status", "meaning"), [(str(status), means) for status, means in EXIT_STATUS])


def all_errors() -> list[type[errors.TenureError]]:
    """Return every error class, in the order of the module."""
    classes = [each for each in vars(errors).values() if inspect.isclass(each)]
    return [each for each in classes if issubclass(each, errors.TenureError)]


def schema() -> Iterator[str]:
    """The database schema, as the migrations make it."""
    yield "# Database schema\n"
    yield f"The store is one SQLite file with schema {schema_version()}; only `tenure.store` knows its SQL."
    yield "Read it with `tenure` or the API; what is changed behind Tenure's back is found by `tenure check`."
    for number, script in migrations():
        yield f"\n## Migration {number}\n\n```sql\n{script.strip()}\n```"


def values() -> Iterator[str]:
    """Kinds, content fields, scopes, trust classes, effects and verdicts."""
    yield "# Kinds and other values\n\n## Kinds\n"
    yield from _table(("kind", "meaning"), [(f"`{kind}`", means) for kind, means in KINDS.items()])
    yield "\n## Content\n"
    yield "Content is optional; when it is given, it must be complete."
    for kind, (required, optional) in CONTENT.items():
        yield f"\n### {kind}\n"
        rows = [(f"`{name}`", "yes", describe(shape)) for name, shape in required.items()]
        rows += [(f"`{name}`", "", describe(shape)) for name, shape in optional.items()]
        yield from _table(("field", "required", "value"), rows)
    yield "\n## Scopes\n"
    yield ", ".join(f"`{scope}`" for scope in SCOPES) + "."
    yield "\n## Trust classes\n"
    yield "From most to least trusted: " + ", ".join(f"`{trust}`" for trust in TRUST_ORDER) + "."
    yield "\n## Effects\n"
    yield "What `tenure log --effect` takes: " + ", ".join(f"`{effect}`" for effect in EFFECTS) + "."
    yield "\n## Decisions\n"
    yield "What `tenure review --decision` takes:\n"
    yield from _table(("decision", "meaning"), [(f"`{name}`", means) for name, means in DECISIONS.items()])


def api() -> Iterator[str]:
    """The methods of the workspace, and the records they answer with."""
    yield "# Python API\n"
    yield "`import tenure; ws = tenure.open()` returns the workspace of the current project; a method is one use case."
    yield "It is a context manager that closes the store."
    yield "What a method answers is a record; the records and their fields stand below.\n"
    for title, group in (("Changing", Workspace), ("Reading", ReadingMethods), ("Sharing", SharingMethods)):
        yield f"## {title}\n"
        for name, found in vars(group).items():
            if name.startswith("_") or not (inspect.isfunction(found) or isinstance(found, property)):
                continue
            yield f"### {name}\n\n```python\nws.{name}{_signature(found)}\n```\n"
            yield from _sentences(found.__doc__ or "")
            yield ""
    yield "## Functions\n"
    for module in (workspace, unopened):
        for name, found in vars(module).items():
            if inspect.isfunction(found) and found.__module__ == module.__name__ and not name.startswith("_"):
                yield f"### workspace.{name}\n\n```python\nworkspace.{name}{_signature(found)}\n```\n"
                yield from _sentences(found.__doc__ or "")
                yield ""
    yield "## Records\n"
    yield "Every record is frozen; `notes` says what the user should know besides.\n"
    yield from _records()


def _signature(found: Any) -> str:
    """Return what a function takes and answers, or the type of a property."""
    if isinstance(found, property):
        return f": {inspect.signature(found.fget).return_annotation}" if found.fget else ""
    signature = str(inspect.signature(found)).replace("(self, ", "(").replace("(self)", "()")
    return re.sub(r"(: |-> )'([^']+)'", r"\1\2", signature)


def _records() -> Iterator[str]:
    """Return the answers with their fields and the remarks that stand above them in the source."""
    for module in sorted(Path(answers.__path__[0]).glob("*.py")):
        yield from _records_of(module.read_text("utf-8"))


def _records_of(source: str) -> Iterator[str]:
    """Return the records of one module."""
    lines = source.splitlines()
    for node in ast.parse(source).body:
        if not isinstance(node, ast.ClassDef) or node.name == "Record":
            continue
        based = [base.id for base in node.bases if isinstance(base, ast.Name) and base.id != "Record"]
        also = f" It has the fields of `{based[0]}` too." if based else ""
        yield f"### {node.name}\n"
        yield from _sentences((ast.get_docstring(node) or "") + also)
        yield ""
        for field in node.body:
            if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name):
                remark = lines[field.lineno - 2].strip()
                said = f": {remark[2:]}" if remark.startswith("# ") else ""
                yield f"- `{field.target.id}: {ast.unparse(field.annotation)}`{said}"
        yield ""


def index() -> Iterator[str]:
    """The list of pages."""
    yield "# Reference\n"
    yield "These pages are printed from the code by `scripts/reference.py`, and a test fails when one is out of date.\n"
    for name, page in PAGES.items():
        if name != "README.md":
            yield f"- [{name.removesuffix('.md')}]({name}): {_first_line(page)}"


PAGES: dict[str, Callable[[], Iterable[str]]] = {
    "README.md": index,
    "commands.md": commands,
    "policy.md": policy,
    "events.md": events,
    "errors.md": error_codes,
    "values.md": values,
    "schema.md": schema,
    "api.md": api,
}


def page(name: str) -> str:
    """Return the text of a page."""
    text = "\n".join([NOTE, "", *PAGES[name]()])
    return re.sub(r"\n{3,}", "\n\n", text).rstrip() + "\n"


def _first_line(documented: object) -> str:
    return (inspect.getdoc(documented) or "").splitlines()[0]


def _sentences(text: str) -> list[str]:
    """Return one sentence per line, so that a diff shows the sentence that changed."""
    return re.sub(r"(?<=[.!?]) (?=[A-Z`])", "\n", " ".join(text.split())).splitlines()


def _table(header: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> Iterator[str]:
    yield f"| {' | '.join(header)} |"
    yield f"|{'---|' * len(header)}"
    for row in rows:
        yield f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |"


def main(words: list[str]) -> int:
    """Write the pages, or with --check name those that are out of date."""
    stale = []
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name in PAGES:
        path = FOLDER / name
        if not path.exists() or path.read_text(encoding="utf-8") != page(name):
            stale.append(name)
            if "--check" not in words:
                path.write_text(page(name), encoding="utf-8")
    print(f"{', '.join(stale) or 'No page'} {'out of date' if '--check' in words else 'written'}.")
    return 1 if stale and "--check" in words else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
