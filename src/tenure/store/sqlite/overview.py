"""Long lists a page at a time, and counts by week (`api.Overview`): for surfaces that show a whole store.

A page begins where the last one ended, by key and not by counting, so the thousandth costs what the first did. Counts
are made by SQLite; no memory is decoded that is not shown.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from tenure.model import clock
from tenure.model.events import Recorded
from tenure.store.records import ReviewQueue, Row
from tenure.store.sqlite import changes, ledger
from tenure.store.sqlite.connection import explains
from tenure.store.sqlite.lazy_connection import Handle

# Order -> (the columns, and how a row that comes after another compares with it).
_SORTS = {
    "newest": ("n DESC", "n < (SELECT n FROM memory WHERE id = ?)"),
    "oldest": ("n", "n > (SELECT n FROM memory WHERE id = ?)"),
    "weight": ("weight DESC, n", "(-weight, n) > (SELECT -weight, n FROM memory WHERE id = ?)"),
    "id": ("id", "id > ?"),
}
_MONDAY = "date(at, 'weekday 0', '-6 days')"


class SqliteOverview:
    """Lists and counts of one store."""

    __slots__ = ("_store", "path")

    def __init__(self, store: Handle) -> None:
        self._store, self.path = store, store.path

    @explains
    def memories(
        self,
        limit: int,
        *,
        phases: Sequence[str] = (),
        state: str = "",
        kind: str = "",
        scope: str = "",
        file: str = "",
        text: str = "",
        conflicting: bool = False,
        guarded: bool = False,
        sort: str = "newest",
        after: str = "",
    ) -> list[Row]:
        """Return a page of memories."""
        clauses: list[str] = ["1"]
        values: list[Any] = []
        for clause, value in (
            ("state = ?", state),
            ("kind = ?", kind),
            # What is a default is not written into the record.
            ("ifnull(record ->> 'scope', 'project') = ?", scope),
            ("instr(lower(record ->> 'text'), ?)", text.lower()),
        ):
            if value:
                clauses.append(clause)
                values.append(value)
        if phases:
            clauses.append(f"phase IN ({','.join('?' * len(phases))})")
            values += phases
        if file and (names := changes.file_names([file])):
            clauses.append(f"n IN (SELECT memory FROM memory_file WHERE name IN ({','.join('?' * len(names))}))")
            values += names
        if conflicting:
            clauses.append("record ->> 'conflicts' IS NOT NULL")
        if guarded:
            clauses.append("record ->> 'guard' IS NOT NULL")
        order, later = _SORTS[sort]
        if after:
            clauses.append(later)
            values.append(after)
        return self._store.rows(f"WHERE {' AND '.join(clauses)} ORDER BY {order} LIMIT {int(limit)}", values)

    @explains
    def queue(self, now: datetime, rules: int) -> ReviewQueue | None:
        """Return what waits in order, read as far as one goes: places were given when memories were written."""
        execute = self._store.connection.execute
        if execute("SELECT 1 FROM queue WHERE rules != ? LIMIT 1", (rules,)).get:
            return None
        waits, values = "FROM queue WHERE contested = 0 AND place > '' AND since < ?", (clock.stamp(now),)
        found = execute(f"SELECT free, said, place, memory {waits} ORDER BY free, said, place", values)
        return ReviewQueue(
            total=int(execute(f"SELECT count(*) {waits}", values).get),
            in_order=(((int(free), int(said), str(place)), int(number)) for free, said, place, number in found),
            contested=self._store.rows("WHERE n IN (SELECT memory FROM queue WHERE contested = 1) ORDER BY n", ()),
        )

    @explains
    def waiting(self, now: datetime, successes: Mapping[str, int]) -> list[Row]:
        """Return every memory somebody may have to decide on; the live ones among them are found without decoding."""
        used = "ifnull(record ->> '$.signals.successful_reuses', 0)"
        clauses = ["phase IN ('pending', 'held')", "due_at < ?", "record ->> 'conflicts' IS NOT NULL"]
        values: list[Any] = [clock.stamp(now)]
        for state, number in successes.items():
            clauses.append(f"(state = ? AND {used} >= ?)")
            values += [state, number]
        return self._store.rows(f"WHERE phase != 'gone' AND ({' OR '.join(clauses)}) ORDER BY n", values)

    @explains
    def entries(
        self, limit: int, *, before: int | None = None, type: str = "", id: str = "", actor: str = ""
    ) -> list[Recorded]:
        """Return a page of the ledger, newest first."""
        wanted = [("seq < ?", before), ("type = ?", type), ("memory_id = ?", id), ("actor = ?", actor)]
        clauses = [clause for clause, value in wanted if value not in ("", None)]
        values = [value for _, value in wanted if value not in ("", None)]
        return ledger.page(self._store.connection, " AND ".join(clauses) or "1", values, limit)

    @explains
    def count_due(self, now: datetime) -> int:
        """Return how many live memories are past their review date."""
        due = "SELECT count(*) FROM memory WHERE phase = 'live' AND due_at < ?"
        return int(self._store.connection.execute(due, (clock.stamp(now),)).get)

    @explains
    def weekly(self, since: datetime) -> list[tuple[str, str, str, str, int]]:
        """Return how many events of each type there were in each week, with the change of phase they made."""
        set, before = (f"ifnull(payload ->> '$.event.{name}.phase', '')" for name in ("set", "before"))
        found = self._store.connection.execute(
            f"SELECT {_MONDAY}, type, {before}, {set}, count(*) FROM ledger WHERE at >= ? GROUP BY 1, 2, 3, 4",
            (clock.stamp(since),),
        )
        return [(str(week), str(type), str(was), str(now), int(count)) for week, type, was, now, count in found]

    @explains
    def unverified_days(self, now: datetime) -> dict[int, int]:
        """Return how many live memories were last verified up to 1, 2, 4, … days ago."""
        age = "julianday(?) - julianday(record ->> 'verified_at')"
        found = self._store.connection.execute(
            f"SELECT 1 << CAST(ceil(log2(max(1, {age}))) AS INTEGER), count(*) FROM memory WHERE phase = 'live'"
            " AND record ->> 'verified_at' IS NOT NULL GROUP BY 1 ORDER BY 1",
            (clock.stamp(now),),
        )
        return {int(days): int(count) for days, count in found}
