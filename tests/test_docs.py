"""The documentation is true: reference pages match the code, examples run, links lead somewhere.

STYLE: "Every example is a file that runs in the test suite. Every command, setting, event and error is documented,
and a test counts them."
"""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from tenure.__main__ import SLIM
from tenure.model import policy
from tenure.model.events import EventType
from tenure.surfaces.cli.app import COMMANDS

ROOT = Path(__file__).resolve().parent.parent
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
WRITTEN = [page for page in PAGES if page.parent.name != "reference"]
# Pages whose commands work when pasted one after the other.
PASTED = [
    *(ROOT / name for name in ("README.md", "docs/quickstart.md", "docs/sharing.md")),
    *sorted((ROOT / "docs" / "howto").glob("*.md")),
]

_BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
# Commands that ask a person at a terminal, where there is one.
_ASKING = re.compile(r"tenure (?:start|review (?!--plain)|share|sync|trust|forget|guard|allow)\b")
# What differs from run to run in the output of a command.
_VARYING = (
    (re.compile(r"\bm-[2-9a-hj-km-np-z]{7}\b"), "m-ID"),
    (re.compile(r'nonce="[0-9a-f]+"'), 'nonce="N"'),
    (re.compile(r"(Decided by: ).*"), r"\1WHO"),
    (re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"), "TIME"),
    # Who acts: the machine's user, here from a home without people.
    (re.compile(r" by: [\w.-]+(?:, unattended)?"), " by: YOU"),
)


def _reference() -> ModuleType:
    spec = importlib.util.spec_from_file_location("reference", ROOT / "scripts" / "reference.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


reference = _reference()


def name_of(page: Path) -> str:
    return str(page.relative_to(ROOT))


def text_of(page: str) -> str:
    return (ROOT / "docs" / "reference" / page).read_text(encoding="utf-8")


@pytest.mark.parametrize("page", list(reference.PAGES))
def test_a_reference_page_is_what_the_code_prints(page: str) -> None:
    """When this fails: python scripts/reference.py"""
    assert text_of(page) == reference.page(page)


def test_a_commit_that_a_page_names_is_in_the_history() -> None:
    """A reader's finding: the page about the audit, which tells such things, named a commit that never landed."""
    named = {
        (name_of(page), told[1] or told[2])
        for page in WRITTEN
        for told in re.finditer(
            r"`([0-9a-f]{7,40})`|\bcommit ([0-9a-f]{7,40})\b", _BLOCK.sub("", page.read_text("utf-8"))
        )
        if re.search(r"[a-f]", told[0].replace("commit", ""))
    }
    git = ("git", "-C", str(ROOT))
    shallow = subprocess.run([*git, "rev-parse", "--is-shallow-repository"], capture_output=True, check=False)
    if shallow.stdout.strip() != b"false":
        pytest.skip("no whole history here")
    for page, commit in sorted(named):
        done = subprocess.run([*git, "merge-base", "--is-ancestor", commit, "HEAD"], capture_output=True, check=False)
        assert done.returncode == 0, f"{page} names {commit}"


def test_every_command_policy_key_event_and_error_is_documented() -> None:
    """Issue 2, item 7: counted from the code, looked for in the pages."""
    _, settings = policy.load("tenure")
    wanted = {
        "commands.md": [f"\n## {name}\n" for name in COMMANDS],
        "policy.md": [f"`{setting.key}" for setting in settings],
        "events.md": [f"`{event.value}`" for event in EventType],
        "errors.md": [f"`{error.code}`" for error in reference.all_errors()],
    }
    missing = {page: [item for item in items if item not in text_of(page)] for page, items in wanted.items()}
    assert missing == {page: [] for page in wanted}


def test_every_command_option_and_argument_says_what_it_is_for() -> None:
    """A reference row without a meaning documents nothing."""
    assert not re.findall(r"^\| `--[^|]*\| (?:None)? *\|$", text_of("commands.md"), re.MULTILINE)


def examples(page: Path) -> list[tuple[str, str | None]]:
    """Return the page's shell blocks, each with the output shown after it; set-up with scripts/ is left out."""
    blocks = _BLOCK.findall(page.read_text(encoding="utf-8"))
    found = []
    for position, (language, body) in enumerate(blocks):
        if language == "sh" and "scripts/" not in body:
            following = blocks[position + 1] if position + 1 < len(blocks) else ("", "")
            found.append((body, following[1] if following[0] == "text" else None))
    return found


@pytest.mark.parametrize("page", PASTED, ids=name_of)
def test_the_examples_of_a_page_run_and_print_what_it_shows(page: Path, tmp_path: Path) -> None:
    """Each page is pasted into one shell in a fresh repository; every command must succeed."""
    project, tools = tmp_path / "project", tmp_path / "tools"
    (project / ".git").mkdir(parents=True)
    tools.mkdir()
    for name, words in {"tenure": "-m tenure", "python": ""}.items():
        program = tools / name
        program.write_text(f'#!/bin/sh\nexec "{sys.executable}" {words} "$@"\n', encoding="utf-8")
        program.chmod(0o755)
    environment = os.environ | {"PATH": f"{tools}{os.pathsep}{os.environ['PATH']}", "COLUMNS": "80"}
    assert examples(page)
    for body, shown in examples(page):
        done = subprocess.run(
            ["sh", "-eu", "-c", f"exec 2>&1\n{body}"], cwd=project, env=environment, stdout=subprocess.PIPE, check=False
        )
        printed = done.stdout.decode()
        assert done.returncode == 0, f"{body}\n{printed}"
        if shown is not None:
            assert steady(printed) == steady(shown), body


@pytest.mark.parametrize("page", PASTED, ids=name_of)
def test_a_pasted_block_ends_with_the_command_that_asks_at_a_terminal(page: Path) -> None:
    """A stranger's finding: the lines after it became the answer, or keys of the screen of `tenure review`."""
    for body, _ in examples(page):
        attended = body.partition("TENURE_UNATTENDED=1")[0].splitlines()
        assert "tenure review" not in attended, "opens a screen; --plain prints lines"
        asking = [line for line in attended if _ASKING.match(line)]
        assert asking == [line for line in body.splitlines()[-1:] if line in asking], body


def steady(output: str) -> str:
    """Return output without what differs from run to run."""
    for pattern, instead in _VARYING:
        output = pattern.sub(instead, output)
    return output


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_link_leads_to_a_page(page: Path) -> None:
    """Links inside the repository only: tests use no network."""
    text = _BLOCK.sub("", page.read_text(encoding="utf-8"))
    targets = [target.partition("#")[0] for target in re.findall(r"\]\(([^)\s]+)\)", text) if "://" not in target]
    assert [target for target in targets if target and not (page.parent / target).exists()] == []


@pytest.mark.parametrize("page", WRITTEN, ids=name_of)
def test_every_command_a_page_names_exists(page: Path) -> None:
    """A page that says `tenure frobnicate` promises what is not there."""
    text = page.read_text(encoding="utf-8")
    code = [*re.findall(r"`([^`\n]+)`", text), *(body for _, body in _BLOCK.findall(text))]
    named = {word for part in code for word in re.findall(r"(?:^|[\s$(])tenure ([a-z][a-z-]+)\b", part)}
    assert named - set(COMMANDS) - set(SLIM) == set()


def test_the_changelog_has_each_section_once_and_in_order() -> None:
    """STYLE: Security, Removed, Deprecated, Added, Changed, Fixed."""
    order = ["Security", "Removed", "Deprecated", "Added", "Changed", "Fixed"]
    for release in re.split(r"^## ", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]:
        sections = re.findall(r"^### (.+)$", release, re.MULTILINE)
        assert sections == [name for name in order if name in sections]


@pytest.mark.parametrize("page", [*WRITTEN, ROOT / "plugin" / "README.md"], ids=name_of)
def test_no_command_to_paste_has_a_blank_to_fill_in(page: Path) -> None:
    """A stranger's finding: `claude plugin marketplace add OWNER/REPOSITORY` cannot be pasted."""
    assert "OWNER/" not in page.read_text(encoding="utf-8")


@pytest.mark.parametrize("page", WRITTEN, ids=name_of)
def test_a_line_holds_one_sentence(page: Path) -> None:
    """STYLE: one sentence per line, so that a diff shows the sentence that changed."""
    text = _BLOCK.sub("", page.read_text(encoding="utf-8"))
    prose = [line for line in text.splitlines() if not line.startswith("|")]
    assert [line for line in prose if re.search(r"[a-z`)][.!?] [A-Z`]", line)] == []


def test_the_map_names_every_part_of_the_package() -> None:
    """docs/architecture.md is the living map: a new module at the top is a new row."""
    drawn = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    parts = [
        path for path in (ROOT / "src" / "tenure").iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()
    ]
    names = {f"`{path.name}`" if path.suffix else f"`{path.name}/`" for path in parts} - {"`__init__.py`"}
    assert {name for name in names if name not in drawn} == set()
