"""Long lists a page at a time, and counts by week (`api.Overview`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from tenure.model import clock
from tenure.model.events import Recorded
from tenure.store.postgres import ledger, queries
from tenure.store.postgres.connection import explains
from tenure.store.postgres.handle import Handle
from tenure.store.records import ReviewQueue, Row
from tenure.store.sqlite.changes import file_names

_AFTER = "(SELECT {} FROM tenure.memory AS a WHERE a.project = %s AND a.id = %s)"
# Order -> (the columns, and how a row that comes after another compares with it).
_SORTS = {
    "newest": ("n DESC", f"n < {_AFTER.format('a.n')}"),
    "oldest": ("n", f"n > {_AFTER.format('a.n')}"),
    "weight": ("weight DESC, n", f"(-weight, n) > {_AFTER.format('-a.weight, a.n')}"),
    "id": ("id", f"id > {_AFTER.format('a.id')}"),
}


class PostgresOverview:
    """Lists and counts of one project."""

    __slots__ = ("_store", "place")

    def __init__(self, store: Handle) -> None:
        self._store, self.place = store, store.place

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
        clauses: list[str] = []
        values: list[Any] = []
        for clause, value in (
            ("state = %s", state),
            ("kind = %s", kind),
            # What is a default is not written into the record.
            ("coalesce(record::jsonb ->> 'scope', 'project') = %s", scope),
            ("strpos(lower(record::jsonb ->> 'text'), %s) > 0", text.lower()),
            ("phase = ANY (%s)", list(phases)),
        ):
            if value:
                clauses.append(clause)
                values.append(value)
        if file and (names := file_names([file])):
            clauses.append(queries.ABOUT_FILES)
            values += [self._store.project, names]
        if conflicting:
            clauses.append("record::jsonb -> 'conflicts' IS NOT NULL")
        if guarded:
            clauses.append("record::jsonb -> 'guard' IS NOT NULL")
        order, later = _SORTS[sort]
        if after:
            clauses.append(later)
            values += [self._store.project, after]
        where = " ".join(f"AND {clause}" for clause in clauses)
        return self._store.rows(f"{where} ORDER BY {order} LIMIT %s", [*values, limit])

    @explains
    def queue(self, now: datetime, rules: int) -> ReviewQueue | None:
        """Return what waits in order: places were given when memories were written."""
        project = self._store.project
        if self._store.value(queries.PLACED_BY_OTHERS, (project, rules)) is not None:
            return None
        values = (project, clock.stamp(now))
        found = self._store.all(queries.QUEUE, values)
        return ReviewQueue(
            total=int(self._store.value(queries.QUEUE_TOTAL, values) or 0),
            in_order=(((int(free), int(said), str(place)), int(number)) for free, said, place, number in found),
            contested=self._store.rows("AND contested = 1 ORDER BY n", ()),
        )

    @explains
    def waiting(self, now: datetime, successes: Mapping[str, int]) -> list[Row]:
        """Return every memory somebody may have to decide on."""
        clauses = ["phase IN ('pending', 'held')", "due_at < %s", "record::jsonb -> 'conflicts' IS NOT NULL"]
        values: list[Any] = [clock.stamp(now)]
        for state, number in successes.items():
            used = "coalesce((record::jsonb #>> '{signals,successful_reuses}')::int, 0)"
            clauses.append(f"(state = %s AND {used} >= %s)")
            values += [state, number]
        where = f"AND phase <> 'gone' AND ({' OR '.join(clauses)}) ORDER BY n"
        return self._store.rows(where, values)

    @explains
    def entries(
        self, limit: int, *, before: int | None = None, type: str = "", id: str = "", actor: str = ""
    ) -> list[Recorded]:
        """Return a page of the ledger, newest first."""
        wanted = [("seq < %s", before), ("type = %s", type), ("memory_id = %s", id), ("actor = %s", actor)]
        wanted = [(clause, value) for clause, value in wanted if value not in ("", None)]
        where = " ".join(f"AND {clause}" for clause, _ in wanted)
        return ledger.page(self._store, where, [value for _, value in wanted], limit)

    @explains
    def count_due(self, now: datetime) -> int:
        """Return how many live memories are past their review date."""
        return int(self._store.value(queries.COUNT_DUE, (self._store.project, clock.stamp(now))))

    @explains
    def weekly(self, since: datetime) -> list[tuple[str, str, str, str, int]]:
        """Return how many events of each type there were in each week, with the change of phase they made."""
        found = self._store.all(queries.WEEKLY, (self._store.project, clock.stamp(since)))
        return [(str(week), str(type), str(was), str(now), int(count)) for week, type, was, now, count in found]

    @explains
    def unverified_days(self, now: datetime) -> dict[int, int]:
        """Return how many live memories were last verified up to 1, 2, 4, … days ago."""
        found = self._store.all(queries.UNVERIFIED, (clock.stamp(now), self._store.project))
        return {int(days): int(count) for days, count in found}
