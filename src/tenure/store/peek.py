"""A quick look into a store for hooks: standard library and apsw only, no records decoded, nothing migrated.

Rows altered behind our back are left out, as everywhere. The one rule: a look that cannot be had at once is not had;
hooks rather stay silent than make the person wait.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import apsw

from tenure.store import chain

BUSY_MILLISECONDS = 50
COLUMNS = "n, id, version, kind, state, phase, eligible, weight, line, due_at, fingerprint, record, hash"


class Line(NamedTuple):
    """A memory as a hook shows it."""

    id: str
    kind: str
    state: str
    line: str


def open_store(path: str) -> apsw.Connection:
    """Return a connection for a quick look; raises apsw's errors when there is no usable store."""
    for part in (os.path.dirname(path), path, f"{path}-wal", f"{path}-shm"):
        if os.path.islink(part):
            raise apsw.CantOpenError(f"{part} is a symbolic link")
    connection = apsw.Connection(path, flags=apsw.SQLITE_OPEN_READWRITE)
    connection.set_busy_timeout(BUSY_MILLISECONDS)
    connection.pragma("trusted_schema", False)
    connection.pragma("query_only", True)
    return connection


def key(connection: apsw.Connection) -> object:
    """Return the secret key the store was made with."""
    return connection.execute("SELECT value FROM meta WHERE key = 'key'").get


def about_files(connection: apsw.Connection, names: Sequence[str], limit: int) -> list[Line]:
    """Return the eligible memories about any of these file names, weightiest first."""
    marks = ",".join("?" * len(names))
    where = f"n IN (SELECT memory FROM memory_file WHERE name IN ({marks})) AND eligible = 1"
    return list(_lines(connection, where, tuple(names), limit))


def with_phrases(connection: apsw.Connection, phrases: Sequence[str], limit: int) -> list[Line]:
    """Return the eligible memories that hold any of these phrases word for word, weightiest first."""
    expression = " OR ".join('"' + phrase.replace('"', " ") + '"' for phrase in phrases)
    where = "n IN (SELECT rowid FROM search WHERE search MATCH ? LIMIT 1000) AND eligible = 1"
    return list(_lines(connection, where, (expression,), limit))


def shown_in(connection: apsw.Connection, run: str) -> set[str]:
    """Return the ids of the memories shown in a session."""
    rows = connection.execute(
        "SELECT DISTINCT shown.value ->> 'id' FROM injection, json_each(memories) AS shown WHERE run = ?", (run,)
    )
    return {id for (id,) in rows if isinstance(id, str)}


def record_injection(
    connection: apsw.Connection, at: str, shown: str, *, run: str, task: str, agent: str, query: str
) -> None:
    """Remember what was shown; `shown` is a JSON list of objects with an id."""
    connection.pragma("query_only", False)
    columns = (at, run, task, agent, query, shown)
    connection.execute(
        "INSERT INTO injection (at, run, task, agent, query, memories, hash) VALUES (?, ?, ?, ?, ?, ?, ?)",
        (*columns, chain.row_hash(*columns)),
    )


def _lines(connection: apsw.Connection, where: str, values: tuple[object, ...], limit: int) -> Iterator[Line]:
    query = f"SELECT {COLUMNS} FROM memory WHERE {where} ORDER BY weight DESC, n LIMIT ?"
    for row in connection.execute(query, (*values, limit)):
        if chain.row_hash(*row[:-1]) == row[-1]:
            yield Line(str(row[1]), str(row[3]), str(row[4]), str(row[8]))
