"""Proof of what stands beside rows and ledger: the schema, marks of the forgotten, injections, vectors, the index.

Each proof compares with what the migrations, the ledger or the rows make of it, or with a hash of its own. What can
differ between two undamaged stores is left out: a false alarm is worse than a miss in something that can be rebuilt.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest

import apsw

from tenure.model.errors import StoreDamaged
from tenure.model.events import EventType
from tenure.store.sqlite import chain, effects, guards, ledger, migrate, vectors

Problem = tuple[str, str]
REBUILD = "rebuild it with `tenure doctor --rebuild`"
# SQLite's own notes on the spread of values, which somebody may have asked it to make.
_STATISTICS = "sqlite_stat"
# The columns of the index that follow from the record in every version of Tenure.
_INDEXED = ("title", "tags", "text")


def problems(connection: apsw.Connection) -> Iterator[Problem]:
    """Return (where, what is wrong) for everything beside rows and ledger that does not hold."""
    yield from _schema(connection)
    yield from _identity(connection)
    yield from _marks(connection)
    yield from _injections(connection)
    for where in effects.altered(connection):
        yield where, "was altered outside Tenure; it counts for no estimate"
    for where in guards.altered(connection):
        yield where, "was altered outside Tenure; it is ignored"
    unplaced = "SELECT n FROM memory WHERE phase != 'gone'", "SELECT memory FROM queue"
    for one, other in (unplaced, unplaced[::-1]):
        if number := connection.execute(f"SELECT count(*) FROM ({one} EXCEPT {other})").get:
            yield "queue", f"the places of {number} were altered outside Tenure; {REBUILD}"
    altered = sum(1 for _ in vectors.altered(connection))
    if altered:
        yield "vectors", f"{altered} were altered outside Tenure; {REBUILD}"


def _schema(connection: apsw.Connection) -> Iterator[Problem]:
    """Compare tables and indexes with those of an empty store of this version."""
    empty = apsw.Connection(":memory:")
    try:
        migrate.migrate(empty, None)
        wanted, found = _objects(empty), _objects(connection)
    finally:
        empty.close()
    for name in sorted(wanted.keys() | found.keys()):
        if wanted.get(name) != found.get(name):
            what = "is missing" if name not in found else "is not Tenure's" if name not in wanted else "was altered"
            yield f"schema of {name}", f"{what} outside Tenure"


def _objects(connection: apsw.Connection) -> dict[str, tuple[object, ...]]:
    rows = connection.execute("SELECT name, type, tbl_name, sql FROM sqlite_schema")
    return {str(name): rest for name, *rest in rows if not str(name).startswith(_STATISTICS)}


def _identity(connection: apsw.Connection) -> Iterator[Problem]:
    kept = connection.execute("SELECT value FROM meta WHERE key = ?", (migrate.PROOF,)).get
    if kept != migrate.identity(connection):
        yield "store", "its name or its key was altered outside Tenure"


def _marks(connection: apsw.Connection) -> Iterator[Problem]:
    """Compare the marks of forgotten texts with what the ledger says was forgotten."""
    left = {mark: (id, at) for mark, id, at in connection.execute("SELECT mark, memory_id, at FROM tombstone")}
    first: dict[bytes, tuple[str, str]] = {}
    # Entries of older versions, and those of an id in use again, do not name their marks.
    unnamed: set[tuple[str, str]] = set()
    entries = connection.execute(
        "SELECT memory_id, at, payload FROM ledger WHERE type = ? ORDER BY seq", (EventType.FORGOTTEN,)
    )
    for id, at, payload in entries:
        try:
            named = [bytes.fromhex(mark) for mark in ledger.decode(payload).detail["marks"]] if payload else []
        except (StoreDamaged, KeyError, ValueError, TypeError):
            named = []
        if not named:
            unnamed.add((id, at))
        for mark in named:
            first.setdefault(mark, (id, at))
            if mark not in left:
                yield id, "the mark that keeps it forgotten was removed outside Tenure"
    for mark, place in left.items():
        if place != first.get(mark, place if place in unnamed else None):
            yield str(place[0]), "a mark of something forgotten was altered or added outside Tenure"


def _injections(connection: apsw.Connection) -> Iterator[Problem]:
    for n, *columns, hash in connection.execute("SELECT n, at, run, task, agent, query, memories, hash FROM injection"):
        if chain.row_hash(*columns) != hash:
            yield f"injection {n}", "the note of what was shown was altered outside Tenure"


def index_problems(connection: apsw.Connection) -> Iterator[Problem]:
    """Compare the words of the index, with their places, with those of the rows; the caller holds a transaction.

    The index of the comparison is thrown away with the caller's transaction.
    """
    if connection.execute("SELECT 1 FROM meta WHERE key = 'index_due'").get:
        return
    connection.execute(
        "CREATE VIRTUAL TABLE temp.proof USING fts5 (title, tags, text, content = '',"
        ' tokenize = "porter unicode61 remove_diacritics 2");'
        "CREATE VIRTUAL TABLE temp.proved USING fts5vocab (temp, proof, instance);"
        "CREATE VIRTUAL TABLE temp.kept USING fts5vocab (main, search, instance);"
        "INSERT INTO temp.proof (rowid, title, tags, text) SELECT n, record ->> 'title',"
        " (SELECT group_concat(value, ' ') FROM json_each(record, '$.tags')), record ->> 'text' FROM memory"
    )
    columns = ", ".join(f"'{name}'" for name in _INDEXED)
    kept = connection.execute(f"SELECT term, doc, col, offset FROM temp.kept WHERE col IN ({columns})")
    proved = connection.execute("SELECT term, doc, col, offset FROM temp.proved")
    for found, wanted in zip_longest(kept, proved):
        if found != wanted:
            yield "search index", f"its words are not those of the memories; {REBUILD}"
            return
