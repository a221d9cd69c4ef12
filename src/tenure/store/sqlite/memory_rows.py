"""Memories written as rows and read back; a row whose hash does not hold is not served."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import apsw

from tenure.model import clock, memory
from tenure.model.errors import InvalidInput
from tenure.model.memory import Memory, Verdict
from tenure.store.records import Row
from tenure.store.sqlite import (
    COLUMNS,
    ELIGIBLE,
    FINGERPRINT,
    HASH,
    ID,
    KIND,
    LINE,
    NUMBER,
    RECORD,
    VERSION,
    WEIGHT,
    chain,
    hashed_memory,
)

_INSERT = f"INSERT INTO memory ({COLUMNS}) VALUES ({','.join('?' * 13)})"
_REPLACE = _INSERT.replace("INSERT", "INSERT OR REPLACE", 1)
_UPDATE = "UPDATE memory SET (kind, state, phase, eligible, weight, due_at, fingerprint, version, line, record, hash)"
_UPDATE += f" = ({','.join('?' * 11)}) WHERE n = ?"
# Of a row whose other columns stay: none of the table's indexes is touched.
_UPDATE_RECORD = "UPDATE memory SET (version, line, record, hash) = (?, ?, ?, ?) WHERE n = ?"


def columns(n: int, version: int, after: Memory, verdict: Verdict, record: str = "") -> tuple[Any, ...]:
    """Return the row of a memory, its hash last; `record` is the memory encoded, where that was done already."""
    plain = (
        n,
        after.id,
        version,
        after.kind,
        after.state,
        after.phase,
        int(verdict.eligible),
        verdict.weight,
        verdict.line,
        clock.stamp(verdict.due_at) if verdict.due_at else None,
        verdict.fingerprint,
        record or memory.encode(after).decode(),
    )
    return (*plain, chain.row_hash(*plain))


def insert(connection: apsw.Connection, rows: Iterable[tuple[Any, ...]]) -> None:
    """Write rows under numbers that are free.

    Replacing costs more even where nothing is replaced: SQLite then makes each row a savepoint, and the full-text
    index writes out at a savepoint what it had gathered.
    """
    connection.executemany(_INSERT, rows)


def replace(connection: apsw.Connection, rows: Iterable[tuple[Any, ...]]) -> None:
    """Write rows, in the place of those with the same number."""
    connection.executemany(_REPLACE, rows)


def update(connection: apsw.Connection, rows: Iterable[tuple[tuple[Any, ...], tuple[Any, ...]]]) -> None:
    """Write rows in the place of what they were: (columns before, columns now)."""
    whole, records = [], []
    for before, now in rows:
        kept = now[VERSION], now[LINE], now[RECORD], now[HASH], now[NUMBER]
        found_by = _found_by(now)
        if found_by == _found_by(before):
            records.append(kept)
        else:
            whole.append((*found_by, *kept))
    connection.executemany(_UPDATE, whole)
    connection.executemany(_UPDATE_RECORD, records)


def _found_by(row: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the columns that indexes are made of."""
    return (*row[KIND:LINE], *row[LINE + 1 : FINGERPRINT + 1])


def select(connection: apsw.Connection, where: str, values: Sequence[Any], damaged: list[str]) -> list[Row]:
    """Return the rows a clause selects."""
    return checked(connection.execute(f"SELECT {COLUMNS} FROM memory {where}", values), damaged)


def checked(found: Iterable[Sequence[Any]], damaged: list[str]) -> list[Row]:
    """Return rows whose hash holds and that are memories; the ids of the others go to `damaged` and are not served."""
    rows = []
    for row in found:
        try:
            known = memory.decode(row[RECORD]) if chain.digest(hashed_memory(row)) == row[HASH] else None
        except InvalidInput:
            known = None
        if known is None:
            damaged.append(str(row[ID]))
        else:
            rows.append(Row(row[NUMBER], row[VERSION], known, bool(row[ELIGIBLE]), row[WEIGHT], row[LINE]))
    return rows


def highest(connection: apsw.Connection) -> int:
    """Return the highest row number: it stands for the count, which would cost a scan."""
    return int(connection.execute("SELECT max(n) FROM memory").get or 0)
