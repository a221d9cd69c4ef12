"""Vectors beside the memories: kept as long as a text stands (`api.Vectors`)."""

from __future__ import annotations

from collections.abc import Sequence

from tenure.model import clock
from tenure.model.memory import Queued, Verdict
from tenure.store.postgres import changes, queries
from tenure.store.postgres.connection import explains
from tenure.store.postgres.handle import Handle
from tenure.store.records import Among, Codes, Row
from tenure.store.sqlite import chain
from tenure.store.sqlite.vectors import ENCODER


class PostgresVectors:
    """The vectors of one project."""

    __slots__ = ("_store", "place")

    def __init__(self, store: Handle) -> None:
        self._store, self.place = store, store.place

    @explains
    def encoder(self) -> str:
        """Return what made the vectors, empty when there are none."""
        return str(self._store.value(queries.SETTING, (self._store.project, ENCODER)) or "")

    @explains
    def codes(self, among: Among = "all") -> Codes:
        """Return the vectors of memories."""
        rows = self._store.all(queries.VECTORS.format(queries.VECTORS_AMONG[among]), (self._store.project,))
        return Codes([n for n, _ in rows], b"".join(code for _, code in rows), [len(code) for _, code in rows])

    @explains
    def some(self, numbers: Sequence[int]) -> list[tuple[int, bytes]]:
        """Return (number, vector) of those of the memories that have one."""
        return [(n, code) for n, code in self._store.all(queries.SOME_VECTORS, (self._store.project, list(numbers)))]

    @explains
    def missing(self, encoder: str, limit: int, after: int = 0) -> list[Row]:
        """Return memories above a number that this encoder has not seen; vectors of another one are dropped."""
        if self.encoder() != encoder:
            with self._store.transaction():
                self._belong_to(encoder)
        return self._store.rows(queries.MISSING, (after, limit))

    @explains
    def count_missing(self, encoder: str) -> int:
        """Return how many memories this encoder has not seen."""
        query = queries.COUNT_MISSING if self.encoder() == encoder else queries.COUNT_PRESENT
        return int(self._store.value(query, (self._store.project,)) or 0)

    def keep(
        self,
        encoder: str,
        rows: Sequence[Row],
        codes: Sequence[bytes],
        related: Sequence[str],
    ) -> None:
        """Store vectors and related words, in one transaction with the index, for texts that are still the same."""
        with self._store.transaction():
            self._belong_to(encoder)
            numbers = [row.number for row in rows]
            now = {row.number: row for row in self._store.rows("AND n = ANY (%s)", (numbers,))}
            same = [
                (row.number, code, said)
                for row, code, said in zip(rows, codes, related, strict=True)
                if row.number in now and now[row.number].memory.text == row.memory.text
            ]
            project = self._store.project
            self._store.many(queries.KEEP_VECTOR, [(project, *one, chain.row_hash(*one)) for one in same])
            changes.refresh(
                self._store,
                [(n, now[n].version, now[n].memory, _kept(self._store, now[n]), said) for n, _, said in same],
            )

    def _belong_to(self, encoder: str) -> None:
        """Start anew when another encoder made the vectors."""
        if self.encoder() != encoder:
            self._store.connection.execute(queries.DROP_ALL_VECTORS, (self._store.project,))
            self._store.connection.execute(queries.KEEP_SETTING, (self._store.project, ENCODER, encoder))


def _kept(store: Handle, row: Row) -> Verdict:
    """Return the verdict a row was stored with."""
    due_at, fingerprint, *queued = store.one(queries.VERDICT_OF, (store.project, row.number))
    return Verdict(
        eligible=row.eligible,
        weight=row.weight,
        line=row.line,
        due_at=clock.parse(due_at) if due_at else None,
        fingerprint=fingerprint,
        queued=None if queued[0] is None else Queued(bool(queued[0]), bool(queued[1]), *queued[2:]),
    )
