"""Transcripts as Claude Code writes them, for tests."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from tenure.capture.transcripts import Turn


def turns(messages: Iterable[tuple[str, str]]) -> list[Turn]:
    """Return messages as the reader of transcripts would, injected text taken out."""
    from tenure.capture.transcripts import turn_of

    found = (turn_of({"type": role, "message": {"content": text}}) for role, text in messages)
    return [turn for turn in found if turn]


def write(path: Path, messages: Iterable[tuple[str, str]], *, session: str = "s-1", tools: int = 0) -> Path:
    """Write a transcript with these messages and so many tool calls."""
    records: list[dict[str, Any]] = [{"type": "queue-operation", "sessionId": session}]
    for role, text in messages:
        records.append({"type": role, "message": {"role": role, "content": text}})
    for number in range(tools):
        call: dict[str, Any] = {
            "type": "tool_use",
            "id": str(number),
            "name": ("Bash", "Read", "Edit", "Grep")[number % 4],
            "input": {},
        }
        records.append({"type": "assistant", "message": {"role": "assistant", "content": [call]}})
    about = {"sessionId": session, "cwd": "/project", "timestamp": "2026-11-15T10:00:00Z"}
    lines = [json.dumps({**about, "uuid": f"{session}-{n}", **record}) for n, record in enumerate(records)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path
