"""Proof, repair and erasure of a project in a team's database (`api.Health`)."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime

from tenure.model import clock
from tenure.model.memory import Memory, Verdict
from tenure.model.policy import Policy
from tenure.store.api import Doing, Result
from tenure.store.postgres import activity, changes, checking, queries
from tenure.store.postgres.connection import explained, explains
from tenure.store.postgres.handle import Handle
from tenure.store.sqlite.changes import decided

PENDING = "erasure_pending"


class PostgresHealth:
    """The health of one project."""

    __slots__ = ("_store", "place")

    def __init__(self, store: Handle) -> None:
        self._store, self.place = store, store.place

    def check(self, policy: Policy, progress: Callable[[int, int], None] | None = None) -> Iterator[tuple[str, str]]:
        """Return (where, what is wrong) for everything that does not hold."""
        return checking.problems(self._store, policy, progress)

    def rebuild(self, judge: Callable[[Memory], Verdict]) -> int:
        """Make everything anew that follows from the rows."""
        with self._store.transaction():
            known = self._store.rows("ORDER BY n", ())
            altered = checking.altered_vectors(self._store)
            self._store.connection.execute(queries.DROP_VECTORS, (self._store.project, altered))
            related = changes.related_words(self._store, [row.number for row in known])
            changes.refresh(
                self._store,
                [(row.number, row.version, row.memory, judge(row.memory), related.get(row.number)) for row in known],
            )
        return len(known)

    def needs_rebuild(self) -> bool:
        """Tell that nothing waits: migrations leave the index whole."""
        return False

    def rejudge(self, judge: Callable[[Memory], Verdict]) -> int:
        """Store anew the verdicts that a changed policy or version made stale; return how many were."""
        with self._store.transaction():
            judged = [(row, judge(row.memory)) for row in self._store.rows("ORDER BY n", ())]
            placed = {n: tuple(rest) for n, *rest in self._store.all(queries.PLACES_IN_QUEUE, (self._store.project,))}
            stale = [
                (row, fresh)
                for row, fresh in judged
                if (fresh.eligible, fresh.weight, fresh.line) != (row.eligible, row.weight, row.line)
            ]
            moved = [
                (row, fresh)
                for row, fresh in judged
                if fresh.queued is not None and decided(fresh.queued) != placed.get(row.number)
            ]
            changed = list({row.number: (row, fresh) for row, fresh in (*stale, *moved)}.values())
            related = changes.related_words(self._store, [row.number for row, _ in changed])
            changes.refresh(
                self._store,
                [(row.number, row.version, row.memory, fresh, related.get(row.number)) for row, fresh in changed],
            )
            return len(stale)

    def erase(self, id: str, marks: Sequence[bytes], now: datetime) -> None:
        """Blank what ledger and injections still say of a memory; leave marks by which its texts are refused."""
        with self._store.transaction():
            activity.erase(self._store, id)
            self._store.connection.execute(queries.ERASE, (id, list(marks), clock.stamp(now)))

    def finish_erasing(self) -> bool:
        """Let the database overwrite what it still holds of erased rows; return False inside a change."""
        if not self.is_erasing():
            return True
        if self._store.is_writing:
            return False
        with explained(self.place):
            # Old versions of rows are the database's own matter: its vacuum frees them when no reader needs them.
            self._store.connection.execute(queries.DROP_SETTING, (self._store.project, PENDING))
        return True

    @explains
    def is_erasing(self) -> bool:
        """Tell whether erased words wait to be overwritten."""
        return self._store.value(queries.SETTING, (self._store.project, PENDING)) is not None

    @explains
    def head(self) -> tuple[int, str]:
        """Return the number and the chain value of the last ledger entry; (0, "") before the first."""
        found = self._store.one(queries.LAST_ENTRY, (self._store.project,))
        return (int(found[0]), str(found[1]).upper()) if found else (0, "")

    @explains
    def proof_of(self, entry: int) -> str:
        """Return the chain value of a ledger entry, empty when there is none of that number."""
        return str(self._store.value(queries.CHAIN_OF, (self._store.project, entry)) or "").upper()

    @explains
    def forgotten_marks(self) -> list[tuple[str, str]]:
        """Return the marks of forgotten texts, each with the id of its memory."""
        return [(str(mark), str(id)) for mark, id in self._store.all(queries.ALL_MARKS, (self._store.project,))]

    def also_forget(self, marks: Sequence[bytes]) -> None:
        """Refuse texts with these marks too, as long as the store is open."""
        self._store.also_forgotten = frozenset(marks)

    @contextlib.contextmanager
    def despite_a_full_disk(self) -> Iterator[Doing]:
        """Hand out a function that does something; the disk is the server's, and so is the reserve."""

        def do(action: Callable[[], Result]) -> Result:
            return action()

        yield do
