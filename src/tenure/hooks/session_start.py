"""The beginning of a session, and again after compaction: what is canonical, what is due, within a small budget.

Runs once per session, so it may use the whole workspace.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tenure.hooks.host import Event
    from tenure.workspace import Workspace

MOST_MEMORIES = 12
MOST_CHARACTERS = 3500
MOST_DUE = 3


def answer(event: Event) -> str:
    """Return what every session should know; nothing when nothing has earned that."""
    from tenure.spool import journal

    leftovers()
    line = {"event": "start", "folder": event.folder, "source": event.text("source")}
    if event.transcript:
        line["transcript"] = event.transcript
    if event.session:
        journal.add(event.host, event.session, line)
    from tenure.hooks import place

    database, _, _ = place.database(event.folder)
    if not os.path.exists(database):
        return ""
    from tenure import workspace

    with workspace.open(folder=event.folder) as ws:
        if not ws.trusted:
            return untrusted(ws)
        block, ids = greeting(ws, event)
    if ids and event.session:
        journal.add(event.host, event.session, {"event": "shown", "shown": ids})
    return block


def greeting(ws: Workspace, event: Event) -> tuple[str, list[str]]:
    """Return the block for a new session and the ids in it."""
    shown = ws.greet(limit=MOST_MEMORIES, budget_chars=MOST_CHARACTERS, run=event.session, agent=event.host)
    return shown.block, [item["id"] for item in shown.memories]


def untrusted(ws: Workspace) -> str:
    """Say, as a fact and without any of its text, that the project brought memories along."""
    count = sum(number for (phase, _, _), number in ws.store.counts().items() if phase == "live")
    if not count:
        return ""
    return (
        f"This project contains {count} memories that did not come from this user and are not shown. "
        "The user can look at them with `tenure list` and allow them with `tenure trust`."
    )


def leftovers() -> None:
    """Start the worker when an earlier session left something to learn from."""
    from tenure.hooks import session_end
    from tenure.spool import journal, pending

    if pending.ready(journal.folder()):
        session_end.start_worker()
