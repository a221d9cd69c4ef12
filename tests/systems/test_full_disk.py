"""R9 on another system's files: on a full disk adding fails clean, and what lets go of something works."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.faults import small_disk
from tests.program import Program
from tests.store.test_crashes import fill

STORES = ["geas:.geas", "archeflow:.archeflow", "claude-memory:.claude/memory", "claude-code:memory"]


@pytest.mark.root
@pytest.mark.parametrize("store", STORES)
def test_on_a_full_disk_a_memory_can_be_forgotten(store: str, program: Program, tmp_path: Path) -> None:
    """Issue 13: a reserve in the companion's folder. Its files are written beside it, on the same disk."""
    with small_disk(tmp_path / "small", "4m") as folder:
        small = replace(program, folder=folder)
        place = folder / store.partition(":")[2]
        place.mkdir(parents=True)
        texts = [f"granite{n} zebraxylophone{n} belongs here" for n in range(3)]
        ids = [small.ok("--store", store, "add", text, "--title", f"A {text[:8]}")["id"] for text in texts]
        assert list(folder.rglob("*.reserve"))
        fill(folder / "filler")
        failed = small("--store", store, "--json", "add", "Nothing of this may stay behind " * 300)
        assert failed.status == 5, failed.err
        assert small("--store", store, "list").status == 0
        assert small("--store", store, "forget", ids[0], "--yes").status == 0
        assert [path for path in place.rglob("*") if path.is_file() and b"zebraxylophone0" in path.read_bytes()] == []
        assert [path.name for path in place.rglob("*.tmp")] == []
