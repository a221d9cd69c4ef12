"""Making erased content really gone: from the ledger, the index, the log of what was shown, the WAL and backups.

Deleting a row is not enough: full-text segments and the write-ahead log keep the words until they are rewritten, and
freed pages are overwritten only because `connection` sets `secure_delete`.
"""

from __future__ import annotations

from pathlib import Path

import apsw

from tenure.store.sqlite import effects, guards, injections
from tenure.store.sqlite.injections import PENDING


def erase_traces(connection: apsw.Connection, memory_id: str) -> None:
    """Blank a memory's ledger entries and what is noted of its injections; hashes and the last entry stay."""
    connection.execute(
        "UPDATE ledger SET payload = NULL WHERE memory_id = ?1"
        " AND version < (SELECT max(version) FROM ledger WHERE memory_id = ?1)",
        (memory_id,),
    )
    injections.erase(connection, memory_id)
    effects.erase(connection, memory_id)
    guards.erase(connection, memory_id)
    connection.execute("DELETE FROM meta WHERE key = ?", (f"quote:{memory_id}",))
    connection.execute("INSERT OR REPLACE INTO meta VALUES (?, 1)", (PENDING,))


def finish(connection: apsw.Connection, path: Path | None) -> bool:
    """Rewrite what still holds erased words; return False while a reader keeps an old view alive."""
    if not connection.execute("SELECT 1 FROM meta WHERE key = ?", (PENDING,)).get:
        return True
    connection.execute("INSERT INTO search (search) VALUES ('optimize')")
    if path is not None:
        for backup in path.parent.glob(f"{path.name}.schema-*.bak"):
            backup.unlink()
    busy, _, _ = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone() or (0, 0, 0)
    if busy:
        return False
    # Last, so that a crash before it leaves the erasure pending.
    connection.execute("DELETE FROM meta WHERE key = ?", (PENDING,))
    return True
