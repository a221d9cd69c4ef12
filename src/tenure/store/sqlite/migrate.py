"""Bringing a database to the schema this version knows: all of a migration or none of it, after a backup.

A database from a newer Tenure is refused unread, because older code cannot know what it would damage.
"""

from __future__ import annotations

import os
import secrets
from importlib import resources
from pathlib import Path

import apsw

from tenure.model.errors import StoreDamaged, StoreTooNew
from tenure.store.sqlite import as_it_stands, chain

# "Tnur": tells our files from other SQLite databases.
APPLICATION_ID = 0x546E7572
# Where the hash of what never changes in `meta` stands.
PROOF = "proof"


def migrations() -> list[tuple[int, str]]:
    """Return the numbered migrations, oldest first."""
    folder = resources.files("tenure.store").joinpath("sqlite", "migrations")
    names = sorted(entry.name for entry in folder.iterdir() if entry.name.endswith(".sql"))
    return [(int(name[:4]), folder.joinpath(name).read_text(encoding="utf-8")) for name in names]


def schema_version() -> int:
    """Return the schema this version of Tenure writes."""
    return migrations()[-1][0]


def needs_migration(connection: apsw.Connection, where: str) -> bool:
    """Tell whether the database is older than this version; refuse one that is newer or not ours."""
    version = connection.pragma("user_version")
    if connection.pragma("application_id") != APPLICATION_ID:
        if version == 0 and not connection.execute("SELECT count(*) FROM sqlite_schema").get:
            return True
        raise StoreDamaged(
            f"{where!r} is a database of another program.",
            hint="Name Tenure's own store with --store sqlite:PATH; the file was not touched.",
        )
    if version > schema_version():
        raise StoreTooNew(
            f"{where!r} has schema {version}; this Tenure knows schemas up to {schema_version()}.",
            hint="Install a newer Tenure. The store was not touched.",
        )
    return bool(version < schema_version())


def migrate(connection: apsw.Connection, path: Path | None) -> None:
    """Apply what is missing in one transaction; the caller holds the write gate."""
    version = connection.pragma("user_version")
    if version and path is not None:
        back_up(connection, path.with_name(f"{path.name}.schema-{version}.bak"))
    connection.create_scalar_function("row_hash", chain.row_hash)
    connection.execute("BEGIN IMMEDIATE")
    try:
        for number, script in migrations():
            if number > version:
                connection.execute(script)
        if version == 0:
            connection.pragma("application_id", APPLICATION_ID)
            connection.execute("INSERT INTO search (search, rank) VALUES ('secure-delete', 1)")
            start = [("store_id", secrets.token_hex(8)), ("key", secrets.token_bytes(32)), ("head_seq", 0)]
            connection.executemany("INSERT INTO meta VALUES (?, ?)", [*start, ("head", b"\0" * 32)])
        connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (PROOF, identity(connection)))
        connection.pragma("user_version", schema_version())
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def identity(connection: apsw.Connection) -> bytes:
    """Return the hash of what a store is made with and keeps: its name and its secret key."""
    kept = dict(connection.execute("SELECT key, value FROM meta WHERE key IN ('store_id', 'key')"))
    return chain.row_hash(kept.get("store_id"), kept.get("key"))


def back_up(connection: apsw.Connection, target: Path) -> None:
    """Copy the database while others may use it, by SQLite's own backup, never by copying files."""
    target.unlink(missing_ok=True)
    os.close(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    with as_it_stands():
        copy = apsw.Connection(str(target))
    try:
        with copy.backup("main", connection, "main") as backup:
            while not backup.done:
                backup.step(1000)
    finally:
        copy.close()
