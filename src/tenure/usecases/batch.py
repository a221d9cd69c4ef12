"""One command's changes: read, decided and written together.

Events are recorded here, folded at once so that later rules see their effect, and committed as one changeset with
the versions that were read.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

import msgspec

from tenure.model import clock
from tenure.model.actor import Actor
from tenure.model.events import VIA, WHO, Event, Life, Revision
from tenure.model.evolve import as_recorded, evolve
from tenure.model.memory import Change, Memory
from tenure.model.policy import Policy
from tenure.rules import protect
from tenure.rules.promote import promotion
from tenure.rules.stored_verdict import verdict
from tenure.text.words import one_line

if TYPE_CHECKING:
    from tenure.store.api import Store

# What a memory's own history tells of, and how long an entry may be (claude-memory: 300 characters).
_IN_OWN_HISTORY = ("state", "title", "text", "content", "tags", "files", "confidence")
SUMMARY_CHARS = 300


class Batch:
    """Collects what one command does to memories. Make it inside `store.writing()`."""

    def __init__(self, store: Store, policy: Policy, now: datetime, *, actor: Actor, via: str = "") -> None:
        self.store, self.policy, self.now = store, policy, now
        # Who acts, and the surface an agent came through; the latter is empty for a command of the person's own.
        self.actor, self.via = actor, via
        self.number: int | None = None
        # The id that the next new memory was promised.
        self.promised_id = ""
        # Whether what is captured was read from an agent's session.
        self.of_session = False
        self._versions: dict[str, int] = {}
        self._after: dict[str, Memory | None] = {}
        self._events: dict[str, list[Event]] = {}

    @property
    def reviewed(self) -> bool:
        """Whether somebody else must agree before a memory is used: several share the store, and the role is no judge.

        What a person says waits there too, and numbers alone raise nothing.
        """
        team = self.store.team
        return team is not None and (team.approvals > 0 or not team.judges)

    def get(self, id: str) -> Memory | None:
        """Return a memory as this batch has left it."""
        if id in self._after:
            return self._after[id]
        row = self.store.get(id)
        if row is None:
            return None
        self._versions[id] = row.version
        return row.memory

    def version(self, id: str) -> int:
        """Return the version this batch saw first."""
        return self._versions.get(id, 0)

    def record(self, memory: Memory | None, events: Iterable[Event], *, version: int | None = None) -> Memory | None:
        """Apply events to a memory and return what it becomes; `version` is the one the caller saw."""
        for event in events:
            id = event.memory_id
            if id not in self._events:
                if version is not None:
                    self._versions[id] = version
                elif id not in self._versions:
                    row = self.store.get(id) if memory is not None else None
                    self._versions[id] = row.version if row else 0
            detail = {**event.detail, WHO: msgspec.to_builtins(self.actor), **({VIA: self.via} if self.via else {})}
            event = msgspec.structs.replace(event, detail=detail)
            event = self._with_history_entry(memory, _reguarded(memory, event))
            memory = evolve(memory, event)
            self._events.setdefault(id, []).append(event)
            self._after[id] = memory
        return memory

    def _with_history_entry(self, memory: Memory | None, event: Event) -> Event:
        """Return the event with an entry for the memory's own history, where the policy keeps one there."""
        named = [name for name in (*event.set, *event.add) if name in _IN_OWN_HISTORY]
        if not self.policy.write.history_in_memory or memory is None or not named or "changes" in event.set:
            return event
        name = "state" if "state" in named else named[0]
        entry = Change(
            date=clock.stamp(event.at),
            summary=one_line(f"{event.type}: {event.reason}" if event.reason else event.type, SUMMARY_CHARS),
            field=name,
            old_value=_shown(name, event.before.get(name)),
            new_value=_shown(name, event.set.get(name, event.add.get(name))),
        )
        before = msgspec.to_builtins(memory.changes)
        after = protect.kept_changes([*before, msgspec.to_builtins(entry)], self.policy)
        return msgspec.structs.replace(
            event, set={**event.set, "changes": after}, before={**event.before, "changes": before}
        )

    def settle(self, memory: Memory) -> Memory:
        """Promote the memory when it has earned it and the policy promotes at once."""
        if self.policy.promotion.at_once and not self.reviewed and (event := promotion(memory, self.policy, self.now)):
            return self.record(memory, [event]) or memory
        return memory

    def add(self, revisions: Sequence[Revision]) -> None:
        """Write whole histories that were decided elsewhere, as part of this batch."""
        self.write()
        if revisions:
            self.number = self._commit(revisions)

    def admit(self, lives: Sequence[Life]) -> None:
        """Write memories that come with their history as part of this batch."""
        self.write()
        if lives:
            verdicts = [verdict(life.memory, self.policy) for life in lives]
            self.number = self.store.commit(lives, verdicts, batch=self.number)

    def write(self) -> int | None:
        """Commit what was recorded so far; later records of the same batch are undone together with it."""
        if not self._events:
            return self.number
        revisions = [
            Revision(
                memory_id=id,
                events=tuple(events),
                after=self._after[id],
                expected_version=self._versions.get(id, 0),
            )
            for id, events in self._events.items()
        ]
        self.number = self._commit(revisions)
        for revision in revisions:
            self._versions[revision.memory_id] = revision.expected_version + len(revision.events)
        self._events.clear()
        self._after.clear()
        return self.number

    def _commit(self, revisions: Sequence[Revision]) -> int:
        verdicts = [verdict(r.after, self.policy) if r.after else None for r in revisions]
        return self.store.commit(revisions, verdicts, batch=self.number)


def _reguarded(memory: Memory | None, event: Event) -> Event:
    """Return the event with what becomes of the memory's guard, where it changes what the memory says."""
    if memory is None or memory.guard is None:
        return event
    from tenure.guards import reworded  # start-up: few memories guard anything

    along = reworded.set_along(memory, event.set)
    before = {"guard": as_recorded(memory.guard)} if along else {}
    return msgspec.structs.replace(event, set={**event.set, **along}, before={**event.before, **before})


def _shown(name: str, value: Any) -> Any:
    return value / 100 if name == "confidence" and isinstance(value, int) else value
