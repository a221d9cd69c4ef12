"""Verdicts that stand in the ledger without proof that a person was there.

Our own commands write none: such an entry was put there by somebody who wrote the file themselves. Entries from before
actors were kept say nothing of presence, and are told by their place: they come before every entry that does.
"""

from __future__ import annotations

import contextlib

from tenure.model.actor import Presence
from tenure.model.errors import StoreDamaged
from tenure.model.events import WHO, EventType, Recorded
from tenure.systems.api import System
from tenure.usecases.project import Project

VERDICTS = frozenset({
    EventType.REVIEWED, EventType.KEPT, EventType.REINSTATED, EventType.WEAKENED, EventType.REJECTED,
    EventType.FORGOTTEN, EventType.JUDGED,
})  # fmt: skip
ERASING = (EventType.FORGOTTEN, EventType.PURGED)
# `status` looks at the newest so many entries, `check` at all.
NEWEST = PAGE = 2000


def unproved(project: Project, system: System, newest: int | None = None) -> list[Recorded]:
    """Return the entries that decide what only a person may, without one; none where agents are the judges."""
    if system.agents_judge or not project.store.exists:
        return []
    entries: list[Recorded] = []
    # A ledger that cannot be read is named by the check of its chain.
    with contextlib.suppress(StoreDamaged):
        while page := project.store.overview.entries(PAGE, before=entries[-1].seq if entries else None):
            entries += page
            if newest is not None and len(entries) >= newest:
                break
    # Erasing a memory blanks its entries; who forgot it stands in the last one.
    erased = {entry.event.memory_id for entry in entries if entry.event.type in ERASING}
    entries = [entry for entry in entries if entry.event.type in ERASING or entry.event.memory_id not in erased]
    told = [entry.seq for entry in entries if WHO in entry.event.detail]
    first = min(told, default=0)
    return sorted((entry for entry in entries if first and _is_unproved(entry, first)), key=lambda entry: entry.seq)


def said(entry: Recorded) -> str:
    """Return what is wrong with an entry, in words."""
    return f"{entry.event.type} of {entry.event.memory_id} without proof that a person was there"


def _is_unproved(entry: Recorded, first: int) -> bool:
    event = entry.event
    decides = event.type in VERDICTS or "approvals" in event.set or "approvals" in event.add
    if not decides or entry.seq < first:
        return False
    who = event.detail.get(WHO)
    presence = who.get("presence", Presence.NONE) if isinstance(who, dict) else Presence.NONE
    return presence == Presence.NONE
