"""What a killed write leaves in another system's folder goes with the next forget, gc or upkeep."""

from __future__ import annotations

from pathlib import Path

import pytest

import tenure
from tenure.files.durable import fingerprint
from tests.program import Program

STORES = {
    "geas:.geas": ".geas/memory/candidates",
    "archeflow:.archeflow": ".archeflow/memory",
    "claude-memory:.claude/memory": ".claude/memory/preferences",
    "claude-code:memory": "memory",
}
SECRET = "the launch word is heliotrope"


def left_behind(folder: Path) -> list[Path]:
    """Put into a folder what a write leaves that was killed before, and after, its file was whole."""
    new = SECRET.encode()
    files = [folder / ".x.json.0123456789ab.tmp", folder / f".y.json.{fingerprint(new)[:12]}-{'0' * 12}.tmp"]
    for file in files:
        file.write_bytes(new)
    return files


@pytest.mark.parametrize("command", ["forget", "gc", "upkeep"])
@pytest.mark.parametrize("store", STORES)
def test_half_written_files_are_swept(store: str, command: str, program: Program) -> None:
    """Issue 13: a killed write keeps forgotten text."""
    (program.folder / store.partition(":")[2]).mkdir(parents=True)
    id = program.ok("--store", store, "add", f"Remember that {SECRET}", "--title", "A note of ours")["id"]
    left_behind(program.folder / STORES[store])
    words = ["forget", id, "--yes"] if command == "forget" else [command]
    assert program("--store", store, *words).status == 0
    folder = program.folder / store.partition(":")[2]
    assert [path.name for path in folder.rglob("*.tmp")] == []
    if command == "forget":
        everything = [path for path in program.folder.rglob("*") if path.is_file()]
        assert [path for path in everything if b"heliotrope" in path.read_bytes()] == []


@pytest.mark.parametrize("store", STORES)
def test_nothing_but_the_systems_own_files_is_left(store: str, tmp_path: Path) -> None:
    """Nothing but locks and temporary files is ever added to another system's folder, and no temporary one stays."""
    folder = tmp_path / store.partition(":")[2]
    folder.mkdir(parents=True)
    with tenure.open(store, tmp_path) as ws:
        id = ws.add("A fresh memory of ours").id
        ws.edit(id, title="Another title")
        ws.retire(id, reason="done")
        ws.restore(id)
    hidden = [path.name for path in folder.rglob("*") if path.name.startswith(".") or path.suffix == ".tmp"]
    assert hidden == []
