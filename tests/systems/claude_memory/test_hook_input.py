"""What an event of the client says: where the project is, and which files a call writes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tenure.systems.claude_memory import guard, hook_input


def test_a_session_that_moved_below_its_project_belongs_to_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The client tells where it was started; a folder with a memory of its own is a project of its own."""
    below = tmp_path / "packages" / "web"
    below.mkdir(parents=True)
    assert hook_input.project({"cwd": str(below)}) == str(below)
    monkeypatch.setenv("CLAUDE_PROJECT_DIR", str(tmp_path))
    assert hook_input.project({"cwd": str(below)}) == str(tmp_path)
    assert hook_input.project({"cwd": "/elsewhere"}) == "/elsewhere"
    (below / ".claude" / "memory").mkdir(parents=True)
    assert hook_input.project({"cwd": str(below)}) == str(below)


@pytest.mark.parametrize(
    ("call", "paths"),
    [
        ({"file_path": "a.json"}, ["/project/a.json"]),
        ({"file_path": "/tmp/a.json", "notebook_path": "b.ipynb"}, ["/tmp/a.json", "/project/b.ipynb"]),
        ({"file_path": ""}, []),
        ({"file_path": 5}, []),
        ({"file_path": "a\0b"}, []),
        ([], []),
    ],
)
def test_a_call_writes_the_files_it_names_from_where_the_session_is(call: Any, paths: list[str]) -> None:
    """Specification 1.11: any tool that names a file, whatever it is called, but not one that reads."""
    message = {"cwd": "/project", "tool_name": "Write", "tool_input": call}
    assert guard.written_paths(message) == paths
    assert guard.written_paths({**message, "tool_name": "Read"}) == []
