"""One command's changes: read, decided and written together.

Events are recorded here, folded at once so that later rules see their effect, and committed as one changeset with
the versions that were read.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from tenure.events import Event, Revision
from tenure.evolve import evolve
from tenure.lifecycle.promote import promotion
from tenure.lifecycle.verdict import verdict
from tenure.memory import Memory
from tenure.policy import Policy
from tenure.store.sqlite import SqliteStore

if TYPE_CHECKING:
    from tenure.workspace.customs import Customs


class Batch:
    """Collects what one command does to memories. Make it inside `store.writing()`."""

    def __init__(self, store: SqliteStore, policy: Policy, now: datetime, customs: Customs) -> None:
        self.store, self.policy, self.now, self.customs = store, policy, now, customs
        self.number: int | None = None
        self._versions: dict[str, int] = {}
        self._after: dict[str, Memory | None] = {}
        self._events: dict[str, list[Event]] = {}

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
            memory = evolve(memory, event)
            self._events.setdefault(id, []).append(event)
            self._after[id] = memory
        return memory

    def settle(self, memory: Memory) -> Memory:
        """Promote the memory when it has earned it and the policy promotes at once."""
        if self.policy.promotion.at_once and (event := promotion(memory, self.policy, self.now)):
            return self.record(memory, [event]) or memory
        return memory

    def add(self, revisions: Sequence[Revision]) -> None:
        """Write whole histories that were decided elsewhere, as part of this batch."""
        self.write()
        if revisions:
            self.number = self._commit(revisions)

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
