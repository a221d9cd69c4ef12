"""Many memories at once, each with its whole history: what `commit` would write, with less work for each row.

Nobody ever had the ids of memories that arrive, so there is nothing to look up, to replace or to take out of the
index. The caller holds the store's transaction.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence

import apsw

from tenure.model.errors import Conflict
from tenure.model.events import Life
from tenure.model.kinds import indexed
from tenure.model.memory import Verdict
from tenure.store.sqlite import changes, fulltext, ledger, memory_rows

# The full-text index gathers so many bytes before it writes a piece of itself, and pieces are merged again and again:
# few large pieces cost half of what many small ones do. The second figure is SQLite's own, to return to.
GATHERED_BYTES, _USUALLY_GATHERED = 16 * 1024 * 1024, 1024 * 1024
# Ids, fingerprints and places arrive in any order, so each row touches pages all over the indexes: what is not held is
# written out and read again.
CACHED_KILOBYTES = 32 * 1024
_GATHER = "INSERT INTO search (search, rank) VALUES ('hashsize', ?)"


def admit(connection: apsw.Connection, lives: Sequence[tuple[Life, Verdict | None]], *, batch: int | None) -> int:
    """Write memories with their histories and return the batch; raise `Conflict` for an id that was used before."""
    entries = [numbered for life, _ in lives for numbered in enumerate(life.entries, start=1)]
    written, index, names, placed = [], [], [], []
    number = memory_rows.highest(connection)
    for life, verdict in lives:
        assert verdict is not None, "a memory that arrives has a verdict"
        number += 1
        memory = life.memory
        written.append(memory_rows.columns(number, len(life.entries), memory, verdict, life.record))
        index.append((number, indexed(memory)))
        placed.append((number, memory.id, verdict))
        if memory.files:
            names += [(number, name) for name in changes.file_names(memory.files)]
    try:
        batch = ledger.write(connection, entries, batch=batch)
        memory_rows.insert(connection, written)
    except apsw.ConstraintError:
        raise Conflict("Some of these ids were used before.", hint="Ids are never used again.") from None
    fulltext.insert(connection, index, new=True)
    changes.name_files(connection, names)
    changes.place(connection, placed)
    changes.index_guards(connection, [(row[0], life.memory) for row, (life, _) in zip(written, lives, strict=True)])
    return batch


@contextlib.contextmanager
def filling(connection: apsw.Connection) -> Iterator[None]:
    """Let the index gather more before it writes, and count its common words once, at the end."""
    connection.execute(_GATHER, (GATHERED_BYTES,))
    before = connection.pragma("cache_size")
    connection.pragma("cache_size", -CACHED_KILOBYTES)
    try:
        yield
    finally:
        connection.pragma("cache_size", before)
    # When something fails, the transaction takes this setting back with everything else.
    connection.execute(_GATHER, (_USUALLY_GATHERED,))
    connection.execute("DELETE FROM search_config WHERE k = 'hashsize'")
    fulltext.refresh_common(connection, memory_rows.highest(connection))
