"""Verdicts in the ledger without proof that a person was present.

Our own commands write none: such an entry was written by somebody who edited the file themselves, or came from an
unattended home that this store does not know. Entries from before actors were kept say nothing about presence and are
recognised by their place: they precede every entry that does.
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence

from tenure.model.actor import Actor, Kind, Presence, read
from tenure.model.errors import StoreDamaged
from tenure.model.events import BY_EARLIER, BY_QUOTE, PROVED_BY, WHO, Event, EventType, Recorded
from tenure.systems.api import System
from tenure.usecases import project_trust
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
    # Erasing a memory blanks its entries; the last one says who forgot it.
    entries = [entry for entry in entries if entry.event.type in ERASING or not entry.erased]
    judge = _Judge(project, entries)
    return sorted(filter(judge.finds, entries), key=lambda entry: entry.seq)


def in_words(entry: Recorded) -> str:
    """Return what is wrong with an entry, in words."""
    found = f"{entry.event.type} of {entry.event.memory_id} without proof that a person was there"
    unknown = _who(entry).presence is Presence.UNATTENDED
    return f"{found}: it came from an unattended home that this store does not know" if unknown else found


class _Judge:
    """Tells which entries of a ledger need a person and have none."""

    def __init__(self, project: Project, entries: Sequence[Recorded]) -> None:
        self.by_number = {entry.seq: entry for entry in entries}
        told = [entry.seq for entry in entries if WHO in entry.event.detail]
        self.first = min(told, default=0)
        # Where the database authenticates, it does not matter from which home somebody comes.
        self.homes: tuple[str, ...] = ()
        if not project.store.team and (made := project_trust.unattended_homes(project.store)):
            self.homes = (*made, *project_trust.let_in_homes(project.store))
        self.quote = project.store.setting

    def finds(self, entry: Recorded) -> bool:
        """Tell whether an entry decides what only a person may, without one."""
        if not self.first or entry.seq < self.first or self._is_proved(entry):
            return False
        return self._decides(entry)

    def _is_proved(self, entry: Recorded) -> bool:
        who = _who(entry)
        if who.presence is Presence.UNATTENDED:
            return not self.homes or who.home in self.homes
        if entry.event.detail.get(PROVED_BY) == BY_QUOTE:
            return bool(self.quote(f"quote:{entry.event.memory_id}"))
        if entry.event.detail.get(PROVED_BY) == BY_EARLIER:
            return entry.event.type == EventType.FORGOTTEN and who.kind is not Kind.AGENT
        return who.presence is not Presence.NONE

    def _decides(self, entry: Recorded) -> bool:
        event, who = entry.event, _who(entry)
        if event.type in VERDICTS or _agrees(event):
            return True
        if event.type == EventType.GUARDED:
            # Agents may propose a guard.
            return "on" in (_guard_state(event.set.get("guard")), _guard_state(event.before.get("guard")))
        if who.kind is not Kind.AGENT:
            return False
        if event.type == EventType.UNDONE:
            undone = self.by_number.get(event.detail.get("undoes", 0))
            return undone is not None and (_who(undone).present or self._decides(undone))
        # What the rules promote has nobody's name.
        return event.type == EventType.PURGED or (event.type == EventType.PROMOTED and bool(event.actor))


def _who(entry: Recorded) -> Actor:
    return read(entry.event.detail.get(WHO)) or Actor()


def _agrees(event: Event) -> bool:
    # New words take all agreement away, and that is no verdict. What it says was there before is its own claim.
    return "approvals" in event.add or bool(event.set.get("approvals"))


def _guard_state(guard: object) -> str:
    return str(guard.get("state", "")) if isinstance(guard, dict) else ""
