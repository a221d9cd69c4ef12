"""S9: a folder that a clone ships as a link. Nothing is written, read or removed outside the project."""

from __future__ import annotations

from pathlib import Path

import pytest

import tenure
from tenure.model.errors import TenureError
from tests.program import Program

# System -> the store, and each folder of it that a repository could ship as a link.
FOLDERS = {
    "geas:.geas": [".geas", ".geas/memory", ".geas/memory/candidates", ".geas/state", ".geas/ledger"],
    "archeflow:.archeflow": [".archeflow", ".archeflow/memory"],
    "claude-memory:.claude/memory": [
        ".claude",
        ".claude/memory",
        *(
            f".claude/memory/{name}"
            for name in ("decisions", "preferences", "runbooks", "constraints", "sessions", "tech-debt")
        ),
    ],
    "claude-code:memory": ["memory"],
}
CASES = [(store, folder) for store, folders in FOLDERS.items() for folder in folders]


@pytest.mark.parametrize(("store", "linked"), CASES)
def test_a_linked_folder_takes_no_memory_outside(store: str, linked: str, program: Program) -> None:
    """Issue 13: a linked category folder wrote outside the project."""
    outside = program.folder.parent / "outside"
    outside.mkdir()
    link = program.folder / linked
    link.parent.mkdir(parents=True, exist_ok=True)
    link.symlink_to(outside)
    for words in (["add", "A fresh memory of ours"], ["upkeep"], ["gc"], ["list"], ["check"], ["init", "--use", store]):
        done = program("--store", store, *words)
        assert done.status in (0, 1, 2, 3, 5), (words, done.err[-2000:])
    assert [*outside.rglob("*")] == []


def test_a_linked_archive_takes_nothing_outside(tmp_path: Path) -> None:
    """The same for the folder that Claude Code's memories are archived to."""
    outside = tmp_path / "outside"
    outside.mkdir()
    with tenure.open("claude-code:memory", tmp_path) as ws:
        id = ws.add("A fresh memory of ours").id
        (tmp_path / "memory" / "archive").symlink_to(outside)
        with pytest.raises(TenureError, match="symbolic link"):
            ws.retire(id, reason="done")
        assert ws.get(id).text == "A fresh memory of ours"
    assert [*outside.iterdir()] == []
