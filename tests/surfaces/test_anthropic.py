"""Anthropic's memory tool: the same commands give the same words as the SDK's own tool on files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("anthropic")
from anthropic.lib.tools import ToolError
from anthropic.tools.memory import BetaLocalFilesystemMemoryTool

from tenure import workspace
from tenure.surfaces.anthropic import MemoryTool

A = "/memories/a.md"
STORY: list[dict[str, Any]] = [
    {"command": "create", "path": A, "file_text": "one\ntwo\nthree\nfour\nfive\n"},
    {"command": "create", "path": A, "file_text": "again"},
    {"command": "view", "path": A},
    {"command": "view", "path": A, "view_range": [2, 3]},
    {"command": "view", "path": A, "view_range": [4, -1]},
    {"command": "str_replace", "path": A, "old_str": "three", "new_str": "3"},
    {"command": "str_replace", "path": A, "old_str": "missing", "new_str": "x"},
    {"command": "str_replace", "path": A, "old_str": "o", "new_str": "x"},
    {"command": "str_replace", "path": "/memories/none.md", "old_str": "o", "new_str": "x"},
    {"command": "insert", "path": A, "insert_line": 0, "insert_text": "zero\n"},
    {"command": "insert", "path": A, "insert_line": 99, "insert_text": "x"},
    {"command": "insert", "path": "/memories/none.md", "insert_line": 0, "insert_text": "x"},
    {"command": "view", "path": A},
    {"command": "create", "path": "/memories/deep/b.md", "file_text": "one\ntwo\nthree\nfour\nfive\n"},
    {"command": "create", "path": "/memories/empty.md", "file_text": ""},
    {"command": "view", "path": "/memories/empty.md"},
    {"command": "rename", "old_path": A, "new_path": "/memories/deep/b.md"},
    {"command": "rename", "old_path": "/memories/none.md", "new_path": "/memories/x.md"},
    {"command": "rename", "old_path": "/memories", "new_path": "/memories/x"},
    {"command": "rename", "old_path": A, "new_path": "/memories/c.md"},
    {"command": "view", "path": "/memories/c.md"},
    {"command": "view", "path": A},
    {"command": "delete", "path": "/memories/deep"},
    {"command": "view", "path": "/memories/deep/b.md"},
    {"command": "delete", "path": "/memories/none.md"},
    {"command": "delete", "path": "/memories"},
    {"command": "create", "path": "/memories/deep/b.md", "file_text": "one\ntwo\nthree\nfour\nfive\n"},
    {"command": "view", "path": "/elsewhere"},
    {"command": "create", "path": "/memories/../x.md", "file_text": "x"},
]


def said(tool: Any, command: dict[str, Any]) -> str:
    try:
        return str(tool.call(command))
    except ToolError as error:
        return f"Error: {error}"


def test_a_story_reads_as_with_the_sdks_own_tool(tmp_path: Path) -> None:
    """Facts 6: the six commands, exact strings."""
    reference = BetaLocalFilesystemMemoryTool(str(tmp_path / "reference"))
    ours = MemoryTool(f"sqlite:{tmp_path / 'memory.db'}")
    for command in STORY:
        assert said(ours, command) == said(reference, command), command
    with workspace.open(f"sqlite:{tmp_path / 'memory.db'}") as ws:
        assert ws.check() == []


def test_a_folder_lists_its_files(tmp_path: Path) -> None:
    """Two levels deep, sizes first, folders end in a slash, hidden items left out."""
    tool = MemoryTool(f"sqlite:{tmp_path / 'memory.db'}")
    for path in ("a.md", "d/b.md", "d/e/f/g.md", ".hidden"):
        tool.call({"command": "create", "path": f"/memories/{path}", "file_text": "x" * 1536})
    assert tool.call({"command": "view", "path": "/memories"}) == (
        "Here're the files and directories up to 2 levels deep in /memories, excluding hidden items:\n"
        "6K\t/memories\n1.5K\t/memories/a.md\n3K\t/memories/d/\n1.5K\t/memories/d/b.md\n1.5K\t/memories/d/e/"
    )


@pytest.mark.parametrize(
    "path",
    ["/memoriesX", "/memoriesX/a", "/memories/../a", "/memories/a/../../b", "/memories/%2e%2e/a", "/memories/a\\b",
     "/memories/a\nb", "/memories/\u202ex", "memories/a", "", "/", "/memories/" + "x" * 600],
)  # fmt: skip
def test_a_path_outside_is_refused(path: str, tmp_path: Path) -> None:
    """Issue 8: stricter paths than the reference, whose prefix test accepts /memoriesX."""
    tool = MemoryTool(f"sqlite:{tmp_path / 'memory.db'}")
    with pytest.raises(ToolError):
        tool.call({"command": "create", "path": path, "file_text": "x"})


def test_a_deleted_file_can_come_back(tmp_path: Path) -> None:
    """Decision 9: never destroy."""
    store = f"sqlite:{tmp_path / 'memory.db'}"
    tool = MemoryTool(store)
    tool.call({"command": "create", "path": A, "file_text": "keep me"})
    tool.call({"command": "delete", "path": A})
    with workspace.open(store) as ws:
        ws.undo(ws.history(ws.memories(all=True)[0].id)[-1].seq)
    assert "keep me" in str(tool.call({"command": "view", "path": A}))
    assert tool.clear_all_memory() == "All memory cleared"


def test_a_secret_is_not_kept(tmp_path: Path) -> None:
    """Decision 14: secrets are redacted on every way in."""
    tool = MemoryTool(f"sqlite:{tmp_path / 'memory.db'}")
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    tool.call({"command": "create", "path": A, "file_text": f"token {secret}"})
    assert secret not in str(tool.call({"command": "view", "path": A}))


def test_a_path_is_redacted_before_it_is_normalised(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """S8: dropping the empty part of `postgres://user:password@host` hid the password from the redaction."""
    monkeypatch.chdir(tmp_path)
    tool = MemoryTool()
    for path in (
        "/memories/postgres://app:Sw0rdfish99@db/notes.md",
        "/memories/ghp_A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8.md",
    ):
        tool.call({"command": "create", "path": path, "file_text": "connect here"})
        assert "connect here" in str(tool.call({"command": "view", "path": path}))
    stored = b"".join(path.read_bytes() for path in (tmp_path / ".tenure").glob("memory.db*"))
    assert b"Sw0rdfish99" not in stored and b"A1b2C3d4E5f6" not in stored
    listed = str(tool.call({"command": "view", "path": "/memories"}))
    assert "[redacted:" in listed and "Sw0rdfish99" not in listed
