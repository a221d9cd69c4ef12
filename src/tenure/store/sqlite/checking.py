"""Proof that a store is what it says: every row follows from the ledger, and every hash and index agrees."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import apsw

from tenure.model import memory as memories
from tenure.model.errors import InvalidInput, StoreDamaged
from tenure.model.events import EventType
from tenure.model.evolve import evolve
from tenure.model.memory import Memory
from tenure.model.policy import Policy
from tenure.store.sqlite import COLUMNS, chain, flipped_bits, guards, ledger, tables
from tenure.store.sqlite.changes import file_names
from tenure.store.sqlite.connection import explained, holding
from tenure.store.sqlite.lazy_connection import Handle

_STRAY = "a bit is set where nothing is stored, so the file was altered outside Tenure; no memory is affected"
_REWRITE = "`tenure doctor --rebuild` writes the file anew"
ERASING = (EventType.PURGED, EventType.FORGOTTEN, EventType.LOST)


def engine() -> str:
    """Return the version of the SQLite library in use."""
    return apsw.sqlite_lib_version()


def problems(
    store: Handle, policy: Policy, progress: Callable[[int, int], None] | None = None
) -> Iterator[tuple[str, str]]:
    """Return (where, what is wrong) for everything that does not hold."""
    connection = store.connection
    with explained(store.path):
        yield from _index_itself(store)
        # Beside the memory: one view for all that follows, whatever others write meanwhile.
        connection.pragma("temp_store", "memory")
        connection.execute("BEGIN")
        try:
            for (message,) in connection.execute("PRAGMA integrity_check(20)"):
                if message != "ok":
                    yield "database", message
            for seq, message in ledger.broken_links(connection):
                yield f"ledger entry {seq}", message
            yield from _rows(connection, policy, progress)
            yield from tables.problems(connection)
            yield from _index(connection)
        finally:
            connection.execute("ROLLBACK")
        for page in flipped_bits.stray_bits(store):
            yield "unused space", f"{_STRAY} (page {page}); {_REWRITE}"


def _rows(
    connection: apsw.Connection, policy: Policy, progress: Callable[[int, int], None] | None
) -> Iterator[tuple[str, str]]:
    total = connection.execute("SELECT count(*) FROM memory").get
    rows = connection.execute(f"SELECT {COLUMNS} FROM memory ORDER BY id")
    folded = _folds(connection)
    id, version, proof = next(folded, ("", 0, None))
    for done, row in enumerate(rows, start=1):
        if progress and done % 500 == 0:
            progress(done, total)
        while id and id < row[1]:
            if proof is not None:
                yield id, "the ledger knows it, but its row is missing"
            id, version, proof = next(folded, ("", 0, None))
        if chain.row_hash(*row[:-1]) != row[-1]:
            yield row[1], "the row was altered outside Tenure"
        if id != row[1]:
            yield row[1], "the ledger does not know it"
            continue
        yield from differences(row, version, proof)
        yield from _file_names(connection, row[0], id, proof)
        yield from _guards(connection, row[0], id, proof)
        if policy.phase(row[4]) != row[5]:
            yield row[1], f"state {row[4]!r} belongs to phase {policy.phase(row[4])!r}, found {row[5]!r}"
        id, version, proof = next(folded, ("", 0, None))
    while id:
        if proof is not None:
            yield id, "the ledger knows it, but its row is missing"
        id, version, proof = next(folded, ("", 0, None))


def differences(row: tuple[object, ...], version: int, proof: Memory | None) -> Iterator[tuple[str, str]]:
    """Return what of a row is not what the ledger makes of it."""
    id = str(row[1])
    try:
        kept = memories.decode(str(row[11]))
    except InvalidInput as error:
        yield id, error.message
        return
    if row[2] != version:
        yield id, f"its row is at version {row[2]}, the ledger at {version}"
    if kept == proof:
        return
    if proof is None:
        yield id, "the ledger says it was erased"
        return
    for name in Memory.__struct_fields__:
        if getattr(kept, name) != getattr(proof, name):
            yield (
                f"{id}.{name}",
                f"is {getattr(kept, name)!r:.60}, but the ledger makes it {getattr(proof, name)!r:.60}",
            )


def _file_names(connection: apsw.Connection, n: int, id: str, proof: Memory | None) -> Iterator[tuple[str, str]]:
    """Compare the names under which a memory is found with the files it is about."""
    kept = [name for (name,) in connection.execute("SELECT name FROM memory_file WHERE memory = ? ORDER BY name", (n,))]
    if proof is not None and kept != file_names(proof.files):
        yield f"{id}.files", f"the names it is found by were altered outside Tenure; {tables.REBUILD}"


def _guards(connection: apsw.Connection, n: int, id: str, proof: Memory | None) -> Iterator[tuple[str, str]]:
    """Compare where hooks find a memory's guard with the guard it has."""
    kept = list(
        connection.execute("SELECT memory, tool, needles, until FROM guard WHERE memory = ? ORDER BY tool", (n,))
    )
    if proof is not None and kept != sorted(guards.rows(n, proof), key=lambda row: row[1]):
        yield f"{id}.guard", f"where hooks find it was altered outside Tenure; {tables.REBUILD}"


def _folds(connection: apsw.Connection) -> Iterator[tuple[str, int, Memory | None]]:
    """Return (id, version, folded memory) for every memory the ledger knows, by id."""
    current, version, memory = "", 0, None
    erased = False
    for id, number, type, payload in connection.execute(
        "SELECT memory_id, version, type, payload FROM ledger ORDER BY memory_id, version"
    ):
        if id != current:
            if current:
                yield current, version, None if erased else memory
            current, memory, erased = id, None, False
        version = number
        erased = type in ERASING
        if payload is not None and not erased:
            try:
                memory = evolve(memory, ledger.decode(payload))
            except (StoreDamaged, ValueError, AttributeError, TypeError, KeyError):
                memory = None
    if current:
        yield current, version, None if erased else memory


def _index_itself(store: Handle) -> Iterator[tuple[str, str]]:
    """Let the index check its own structure, which SQLite takes for a write."""
    connection = store.connection
    if connection.readonly("main"):
        return
    with holding(store.path if store.path and store.path.exists() else None, connection):
        try:
            connection.execute("INSERT INTO search (search) VALUES ('integrity-check')")
        except (apsw.BusyError, apsw.FullError, apsw.IOError, apsw.ReadOnlyError):
            # Nothing about the index: a hook is writing, or the disk does not let anybody write.
            return
        except apsw.Error as error:
            yield "search index", f"does not hold ({error}); {tables.REBUILD}"


def _index(connection: apsw.Connection) -> Iterator[tuple[str, str]]:
    missing = connection.execute("SELECT count(*) FROM memory WHERE n NOT IN (SELECT id FROM search_docsize)").get
    orphans = connection.execute("SELECT count(*) FROM search_docsize WHERE id NOT IN (SELECT n FROM memory)").get
    if missing or orphans:
        yield "search index", f"{missing} memories are missing and {orphans} entries are left over; {tables.REBUILD}"
        return
    try:
        yield from tables.index_problems(connection)
    except (apsw.CorruptError, apsw.SQLError, UnicodeDecodeError) as error:
        yield "search index", f"cannot be read ({error}); {tables.REBUILD}"
