"""The calls agents made in this project, from the sessions they have kept; read once, for the dry run and the audit."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from pathlib import Path

from tenure.capture import kept_sessions, session_formats, sessions
from tenure.capture.reproach import is_reproach
from tenure.capture.session_builder import Session
from tenure.capture.transcripts import Turn
from tenure.guards.calls import OTHER, RUN, call_of
from tenure.guards.replay import PastCall
from tenure.hosts import catalog
from tenure.model.errors import BadRequest
from tenure.store import opencode
from tenure.text.command_line import kept_words, proves


def of_project(project: Path, since: datetime) -> list[Session]:
    """Return every session that any agent has kept of a project since a time, oldest first."""
    found: list[tuple[float, Session]] = []
    for agent in [*(name for name, host in catalog.HOSTS.items() if host.sessions), "opencode"]:
        rows = opencode.sessions(session_formats.opencode_database()) if agent == "opencode" else ()
        with contextlib.suppress(BadRequest, OSError):
            for kept in kept_sessions.sessions(agent, project, since, rows):
                parts = opencode.parts(kept.path, kept.id) if agent == "opencode" else ()
                found += [(kept.at, one) for one in sessions.read(kept.path, agent, parts)]
    return [session for _, session in sorted(found, key=lambda each: each[0])]


def in_files(paths: Sequence[Path]) -> list[Session]:
    """Return the sessions in files and folders that somebody names."""
    files = [file for path in paths for file in (sorted(path.rglob("*")) if path.is_dir() else [path])]
    return [session for file in files if file.is_file() for session in sessions.read(file)]


def calls(kept: Iterable[Session]) -> Iterator[PastCall]:
    """Yield the calls of sessions in order, each with what came of it."""
    for session in kept:
        turns = session.turns
        for number, turn in enumerate(turns):
            said = next(
                (later.text for later in turns[number + 1 :] if later.role == "user" and later.text.strip()), ""
            )
            rejected = bool(turn.calls) and is_reproach(said)
            last = not any(later.calls for later in _until_person(turns, number))
            for made in turn.calls:
                call = call_of(made.tool, made.input, turn.cwd or session.cwd)
                if call.kind == OTHER or not (call.command or call.paths):
                    continue
                tests = call.kind == RUN and proves(kept_words(call.command))
                # What the person rejects is the last thing that was done.
                yield PastCall(
                    call, session.id, session.host, made.at, made.ok, made.interrupted, rejected and last, tests
                )


def _until_person(turns: Sequence[Turn], number: int) -> list[Turn]:
    found = []
    for turn in turns[number + 1 :]:
        if turn.role == "user" and turn.text.strip():
            break
        found.append(turn)
    return found
