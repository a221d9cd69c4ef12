"""Runs, and what was shown to agents in them (`api.Activity`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import msgspec

from tenure.model import clock
from tenure.store.postgres import queries
from tenure.store.postgres.connection import explains
from tenure.store.postgres.handle import Handle
from tenure.store.records import Injected, Note, ShownIds
from tenure.store.sqlite import chain
from tenure.store.sqlite.injections import FIELDS, NOTHING, bare, injected


class PostgresActivity:
    """Runs and injections of one project."""

    __slots__ = ("_store", "place")

    def __init__(self, store: Handle) -> None:
        self._store, self.place = store, store.place

    def record_run(self, run: str, now: datetime) -> int:
        """Count a run once and return how many runs there are now."""
        with self._store.transaction():
            values = {"project": self._store.project, "run": run, "at": clock.stamp(now)}
            self._store.connection.execute(queries.RECORD_RUN, values)
            return self._store.runs()

    def record(
        self, now: datetime, notes: Sequence[Note | Mapping[str, Any]], *, run: str, task: str, agent: str, query: str
    ) -> None:
        """Remember what was shown to whom."""
        columns = (clock.stamp(now), run, task, agent, query, msgspec.json.encode(notes).decode())
        with self._store.transaction():
            named = dict(zip((*FIELDS, "memories"), columns, strict=True))
            values = {**named, "project": self._store.project, "hash": chain.row_hash(*columns)}
            self._store.connection.execute(queries.RECORD_INJECTION, values)

    @explains
    def shown(
        self, limit: int | None = None, *, id: str = "", run: str = "", task: str = "", agent: str = ""
    ) -> list[ShownIds]:
        """Return the newest injections first: all, or those of a memory, a run, a task or an agent."""
        clauses, values = [f"AND memories <> '{NOTHING}'"], []
        for name, value in (("run", run), ("task", task), ("agent", agent)):
            if value:
                clauses.append(f"AND {name} = %s")
                values.append(value)
        if id:
            clauses.append(queries.HOLDS_NOTE)
            values.append(id)
        rows = self._store.all(queries.INJECTIONS.format(" ".join(clauses)), (self._store.project, *values, limit))
        return [
            ShownIds(
                number=n,
                **dict(zip(FIELDS, facts, strict=True)),
                ids=tuple(str(note["id"]) for note in msgspec.json.decode(notes) if isinstance(note, dict)),
            )
            for n, *facts, notes in rows
        ]

    @explains
    def injection(self, number: int | None) -> Injected | None:
        """Return one injection with its notes, the newest without a number; None when there is none."""
        which, value = ("n = %s", number) if number is not None else ("memories <> %s", NOTHING)
        row = self._store.one(queries.INJECTION.format(which), (self._store.project, value))
        return injected(row) if row else None

    def reword(self, number: int, *, query: str, task: str) -> None:
        """Replace what an injection was asked for; the words before are overwritten as those of the forgotten are."""
        with self._store.transaction():
            which = queries.INJECTION.format("n = %s")
            for _, at, run, _, agent, _, notes, _ in self._store.all(which, (self._store.project, number)):
                hash = chain.row_hash(at, run, task, agent, query, notes)
                self._store.connection.execute(queries.REWORD, (query, task, hash, self._store.project, number))


def erase(store: Handle, memory_id: str) -> None:
    """Blank the queries a memory was shown for, and what its notes could tell about its words."""
    rows = store.all(queries.INJECTIONS.format(queries.HOLDS_NOTE), (store.project, memory_id, None))
    for n, at, run, task, agent, _, notes in rows:
        columns = (at, run, task, agent, "", bare(notes, memory_id))
        values = (columns[-1], chain.row_hash(*columns), store.project, n)
        store.connection.execute(queries.BLANK_INJECTION, values)
