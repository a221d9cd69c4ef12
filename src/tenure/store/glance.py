"""A store as the prompt hook sees it: one query, one insert, and no more imports than those need.

What the policy says was decided when the memories were written (eligible, weight, line) and the limits of an
injection stand in `meta`, so no policy is read. JSON is taken apart by SQLite, which is loaded anyway.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence

import apsw

from tenure.query import Asked
from tenure.sha import sha256
from tenure.store import words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

COLUMNS = "n, id, version, kind, state, phase, eligible, weight, line, due_at, fingerprint, record, hash"
_QUALIFIED = "memory." + COLUMNS.replace(", ", ", memory.")
# How long to wait for a writer before giving up on the trace.
BUSY_MILLISECONDS = 100
# Steps of SQLite's machine between looks at the clock.
_STEPS = 2000
LIMITS = "inject_limits"
# One separator that no id or path can hold.
_BETWEEN = "\x1f"
_FACTS = f"""
    SELECT ?1 ->> 'title', ?1 ->> 'text', ?1 ->> 'created_at', coalesce(?1 ->> 'verified_at', ?1 ->> 'created_at'),
        ?1 ->> 'superseded_by', ?1 ->> '$.signals.successful_reuses', ?1 ->> '$.signals.failed_reuses',
        ?1 ->> 'trust' = 'user' OR json_array_length(?1, '$.approvals') > 0,
        iif(json_array_length(?1, '$.runs') = 1, ?1 ->> '$.runs[0]', ''), ?1 ->> 'agent', ?1 ->> '$.runs[0]',
        (SELECT group_concat(value, '{_BETWEEN}') FROM json_each(?1, '$.conflicts')),
        (SELECT group_concat(value, '{_BETWEEN}') FROM json_each(?1, '$.files')),
        julianday(?2) - julianday(coalesce(?1 ->> 'verified_at', ?1 ->> 'created_at'))
"""


def open_store(path: str, late: Callable[[], bool]) -> apsw.Connection:
    """Return a connection to an existing store that gives up when it is late; links are refused."""
    for part in (os.path.dirname(path), path, f"{path}-wal", f"{path}-shm"):
        if os.path.islink(part):
            raise OSError(f"{part!r} is a symbolic link")
    connection = apsw.Connection(path, flags=apsw.SQLITE_OPEN_READWRITE)
    connection.set_busy_timeout(BUSY_MILLISECONDS)
    connection.set_progress_handler(late, _STEPS)
    connection.pragma("trusted_schema", "off")
    # A trace that a power cut takes is no loss worth a flush on every prompt, nor is the log worth folding in here.
    connection.pragma("synchronous", "normal")
    connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
    words.prepare(connection)
    return connection


def key(connection: apsw.Connection) -> object:
    """Return the secret key the store was made with, by which its trust is known."""
    return connection.execute("SELECT value FROM meta WHERE key = 'key'").get


def field(connection: apsw.Connection, document: str, *keys: str) -> str:
    """Return the first of the keys that holds a text in a JSON object, empty when none does."""
    for key in keys:
        value = connection.execute("SELECT json_extract(?, ?)", (document, f'$."{key}"')).get
        if isinstance(value, str) and value:
            return value
    return ""


def now(connection: apsw.Connection) -> str:
    """Return the time as `clock.stamp` writes it; SQLite knows it, and datetime would have to be imported."""
    stamp = "SELECT strftime('%Y-%m-%dT%H:%M:%SZ', coalesce(nullif(?, ''), 'now'))"
    return str(connection.execute(stamp, (os.environ.get("TENURE_NOW", ""),)).get or "")


def limits(connection: apsw.Connection) -> dict[str, Any]:
    """Return the limits of an injection that the policy set when the store was last written."""
    stored = connection.execute("SELECT value FROM meta WHERE key = ?", (LIMITS,)).get
    return dict(connection.execute("SELECT fullkey, atom FROM json_tree(?) WHERE atom IS NOT NULL", (stored or "{}",)))


def matching(connection: apsw.Connection, text: str, limit: int) -> tuple[Asked, Sequence[tuple[Any, ...]]]:
    """Return a prompt as a query, and the rows of the eligible memories that hold any of its words."""
    query = words.asked(connection, text)
    return query, words.match(connection, query, limit, _QUALIFIED, "AND memory.eligible = 1")


def is_whole(row: Sequence[Any]) -> bool:
    """Tell whether a row is as Tenure wrote it, by the hash of `store.chain`."""
    return bool(sha256("\0".join(map(str, row[:12])).encode()).digest() == row[12])


def facts(connection: apsw.Connection, record: str, now: str) -> tuple[Any, ...]:
    """Return what the ranking needs from a record; lists come as tuples, the age in days."""
    *plain, conflicts, files, age = next(connection.execute(_FACTS, (record, now)))
    return (*plain, *(tuple(part.split(_BETWEEN)) if part else () for part in (conflicts, files)), age)


def present(connection: apsw.Connection, ids: Sequence[str]) -> set[str]:
    """Return those of the memories that are not gone."""
    marks = ",".join("?" * len(ids))
    rows = connection.execute(f"SELECT id FROM memory WHERE id IN ({marks}) AND phase != 'gone'", tuple(ids))
    return {id for (id,) in rows}


def remember(
    connection: apsw.Connection, at: str, run: str, agent: str, query: str, shown: Sequence[tuple[str, float]]
) -> None:
    """Write down what was shown."""
    packed = ",".join(
        connection.execute("SELECT json_object('id', ?, 'score', ?)", (id, score)).get for id, score in shown
    )
    connection.execute(
        "INSERT INTO injection (at, run, task, agent, query, memories) VALUES (?, ?, '', ?, ?, ?)",
        (at, run, agent, query, f"[{packed}]"),
    )
