"""Guards as hooks look for them, and what came of them at calls (`api.GuardFires`).

Hooks write fires too (`hook_reader`), so columns and hash are the same in both. A memory that is forgotten takes its
fires with it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import apsw

from tenure.guards import match
from tenure.model import clock
from tenure.model.guard import matcher
from tenure.model.memory import Memory
from tenure.store.records import GuardFire
from tenure.store.sqlite import FIRE_COLUMNS, NEEDLES_BETWEEN, chain
from tenure.store.sqlite.connection import explains
from tenure.store.sqlite.lazy_connection import Handle

# An end that no date reaches, for a guard without one.
_NEVER = "9999-12-31T00:00:00Z"
_FIRE = ", ".join(FIRE_COLUMNS)


def rows(number: int, memory: Memory) -> list[tuple[int, str, str, str]]:
    """Return where hooks find a memory's guard; nowhere unless it is switched on and the memory is live."""
    guard = memory.guard
    if guard is None or guard.state != "on" or memory.phase != "live":
        return []
    wanted = matcher(guard)
    needles = NEEDLES_BETWEEN.join(match.needles(wanted))
    until = clock.stamp(guard.until) if guard.until else _NEVER
    return [(number, kind, needles, until) for kind in match.kinds(wanted)]


def index(connection: apsw.Connection, memories: Sequence[tuple[int, Memory]]) -> None:
    """Let hooks find the guards of memories that were just written."""
    found = [row for number, memory in memories for row in rows(number, memory)]
    if found:
        connection.executemany("INSERT OR REPLACE INTO guard VALUES (?, ?, ?, ?)", found)


class SqliteGuardFires:
    """The fires of one store's guards."""

    __slots__ = ("_store", "path")

    def __init__(self, store: Handle) -> None:
        self._store, self.path = store, store.path

    @explains
    def fires(self, *, memory: str = "", since: str = "") -> list[GuardFire]:
        """Return fires and allowances in the order they came."""
        wanted = [(clause, value) for clause, value in (("memory = ?", memory), ("at >= ?", since)) if value]
        where = " AND ".join(clause for clause, _ in wanted) or "1"
        found = self._store.connection.execute(
            f"SELECT n, {_FIRE}, hash FROM guard_fire WHERE {where} ORDER BY n", [value for _, value in wanted]
        )
        # A row that somebody altered proves nothing; `tenure check` names it.
        return [GuardFire(n, *columns) for n, *columns, hash in found if chain.row_hash(*columns) == hash]

    def note(self, fire: GuardFire) -> None:
        """Write down what came of a guard at a call, or what a person allows."""
        columns = [getattr(fire, name) for name in FIRE_COLUMNS]
        marks = ", ".join("?" * (len(columns) + 1))
        with self._store.transaction():
            self._store.connection.execute(
                f"INSERT INTO guard_fire ({_FIRE}, hash) VALUES ({marks})", (*columns, chain.row_hash(*columns))
            )

    def judge(self, number: int, verdict: str) -> None:
        """Write down what a person says of a fire."""
        with self._store.transaction():
            row = self._store.connection.execute(f"SELECT {_FIRE} FROM guard_fire WHERE n = ?", (number,)).fetchone()
            if row is not None:
                columns = (*row[:-1], verdict)
                self._store.connection.execute(
                    "UPDATE guard_fire SET verdict = ?, hash = ? WHERE n = ?",
                    (verdict, chain.row_hash(*columns), number),
                )


def erase(connection: apsw.Connection, memory_id: str) -> None:
    """Remove the fires of a memory: no path of something forgotten stays."""
    connection.execute("DELETE FROM guard_fire WHERE memory = ?", (memory_id,))


def altered(connection: apsw.Connection) -> Iterator[str]:
    """Return where a fire is not as Tenure wrote it."""
    for n, *row, hash in connection.execute(f"SELECT n, {_FIRE}, hash FROM guard_fire"):
        if chain.row_hash(*row) != hash:
            yield f"guard_fire {n}"
