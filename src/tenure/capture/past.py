"""The sessions agents have kept of a project: where each agent puts them, and which belong to this project."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from tenure.capture.hosts import opencode_database
from tenure.capture.transcripts import capped_lines
from tenure.model.errors import BadRequest

# Agent -> (variable that moves its folder, folder below the home, pattern of its transcripts).
PLACES = {
    "claude-code": ("CLAUDE_CONFIG_DIR", ".claude", "projects/*/*.jsonl"),
    "codex": ("CODEX_HOME", ".codex", "sessions/*/*/*/rollout-*.jsonl"),
    "gemini": ("", ".gemini", "tmp/*/chats/session-*.jsonl"),
    "copilot": ("COPILOT_HOME", ".copilot", "session-state/*/events.jsonl"),
    "qwen": ("QWEN_HOME", ".qwen", "projects/*/chats/*.jsonl"),
}
AGENTS = (*PLACES, "opencode")
# Transcripts of subagents, which nobody spoke in.
SUBAGENTS = "agent-"
# The project's folder stands in one of a transcript's first lines.
FIRST_LINES = 20
_CWD = re.compile(rb'"(?:cwd|workingDirectory|gitRoot|projectRoot)"\s*:\s*"((?:[^"\\]|\\.){1,4096})"')


class Session(NamedTuple):
    """One session of the past."""

    id: str
    path: str
    at: float


def sessions(agent: str, project: Path, since: datetime, rows: Iterable[tuple[Any, Any, Any]] = ()) -> list[Session]:
    """Return the sessions an agent had in a project since a time, oldest first; `rows` are those of OpenCode."""
    if agent == "opencode":
        found = list(_opencode(project, since, rows))
    elif agent in PLACES:
        found = list(_files(agent, project, since))
    else:
        raise BadRequest(f"{agent[:60]!r} keeps no sessions Tenure can read.", hint=f"One of: {', '.join(AGENTS)}.")
    return sorted(found, key=lambda session: (session.at, session.id))


def _files(agent: str, project: Path, since: datetime) -> Iterator[Session]:
    variable, below, pattern = PLACES[agent]
    root = Path(os.environ.get(variable, "") or Path.home() / below) if variable else Path.home() / below
    for path in root.glob(pattern):
        try:
            at = path.stat().st_mtime
        except OSError:
            continue
        if path.name.startswith(SUBAGENTS) or path.is_symlink():
            continue
        if at >= since.timestamp() and _belongs(path, agent, project):
            yield Session(_id(path, agent), str(path), at)


def _id(path: Path, agent: str) -> str:
    """Return the session's id as the agent's hooks name it, so that one session counts once however it comes in."""
    if agent == "copilot":
        return path.parent.name
    if agent == "codex":
        return path.stem[-36:]
    return path.stem.removeprefix("session-")


def _belongs(path: Path, agent: str, project: Path) -> bool:
    root = os.path.realpath(project)
    if agent == "gemini":
        import hashlib

        return path.parents[1].name in (hashlib.sha256(root.encode()).hexdigest(), project.name.lower())
    for number, line in enumerate(capped_lines(path)):
        for match in _CWD.finditer(line[:200_000]):
            folder = os.path.realpath(_text(match[1]))
            return folder == root or folder.startswith(root + os.sep)
        if number >= FIRST_LINES:
            break
    return False


def _text(data: bytes) -> str:
    try:
        found: Any = json.loads(b'"' + data + b'"')
    except ValueError:
        return ""
    return found if isinstance(found, str) and "\0" not in found else ""


def _opencode(project: Path, since: datetime, rows: Iterable[tuple[Any, Any, Any]]) -> Iterator[Session]:
    root = os.path.realpath(project)
    for id, folder, at in rows:
        seconds = at / 1000 if isinstance(at, int | float) else 0.0
        here = isinstance(folder, str) and (os.path.realpath(folder) + os.sep).startswith(root + os.sep)
        if here and seconds >= since.timestamp():
            yield Session(str(id), opencode_database(), seconds)
