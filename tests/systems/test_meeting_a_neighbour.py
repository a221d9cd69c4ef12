"""A neighbour that edits a memory's file in the moment after we wrote it: the edit is picked up, never overwritten."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import tenure
from tenure.systems.claude_memory import folder as claude_memory
from tenure.systems.geas import folder as geas

THEIRS = "Words that a neighbour wrote"


@pytest.mark.parametrize(
    ("store", "folder"), [("geas:.geas", geas.GeasFolder), ("claude-memory:m", claude_memory.RecordFolder)]
)
def test_an_edit_right_after_ours_is_picked_up(
    store: str, folder: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R16: the mark we remember is that of what we wrote, not of what lies there when we look again."""
    (tmp_path / store.partition(":")[2]).mkdir()
    with tenure.open(store, tmp_path) as workspace:
        id = workspace.add("Keep the first words", title="A note of ours").id
        commit: Callable[..., Any] = folder.commit

        def met(self: Any, *arguments: Any) -> Any:
            done = commit(self, *arguments)
            files = [path for path in tmp_path.rglob("*.json") if b"Second words" in path.read_bytes()]
            for file in files:
                file.write_bytes(file.read_bytes().replace(b"Second words", THEIRS.encode()))
            return done

        monkeypatch.setattr(folder, "commit", met)
        workspace.edit(id, text="Second words of ours")
        monkeypatch.setattr(folder, "commit", commit)
    with tenure.open(store, tmp_path) as workspace:
        assert THEIRS in workspace.get(id).text, "it was taken for ours"
        workspace.edit(id, title="Another title")
    assert any(THEIRS.encode() in path.read_bytes() for path in tmp_path.rglob("*.json"))
