"""Vectors beside the memories: kept as long as a text stands, gone in the transaction that changes it.

The store does not know what made them; the encoder's name stands in `meta`, and another name empties the table.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from weakref import WeakKeyDictionary

import apsw

from tenure.model.kinds import indexed
from tenure.store.records import Among, Codes, Row
from tenure.store.sqlite import AMONG, chain, fulltext
from tenure.store.sqlite.connection import explains
from tenure.store.sqlite.lazy_connection import Handle

ENCODER = "encoder"
# Counts what changes vectors, or whose they are, without an entry in the ledger.
_CHANGED = "vectors_changed"


def delete_changed(connection: apsw.Connection, changes: Iterable[tuple[int, int | None]]) -> None:
    """Take out the vectors of (row number, new fingerprint) whose text changes, or which go."""
    connection.executemany(
        "DELETE FROM vector WHERE memory = ?1 AND (SELECT fingerprint FROM memory WHERE n = ?1) IS NOT ?2", changes
    )


def belong_to(connection: apsw.Connection, encoder: str) -> None:
    """Start anew when another encoder made the vectors."""
    if connection.execute("SELECT value FROM meta WHERE key = ?", (ENCODER,)).get != encoder:
        connection.execute("DELETE FROM vector")
        connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (ENCODER, encoder))
        note_change(connection)


def note_change(connection: apsw.Connection) -> None:
    """Let every process read the vectors again that has read them."""
    connection.execute("INSERT INTO meta VALUES (?, 1) ON CONFLICT (key) DO UPDATE SET value = value + 1", (_CHANGED,))


_MISSING = "FROM memory WHERE phase != 'gone' AND n NOT IN (SELECT memory FROM vector)"


def missing(connection: apsw.Connection, limit: int, after: int) -> list[int]:
    """Return the row numbers above `after` of memories that are not gone and have no vector, oldest first."""
    rows = connection.execute(f"SELECT n {_MISSING} AND n > ? ORDER BY n LIMIT ?", (after, limit))
    return [n for (n,) in rows]


def count_missing(connection: apsw.Connection) -> int:
    """Return how many memories that are not gone have no vector."""
    return int(connection.execute(f"SELECT count(*) {_MISSING}").get)


def put(connection: apsw.Connection, rows: Sequence[tuple[int, bytes, str]]) -> None:
    """Store (row number, vector, words of related meaning)."""
    connection.executemany(
        "INSERT OR REPLACE INTO vector (memory, code, related, hash) VALUES (?, ?, ?, ?)",
        [(*row, chain.row_hash(*row)) for row in rows],
    )
    note_change(connection)


def some(connection: apsw.Connection, numbers: Sequence[int]) -> list[tuple[int, bytes]]:
    """Return (row number, vector) of those of the memories that have one."""
    marks = ",".join("?" * len(numbers))
    return list(connection.execute(f"SELECT memory, code FROM vector WHERE memory IN ({marks})", tuple(numbers)))


class SqliteVectors:
    """The vectors of one store (`api.Vectors`)."""

    __slots__ = ("_store", "path")

    def __init__(self, store: Handle) -> None:
        self._store, self.path = store, store.path

    @explains
    def encoder(self) -> str:
        """Return what made the vectors, empty when there are none."""
        return str(self._store.connection.execute("SELECT value FROM meta WHERE key = ?", (ENCODER,)).get or "")

    @explains
    def codes(self, among: Among = "all") -> Codes:
        """Return the vectors of memories."""
        return all_codes(self._store.connection, AMONG[among])

    @explains
    def some(self, numbers: Sequence[int]) -> list[tuple[int, bytes]]:
        """Return (number, vector) of those of the memories that have one."""
        return some(self._store.connection, numbers)

    @explains
    def missing(self, encoder: str, limit: int, after: int = 0) -> list[Row]:
        """Return memories above a number that this encoder has not seen; vectors of another one are dropped."""
        if self.encoder() != encoder:
            with self._store.transaction():
                belong_to(self._store.connection, encoder)
        return self._numbered(missing(self._store.connection, limit, after))

    @explains
    def count_missing(self, encoder: str) -> int:
        """Return how many memories this encoder has not seen."""
        if self.encoder() != encoder:
            return int(self._store.connection.execute("SELECT count(*) FROM memory WHERE phase != 'gone'").get)
        return count_missing(self._store.connection)

    def keep(
        self,
        encoder: str,
        rows: Sequence[Row],
        codes: Sequence[bytes],
        related: Sequence[str],
    ) -> None:
        """Store vectors and related words, in one transaction with the index, for texts that are still the same."""
        with self._store.transaction():
            connection = self._store.connection
            belong_to(connection, encoder)
            now = {row.number: row for row in self._numbered([row.number for row in rows])}
            same = [
                (row.number, code, said)
                for row, code, said in zip(rows, codes, related, strict=True)
                if row.number in now and now[row.number].memory.text == row.memory.text
            ]
            put(connection, same)
            fulltext.delete(connection, [n for n, _, _ in same])
            fulltext.insert(connection, [(n, indexed(now[n].memory)) for n, _, _ in same])

    def _numbered(self, numbers: Sequence[int]) -> list[Row]:
        return self._store.rows(f"WHERE n IN ({','.join('?' * len(numbers))}) ORDER BY n", numbers)


# What a connection read last, as long as no memory and no vector changed since, here or elsewhere. What was shown is
# written with every prompt and changes neither.
_last: WeakKeyDictionary[apsw.Connection, tuple[tuple[object, ...], Codes]] = WeakKeyDictionary()


def all_codes(connection: apsw.Connection, where: str = "") -> Codes:
    """Return the vectors of the memories that `where` lets through."""
    changed = "SELECT group_concat(value) FROM meta WHERE key IN ('head_seq', ?)"
    stamp = (where, connection.execute(changed, (_CHANGED,)).get)
    before = _last.get(connection)
    if before and before[0] == stamp:
        return before[1]
    numbers: list[int] = []
    codes: list[bytes] = []
    for n, code in connection.execute(
        "SELECT vector.memory, vector.code FROM vector JOIN memory ON memory.n = vector.memory"
        f" WHERE 1 {where} ORDER BY vector.memory"
    ):
        numbers.append(n)
        codes.append(code)
    found = Codes(numbers, b"".join(codes), list(map(len, codes)))
    if not connection.in_transaction:
        # What is not committed may be taken back.
        _last[connection] = (stamp, found)
    return found


def altered(connection: apsw.Connection) -> Iterator[int]:
    """Return the row numbers of vectors that are not as they were stored."""
    for *row, hash in connection.execute("SELECT memory, code, related, hash FROM vector"):
        if chain.row_hash(*row) != hash:
            yield row[0]


def drop_altered(connection: apsw.Connection) -> None:
    """Take out vectors that are not as they were stored; the next upkeep makes them anew."""
    connection.executemany("DELETE FROM vector WHERE memory = ?", [(n,) for n in list(altered(connection))])
    note_change(connection)
