"""A version of a file that could not be put back is shown by `check`, and goes when its memory is forgotten."""

from __future__ import annotations

import pytest

from tests.program import Program

STORES = ["geas:.geas", "claude-memory:.claude/memory", "claude-code:memory"]


@pytest.mark.parametrize("store", STORES)
def test_a_kept_copy_is_a_problem_row_until_its_memory_is_forgotten(store: str, program: Program) -> None:
    """R16: lost is what is in neither file, conflict nor kept copy; erasing reaches the copy too."""
    folder = program.folder / store.partition(":")[2]
    folder.mkdir(parents=True)
    id = program.ok("--store", store, "add", "The launch word is heliotrope", "--title", "A note of ours")["id"]
    (file,) = [path for path in folder.rglob("*") if path.is_file() and b"heliotrope" in path.read_bytes()]
    # As a killed exchange leaves it: somebody's edit under a temporary name, and a newer file in its place.
    file.with_name(f".{file.name}.{'0' * 12}-{'1' * 12}.tmp").write_bytes(b"theirs: heliotrope")
    assert program("--store", store, "upkeep").status == 0
    (copy,) = [path for path in program.folder.rglob("kept/*") if path.name != ".gitignore"]
    assert copy.read_bytes() == b"theirs: heliotrope"
    rows = program("--store", store, "--json", "check").json["problems"]
    assert [row["field"] for row in rows if row["path"] == str(copy)] == ["file"]
    assert program("--store", store, "forget", id, "--yes").status == 0
    assert not copy.exists()
