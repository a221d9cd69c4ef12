"""The sessions agents have kept: where each agent stores them, and which of them belong to this project."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from tenure.capture.session_formats import opencode_database
from tenure.capture.transcripts import capped_lines
from tenure.hosts import catalog
from tenure.hosts.api import Host, Sessions, folder
from tenure.model.errors import BadRequest

# Transcripts of subagents, which nobody spoke in.
SUBAGENTS = "agent-"
# The project's folder stands in one of a transcript's first lines.
FIRST_LINES = 20
_CWD = re.compile(rb'"(?:cwd|workingDirectory|gitRoot|projectRoot)"\s*:\s*"((?:[^"\\]|\\.){1,4096})"')


class PastSession(NamedTuple):
    """One session of the past."""

    id: str
    path: str
    at: float


def sessions(
    agent: str, project: Path, since: datetime, rows: Iterable[tuple[Any, Any, Any]] = ()
) -> list[PastSession]:
    """Return the sessions an agent had in a project since a time, oldest first; `rows` are those of OpenCode."""
    if agent == "opencode":
        found = list(_opencode(project, since, rows))
    elif (host := catalog.HOSTS.get(agent)) and host.sessions:
        found = list(_files(host, host.sessions, project, since))
    else:
        known = [*(host.name for host in catalog.HOSTS.values() if host.sessions), "opencode"]
        raise BadRequest(f"{agent[:60]!r} keeps no sessions Tenure can read.", hint=f"One of: {', '.join(known)}.")
    return sorted(found, key=lambda session: (session.at, session.id))


def _files(host: Host, kept: Sessions, project: Path, since: datetime) -> Iterator[PastSession]:
    for path in folder(host).glob(kept.pattern):
        try:
            at = path.stat().st_mtime
        except OSError:
            continue
        if path.name.startswith(SUBAGENTS) or path.is_symlink():
            continue
        if at >= since.timestamp() and (kept.belongs or _belongs)(path, project):
            yield PastSession(kept.id(path), str(path), at)


def _belongs(path: Path, project: Path) -> bool:
    root = os.path.realpath(project)
    for number, line in enumerate(capped_lines(path)):
        for match in _CWD.finditer(line[:200_000]):
            inside = os.path.realpath(_text(match[1]))
            return inside == root or inside.startswith(root + os.sep)
        if number >= FIRST_LINES:
            break
    return False


def _text(data: bytes) -> str:
    try:
        found: Any = json.loads(b'"' + data + b'"')
    except ValueError:
        return ""
    return found if isinstance(found, str) and "\0" not in found else ""


def _opencode(project: Path, since: datetime, rows: Iterable[tuple[Any, Any, Any]]) -> Iterator[PastSession]:
    root = os.path.realpath(project)
    for id, where, at in rows:
        seconds = at / 1000 if isinstance(at, int | float) else 0.0
        here = isinstance(where, str) and (os.path.realpath(where) + os.sep).startswith(root + os.sep)
        if here and seconds >= since.timestamp():
            yield PastSession(str(id), opencode_database(), seconds)
