"""`tenure capture --agent`: sessions an agent has kept teach as much as those of today, and count once."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from tests.program import Program

RULE = "No, use tabs instead of spaces in the Makefile."


def claude(home: Path, folder: Path, session: str) -> Path:
    path = home / ".claude" / "projects" / "slug" / f"{session}.jsonl"
    record = {"type": "user", "uuid": session, "cwd": str(folder), "message": {"content": RULE}}
    return _written(path, record)


def codex(home: Path, folder: Path, session: str) -> Path:
    path = home / ".codex" / "sessions" / "2026" / "01" / "02" / f"rollout-2026-01-02T00-00-00-{session}.jsonl"
    said = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": RULE}]}
    return _written(
        path,
        {"type": "session_meta", "payload": {"id": session, "cwd": str(folder)}},
        {"type": "response_item", "payload": said},
    )


def _written(path: Path, *records: dict[str, Any]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


@pytest.mark.parametrize(("agent", "write"), [("claude-code", claude), ("codex", codex)])
def test_kept_sessions_of_this_project_are_learned_from_once(agent: str, write: Any, program: Program) -> None:
    """Issue 8: learns from existing history at a cost of nothing; another project's sessions stay out."""
    home = program.home.parent
    ids = [f"0000000{n}-0000-0000-0000-000000000000" for n in range(4)]
    write(home, program.folder, ids[0])
    write(home, program.folder / "below", ids[1])
    write(home, program.folder.parent / "project2", ids[2])
    old = write(home, program.folder, ids[3])
    os.utime(old, (0, 0))
    dry = program.ok("capture", "--agent", agent, "--since", "30d", "--dry-run")
    assert dry["sessions"] == 2 and program.ok("list")["memories"] == []
    first = program.ok("capture", "--agent", agent, "--since", "30d")
    assert [decision["action"] for decision in first["decisions"]] == ["create", "update"]
    assert [item["state"] for item in program.ok("list")["memories"]] == ["provisional"]
    again = program.ok("capture", "--agent", agent, "--since", "30d")
    assert {decision["action"] for decision in again["decisions"]} == {"noop"}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--agent", "nobody"], "keeps no sessions"),
        (["--agent", "codex", "--since", "ever"], "is not an age"),
        ([], "Name files"),
        (["x.jsonl", "--agent", "codex"], "Name files"),
    ],
)
def test_a_request_that_makes_no_sense_says_so(words: list[str], said: str, program: Program) -> None:
    """Errors say what was expected."""
    done = program("--json", "capture", *words)
    assert done.status == 2 and said in done.error["message"]


@pytest.mark.parametrize("agent", ["claude-code", "codex", "gemini", "copilot", "opencode"])
def test_an_agent_that_was_never_used_has_nothing(agent: str, program: Program) -> None:
    """No folder is no error."""
    assert program.ok("capture", "--agent", agent)["sessions"] == 0
