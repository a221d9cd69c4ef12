"""A project without memory: only what writes one down makes a store."""

from __future__ import annotations

import pytest

from tests.program import Program

PROPOSAL = b'{"kind": "lesson", "text": "Run make db before the tests"}\n'


@pytest.mark.parametrize(
    "words",
    [
        "promote",
        "decay",
        "upkeep",
        "gc",
        "undo",
        "promote --dry-run",
        "decay --dry-run",
        "upkeep --dry-run",
        "gc --dry-run",
        "capture - --dry-run",
        "import - --dry-run",
        "retire m-1 --reason gone",
        "restore m-1",
        "archive m-1",
        "supersede m-1 m-2",
        "log m-1 --effect positive",
        "edit m-1 --title other",
        "review m-1 --decision keep --by kim",
        "forget m-1 --yes",
    ],
)
def test_what_writes_nothing_down_makes_no_store(program: Program, words: str) -> None:
    """CONTRACT: the first write creates the store, and a dry run gives the same report and changes nothing."""
    said = program(*words.split(), stdin=PROPOSAL)
    assert said.status in (0, 2)
    assert list(program.folder.iterdir()) == []


def test_a_dry_run_before_the_first_write_reports_what_the_write_then_does(program: Program) -> None:
    """CONTRACT: the same report; only the id is made when the memory is."""
    words = ("--json", "capture", "-", "--run", "r1")
    rehearsed = program(*words, "--dry-run", stdin=PROPOSAL * 2).json
    done = program(*words, stdin=PROPOSAL * 2).json
    told = [[(d["action"], d["kind"], d["reasons"]) for d in answer["decisions"]] for answer in (rehearsed, done)]
    assert told[0] == told[1]
    assert len(program("--json", "list").json["memories"]) == 1
