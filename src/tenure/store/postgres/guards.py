"""What came of guards at tool calls (`api.GuardFires`)."""

from __future__ import annotations

from tenure.store.postgres import queries
from tenure.store.postgres.connection import explains
from tenure.store.postgres.handle import Handle
from tenure.store.records import GuardFire
from tenure.store.sqlite import FIRE_COLUMNS, chain


class PostgresGuardFires:
    """The fires of one project's guards."""

    __slots__ = ("_store", "place")

    def __init__(self, store: Handle) -> None:
        self._store, self.place = store, store.place

    @explains
    def fires(self, *, memory: str = "", since: str = "") -> list[GuardFire]:
        """Return fires and allowances in the order they came."""
        wanted = [(clause, value) for clause, value in (("memory = %s", memory), ("at >= %s", since)) if value]
        where = " ".join(f"AND {clause}" for clause, _ in wanted)
        found = self._store.all(queries.FIRES.format(where), (self._store.project, *(value for _, value in wanted)))
        return [GuardFire(n, *columns) for n, *columns, hash in found if chain.row_hash(*columns) == hash]

    def note(self, fire: GuardFire) -> None:
        """Write down what came of a guard at a call, or what a person allows."""
        columns = [getattr(fire, name) for name in FIRE_COLUMNS]
        with self._store.transaction():
            values = (self._store.project, *columns, chain.row_hash(*columns))
            self._store.connection.execute(queries.NOTE_FIRE, values)

    def judge(self, number: int, verdict: str) -> None:
        """Write down what a person says of a fire."""
        with self._store.transaction():
            row = self._store.one(queries.FIRE, (self._store.project, number))
            if row is not None:
                columns = (*row[:-1], verdict)
                values = (verdict, chain.row_hash(*columns), self._store.project, number)
                self._store.connection.execute(queries.JUDGE_FIRE, values)
