"""A store as the prompt hook sees it: one query, one insert, and no more imports than those need.

What the policy says was decided when the memories were written (eligible, weight, line) and the limits of an
injection stand in `meta`, so no policy is read. JSON is taken apart by SQLite, which is loaded anyway.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence

import apsw

from tenure.files import quick_json
from tenure.files.digest import sha256
from tenure.recall.query import Asked
from tenure.store.sqlite import fulltext

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

# How many injections are looked at for what a session has seen; further back it may be shown again.
LOOKED_BACK = 1000
# Stands in the table of injections where a session lost what it had been shown.
COMPACTED = "(compacted)"
_SEEN = """
    WITH mine AS (SELECT n, query, memories FROM injection WHERE n > ?1 AND run = ?2)
    SELECT shown.value ->> 'id', shown.value ->> 'version'
    FROM mine, json_each(iif(json_valid(mine.memories), mine.memories, '[]')) AS shown
    WHERE mine.n > coalesce((SELECT max(n) FROM mine WHERE query = ?3), 0)
"""


def open_store(path: str, late: Callable[[], bool]) -> apsw.Connection:
    """Return a connection to an existing store that gives up when it is late; links are refused."""
    for part in (os.path.dirname(path), path, f"{path}-wal", f"{path}-shm"):
        if os.path.islink(part):
            raise OSError(f"{part!r} is a symbolic link")
    if not os.access(os.path.dirname(path), os.W_OK) and not os.path.exists(f"{path}-wal"):
        # A read-only mount: SQLite cannot make its shared memory there, and nobody can write meanwhile.
        uri = "".join(sign if sign not in "%?#" else f"%{ord(sign):02x}" for sign in path)
        flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
        connection = apsw.Connection(f"file:{uri}?mode=ro&immutable=1", flags=flags)
    else:
        connection = apsw.Connection(path, flags=apsw.SQLITE_OPEN_READWRITE)
    connection.set_busy_timeout(BUSY_MILLISECONDS)
    connection.set_progress_handler(late, _STEPS)
    connection.pragma("trusted_schema", "off")
    # A trace that a power cut takes is no loss worth a flush on every prompt, nor is the log worth folding in here.
    connection.pragma("synchronous", "normal")
    connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
    fulltext.prepare(connection)
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
    # SQLite quotes a key with an underscore; ours hold no quotes.
    flat = "SELECT replace(fullkey, '\"', ''), atom FROM json_tree(?) WHERE atom IS NOT NULL"
    return dict(connection.execute(flat, (stored or "{}",)))


def matching(connection: apsw.Connection, text: str, limit: int) -> tuple[Asked, Sequence[tuple[Any, ...]]]:
    """Return a prompt as a query, and the rows of the eligible memories that hold any of its words."""
    query = fulltext.asked(connection, text)
    return query, fulltext.match(connection, query, limit, _QUALIFIED, "AND memory.eligible = 1")


def encoder(connection: apsw.Connection) -> str:
    """Return what made the vectors, empty when there are none."""
    return str(connection.execute("SELECT value FROM meta WHERE key = 'encoder'").get or "")


def codes(connection: apsw.Connection, numbers: Sequence[int]) -> list[tuple[int, bytes]]:
    """Return (row number, vector) of those of the memories that have one."""
    marks = ",".join("?" * len(numbers))
    return list(connection.execute(f"SELECT memory, code FROM vector WHERE memory IN ({marks})", tuple(numbers)))


def eligible(connection: apsw.Connection, ids: Sequence[str]) -> list[tuple[Any, ...]]:
    """Return the rows of those of the memories that may be shown."""
    marks = ",".join("?" * len(ids))
    query = f"SELECT {COLUMNS} FROM memory WHERE id IN ({marks}) AND eligible = 1"
    return connection.execute(query, tuple(ids)).fetchall()


def about_files(connection: apsw.Connection, names: Sequence[str], limit: int) -> list[tuple[Any, ...]]:
    """Return the rows of the eligible memories about any of these file names, weightiest first."""
    marks = ",".join("?" * len(names))
    return _weightiest(connection, f"SELECT memory FROM memory_file WHERE name IN ({marks})", names, limit)


def with_phrases(connection: apsw.Connection, phrases: Sequence[str], limit: int) -> list[tuple[Any, ...]]:
    """Return the rows of the eligible memories that hold any of these phrases word for word, weightiest first."""
    expression = " OR ".join('"' + phrase.replace('"', " ") + '"' for phrase in phrases)
    return _weightiest(connection, "SELECT rowid FROM search WHERE search MATCH ? LIMIT 1000", [expression], limit)


def _weightiest(connection: apsw.Connection, among: str, values: Sequence[str], limit: int) -> list[tuple[Any, ...]]:
    query = f"SELECT {COLUMNS} FROM memory WHERE n IN ({among}) AND eligible = 1 ORDER BY weight DESC, n LIMIT ?"
    return connection.execute(query, (*values, limit)).fetchall()


def standing(connection: apsw.Connection, state: str, limit: int) -> list[tuple[Any, ...]]:
    """Return those of the weightiest eligible memories that are in a state."""
    best = "SELECT n FROM memory WHERE eligible = 1 ORDER BY weight DESC, n LIMIT ?"
    query = f"SELECT {COLUMNS} FROM memory WHERE n IN ({best}) AND state = ? ORDER BY weight DESC, n"
    return connection.execute(query, (limit, state)).fetchall()


def due(connection: apsw.Connection, now: str, limit: int) -> list[tuple[Any, ...]]:
    """Return live memories past their review date, the longest overdue first."""
    # The plus keeps SQLite from sorting all live memories instead of walking along the dates.
    query = f"SELECT {COLUMNS} FROM memory WHERE due_at < ? AND +phase = 'live' ORDER BY due_at, n LIMIT ?"
    return connection.execute(query, (now, limit)).fetchall()


def live(connection: apsw.Connection) -> int:
    """Return how many memories are live."""
    return int(connection.execute("SELECT count(*) FROM memory WHERE phase = 'live'").get or 0)


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


def seen(connection: apsw.Connection, run: str) -> set[tuple[str, int | None]]:
    """Return (id, version) of what a session was shown since it began or was compacted; None where none was noted."""
    newest = connection.execute("SELECT max(n) FROM injection").get or 0
    return set(connection.execute(_SEEN, (newest - LOOKED_BACK, run, COMPACTED)))


def remember(
    connection: apsw.Connection, at: str, run: str, agent: str, query: str, notes: Sequence[dict[str, Any]]
) -> None:
    """Write down what was shown; a note is one of `injections`, as `recall.block` makes it."""
    columns = (at, run, "", agent, query, quick_json.dumps(notes))
    connection.execute(
        "INSERT INTO injection (at, run, task, agent, query, memories, hash) VALUES (?, ?, ?, ?, ?, ?, ?)",
        (*columns, sha256("\0".join(columns).encode()).digest()),
    )
