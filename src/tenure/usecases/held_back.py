"""Holds memories back from agents that come through the workspace: MCP, and `inject` for a named run.

Hooks do the same by themselves. A client does not tell its MCP server which session it is in; the hooks' journals
name the sessions in progress in this project. Where there are several, what is held back in any of them is shown to
none.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import msgspec

from tenure.model import clock
from tenure.model.errors import StoreUnusable
from tenure.recall import LIMITS_KEY, holdout
from tenure.spool import journal
from tenure.store.records import Exposed
from tenure.usecases.project import Project

# Of so many journals, the latest, the sessions are looked at.
MOST_JOURNALS = 8


def held_back(project: Project) -> frozenset[str]:
    """Return the ids that no agent of this project may be shown now; none while nothing is measured."""
    if not _settings(project):
        return frozenset()
    ids = set()
    for session, _ in _sessions(project):
        exposures = project.store.effects.exposures(session=session)
        ids |= {one.memory for one in exposures if not one.shown}
    return frozenset(ids)


def tossed(project: Project, run: str, ids: Sequence[str]) -> frozenset[str]:
    """Return which of the memories that would be shown now are held back, and write down their exposures.

    `run` names the session where the caller knows it; an agent's is the only one that goes on here.
    """
    settings = _settings(project)
    if not settings or not ids:
        return frozenset()
    going_on = [(run, project.surface)] if run else _sessions(project) if project.agent else []
    if len(going_on) != 1:
        return held_back(project) & frozenset(ids)
    ((session, host),) = going_on
    secret, block_arm, known = project.store.effects.known(session, ids)
    memories = [holdout.Known(*facts) for facts in known]
    surface = project.agent or "inject"
    found = holdout.toss(settings, secret, session, memories, surface=surface, block_arm=block_arm)
    at = clock.stamp(project.now())
    exposures = [
        Exposed(session=session, memory=id, at=at, shown=shown, share=share, surface=where, host=host, kind=kind)
        for id, shown, share, where, kind in found.exposures
    ]
    try:
        project.store.effects.expose(exposures)
    except StoreUnusable:
        # Without a note nothing is learned from holding back.
        return frozenset()
    return frozenset(found.held)


def _settings(project: Project) -> dict[str, Any] | None:
    if not project.store.exists or not project.store.setting("effect"):
        return None
    limits = msgspec.json.decode(project.store.setting(LIMITS_KEY) or "{}")
    found = limits.get("effect") if isinstance(limits, dict) else None
    return found if isinstance(found, dict) else None


def _sessions(project: Project) -> list[tuple[str, str]]:
    """Return (session, host) of the sessions that go on in this project."""
    root = os.path.realpath(project.place.project)
    try:
        paths = [
            os.path.join(journal.folder(), name) for name in os.listdir(journal.folder()) if name.endswith(".jsonl")
        ]
        paths.sort(key=lambda path: -os.path.getmtime(path))
    except OSError:
        return []
    found = []
    for path in paths[:MOST_JOURNALS]:
        facts: dict[str, str] = {}
        ended = False
        for line in journal.lines(path):
            facts |= {key: value for key, value in line.items() if isinstance(value, str) and value}
            ended = line.get("event") == "end"
        folder = os.path.realpath(facts.get("folder", ""))
        if facts.get("session") and not ended and (folder == root or folder.startswith(root + os.sep)):
            found.append((facts["session"], facts.get("host", "")))
    return found
