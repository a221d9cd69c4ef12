"""S9: a folder that a clone ships as a link. Nothing is written, read or removed outside the project."""

from __future__ import annotations

from pathlib import Path

import pytest

import tenure
from tenure.model.errors import TenureError
from tests.program import Program
from tests.store.test_links import SWAP

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


# The folder of each system in which a new memory is written.
WRITTEN = {
    "geas:.geas": ".geas/memory/candidates",
    "archeflow:.archeflow": ".archeflow/memory",
    "claude-memory:.claude/memory": ".claude/memory/runbooks",
    "claude-code:memory": "memory",
}


@pytest.mark.parametrize("tries", [pytest.param(8, id="short"), pytest.param(400, id="long", marks=pytest.mark.slow)])
@pytest.mark.parametrize("store", WRITTEN)
def test_a_folder_swapped_for_a_link_takes_nothing_outside(store: str, tries: int, program: Program) -> None:
    """S9: symlink swap race; each try works or says what is wrong, and nothing is written, read or removed outside."""
    outside = program.folder.parent / "outside"
    outside.mkdir()
    (outside / "theirs.json").write_bytes(b"theirs")
    kind = "runbook" if store.startswith("claude-memory") else ""
    with tenure.open(store, program.folder) as ws:
        ws.add("Restart the first worker", kind=kind)
    assert (program.folder / WRITTEN[store]).is_dir()
    swapper = program.start(SWAP, WRITTEN[store], "aside", str(outside))
    assert swapper.stdout is not None and swapper.stdout.readline() == b"swapping\n"
    done = refused = 0
    try:
        for number in range(tries):
            try:
                with tenure.open(store, program.folder) as ws:
                    ws.add(f"Restart worker{number} by pin{number} of rack{number}", kind=kind)
                done += 1
            except (TenureError, FileNotFoundError, NotADirectoryError):
                refused += 1
    finally:
        died = swapper.poll()
        swapper.kill()
        swapper.communicate()
    assert died is None
    print(f"{tries} tries on {store}: {done} written, {refused} refused, outside: {len([*outside.iterdir()]) - 1}")
    assert {path.name: path.read_bytes() for path in outside.rglob("*")} == {"theirs.json": b"theirs"}
