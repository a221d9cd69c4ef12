"""Proof, repair and erasure of a SQLite store (`api.Health`)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from datetime import datetime

from tenure.model import clock
from tenure.model.memory import Memory, Verdict
from tenure.model.policy import Policy
from tenure.store.api import Doing
from tenure.store.sqlite import changes, checking, erasure, flipped_bits, reserve
from tenure.store.sqlite.connection import explained, explains, holding
from tenure.store.sqlite.injections import PENDING
from tenure.store.sqlite.lazy_connection import Handle


class SqliteHealth:
    """The health of one store."""

    __slots__ = ("_store", "path")

    def __init__(self, store: Handle) -> None:
        self._store, self.path = store, store.path

    def check(self, policy: Policy, progress: Callable[[int, int], None] | None = None) -> Iterator[tuple[str, str]]:
        """Return (where, what is wrong) for everything that does not hold."""
        return checking.problems(self._store, policy, progress)

    def rebuild(self, judge: Callable[[Memory], Verdict]) -> int:
        """Make everything anew that follows from the rows, then the file, without space nothing is stored in."""
        with self._store.transaction():
            known = self._store.rows("ORDER BY n", ())
            changes.rebuild(self._store.connection, known, self._counting(judge))
        flipped_bits.write_anew(self._store)
        return len(known)

    @explains
    def needs_rebuild(self) -> bool:
        """Tell whether a migration left the index to be made anew."""
        return bool(self._store.connection.execute("SELECT 1 FROM meta WHERE key = 'index_due'").get)

    def rejudge(self, judge: Callable[[Memory], Verdict]) -> int:
        """Store anew the verdicts that a changed policy or version made stale; return how many were."""
        with self._store.transaction():
            return changes.refresh_verdicts(self._store.connection, self._store.rows("", ()), self._counting(judge))

    def _counting(self, judge: Callable[[Memory], Verdict]) -> Callable[[Memory], Verdict]:
        return lambda memory: self._store.judged(memory.id, judge(memory))

    def erase(self, id: str, marks: Sequence[bytes], now: datetime) -> None:
        """Blank what ledger and injections still say of a memory; leave marks by which its texts are refused."""
        with self._store.transaction():
            erasure.erase_traces(self._store.connection, id)
            self._store.connection.executemany(
                "INSERT OR IGNORE INTO tombstone VALUES (?, ?, ?)", [(mark, id, clock.stamp(now)) for mark in marks]
            )

    def finish_erasing(self) -> bool:
        """Rewrite what still holds erased words; return False while a reader keeps an old view alive."""
        if not self.is_erasing():
            return True
        if self._store.is_writing:
            return False
        with explained(self.path), holding(self.path, self._store.connection):
            return erasure.finish(self._store.connection, self.path)

    @explains
    def is_erasing(self) -> bool:
        """Tell whether erased words wait to be rewritten."""
        return bool(self._store.connection.execute("SELECT 1 FROM meta WHERE key = ?", (PENDING,)).get)

    @explains
    def head(self) -> tuple[int, str]:
        """Return the number and the chain value of the last ledger entry; (0, "") before the first."""
        last = "SELECT seq, hex(chain) FROM ledger ORDER BY seq DESC LIMIT 1"
        found = self._store.connection.execute(last).fetchone()
        return (int(found[0]), str(found[1])) if found else (0, "")

    @explains
    def proof_of(self, entry: int) -> str:
        """Return the chain value of a ledger entry, empty when there is none of that number."""
        return str(self._store.connection.execute("SELECT hex(chain) FROM ledger WHERE seq = ?", (entry,)).get or "")

    @explains
    def forgotten_marks(self) -> list[tuple[str, str]]:
        """Return the marks of forgotten texts, each with the id of its memory."""
        found = self._store.connection.execute("SELECT lower(hex(mark)), memory_id FROM tombstone ORDER BY mark")
        return [(str(mark), str(id)) for mark, id in found]

    def also_forget(self, marks: Sequence[bytes]) -> None:
        """Refuse texts with these marks too, as long as the store is open."""
        self._store.also_forgotten = frozenset(marks)

    def despite_a_full_disk(self) -> AbstractContextManager[Doing]:
        """Hand out a function that does something, giving up the reserve for it when the disk is full."""
        return reserve.at_hand(self._store)
