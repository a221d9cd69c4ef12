"""What came into use as the user's word while there was no terminal.

A person's scripts, scheduled jobs and git hooks write memories, and so can a process that left its agent; nobody can
tell them apart. So it counts, and is reported until a person keeps or drops it.
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence

from tenure.model.actor import Actor, Kind, read
from tenure.model.errors import StoreDamaged
from tenure.model.events import WHO, Recorded
from tenure.usecases.project import Project

PAGE = 2000
# What an entry changes when other words come into use.
_WORDS = ("title", "text", "content")


def without_terminal(project: Project, entries: Sequence[Recorded]) -> list[str]:
    """Return the memories in use that nobody at a terminal wrote, newest first; so are the ledger's `entries`."""
    # In another system's folder its own programs write as well, and everything written is in use.
    if not project.place.native:
        return []
    settled: set[str] = set()
    found: dict[str, None] = {}
    for entry in entries:
        id, who = entry.event.memory_id, who_of(entry)
        if id in settled or id in found:
            continue
        if who.present or (who.kind is Kind.PERSON and not who.detached and comes_into_use(entry)):
            settled.add(id)
        elif who.kind is Kind.PERSON and who.detached and comes_into_use(entry):
            found[id] = None
    return [id for id in found if (row := project.store.get(id)) is not None and row.memory.phase == "live"]


def newest_first(project: Project, newest: int | None) -> list[Recorded]:
    """Return what the ledger says, newest first; `newest` bounds how far is looked."""
    entries: list[Recorded] = []
    if not project.store.exists:
        return entries
    # A ledger that cannot be read is named by the check of its chain.
    with contextlib.suppress(StoreDamaged):
        while page := project.store.overview.entries(PAGE, before=entries[-1].seq if entries else None):
            entries += page
            if newest is not None and len(entries) >= newest:
                break
    return [entry for entry in entries if not entry.erased]


def comes_into_use(entry: Recorded) -> bool:
    """Tell whether an entry lets a memory, or other words of it, be used."""
    return entry.event.set.get("phase") == "live" or any(name in entry.event.set for name in _WORDS)


def who_of(entry: Recorded) -> Actor:
    """Return who made an entry; nobody in particular for one from before actors were kept."""
    return read(entry.event.detail.get(WHO)) or Actor()
