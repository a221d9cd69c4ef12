"""One SQLite connection with the settings that were measured, and what its failures mean to a user.

The connection is opened for the process that uses it; after a fork it is opened anew. Nothing else in the process
may open the database file: closing any handle on it would drop SQLite's locks.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar

import apsw

from tenure.files import mounts
from tenure.files.lock import exclusive
from tenure.model.errors import InvalidInput, StoreBusy, StoreDamaged, StoreUnusable
from tenure.store.sqlite import Database, beside, fulltext, make, migrate, named

Method = TypeVar("Method", bound=Callable[..., Any])

BUSY_MILLISECONDS = 30_000
_SETTINGS = {
    "journal_mode": "wal",
    "synchronous": "full",
    "secure_delete": "on",
    "foreign_keys": "on",
    "trusted_schema": "off",
    "cell_size_check": "on",
}
# Where processes cannot share a log: the older journal, and a flush more for each change.
_WITHOUT_LOG = {**_SETTINGS, "journal_mode": "delete", "synchronous": "extra"}


def open_database(path: Path | None) -> apsw.Connection:
    """Return a connection to the store at `path`, made or migrated when needed; None opens an empty one in memory."""
    if path is None:
        connection = apsw.Connection(":memory:")
        migrate.migrate(connection, None)
    else:
        connection = _open(path)
    fulltext.prepare(connection)
    return connection


def _open(path: Path) -> apsw.Connection:
    refuse_links(path)
    with explained(path), reachable(path):
        if not os.access(path.parent, os.W_OK):
            return _open_readonly(path)
        try:
            return _open_writable(path)
        except (apsw.IOError, apsw.FullError, apsw.CantOpenError) as error:
            # A disk too full for SQLite's shared memory can still be read.
            if not _is_still(path):
                raise
            try:
                return _open_readonly(path)
            except StoreUnusable:
                raise error from None


def refuse_links(path: Path) -> None:
    """Refuse a store behind a symbolic link: a cloned project could point it, or a file beside it, anywhere."""
    beside = (path.with_name(path.name + ending) for ending in ("-wal", "-shm", "-journal"))
    for part in (path.parent, path, *beside):
        if part.is_symlink():
            raise StoreUnusable(
                f"{str(part)!r} is a symbolic link.", hint="Name the real place with --store sqlite:PATH."
            )


def gate(path: Path | str) -> str:
    """Return the lock file that write transactions queue at."""
    return f"{path}.lock"


_EXPLAINED = (apsw.Error, UnicodeError)


@contextlib.contextmanager
def explained(path: Path | None) -> Iterator[None]:
    """Turn SQLite's errors into ours: what happened, that nothing was damaged, what to do."""
    try:
        yield
    except _EXPLAINED as error:
        _explain(error, path)
        raise


def explains(method: Method) -> Method:
    """Let a method of a store fail with our errors only."""

    @wraps(method)
    def with_our_errors(store: Any, *arguments: Any, **named: Any) -> Any:
        try:
            return method(store, *arguments, **named)
        except _EXPLAINED as error:
            _explain(error, store.path)
            raise

    return with_our_errors  # type: ignore[return-value]


def _explain(error: Exception, path: Path | None) -> None:
    """Raise our error for one of SQLite's."""
    where = repr(str(path))
    if isinstance(error, apsw.BusyError | apsw.LockedError):
        raise StoreBusy(f"{where} is in use by another process.", hint="Try again.") from error
    if isinstance(error, apsw.NotADBError | apsw.CorruptError):
        raise StoreDamaged(
            f"{where} is damaged or is not a database ({error}).",
            hint="It was left as it is. Move it away and restore a copy, or `tenure import` an export.",
        ) from error
    if isinstance(error, apsw.FullError):
        raise StoreUnusable(
            f"The disk that holds {where} is full; nothing was written.",
            hint="Free some space and try again. Reading still works.",
        ) from error
    if isinstance(error, apsw.ReadOnlyError | apsw.PermissionsError):
        raise StoreUnusable(
            f"{where} cannot be written.",
            hint="Check the permissions and the free space, or name another with --store.",
        ) from error
    if isinstance(error, apsw.CantOpenError):
        raise StoreUnusable(
            f"{where} cannot be opened ({error}).",
            hint="Check that the folder exists and is yours, or name another store with --store sqlite:PATH.",
        ) from error
    if isinstance(error, apsw.IOError):
        raise StoreUnusable(
            f"Reading or writing {where} failed ({error}); the change was not made.",
            hint="Check the disk, then run `tenure check`.",
        ) from error
    if isinstance(error, apsw.SQLError | apsw.MismatchError | UnicodeDecodeError):
        # Our own queries are sound, so what they stumble over is a file that somebody altered.
        raise StoreDamaged(
            f"{where} is not as Tenure left it ({error}).",
            hint="It was left as it is. `tenure check` says more; `tenure doctor --rebuild` makes the index anew.",
        ) from error
    if isinstance(error, UnicodeEncodeError):
        raise InvalidInput(f"{error.object[:40]!a} is not Unicode text.") from error
    if isinstance(error, apsw.Error):
        raise StoreUnusable(
            f"{where} cannot be used ({error}).", hint="Try again; `tenure check` shows whether the store is sound."
        ) from error


@contextlib.contextmanager
def reachable(path: Path) -> Iterator[None]:
    """Turn a folder or file that the system refuses into our error."""
    try:
        yield
    except OSError as error:
        raise StoreUnusable(
            f"{str(path)!r} cannot be used: {error.strerror or error}.",
            hint="Check the permissions and the free space, or name another store with --store sqlite:PATH.",
        ) from error


@contextlib.contextmanager
def holding(path: Path | None, connection: apsw.Connection) -> Iterator[None]:
    """Hold the gate that write transactions queue at; a store in memory needs none."""
    with contextlib.ExitStack() as held:
        if path is not None:
            with reachable(path):
                held.enter_context(exclusive(gate(named(connection, path)), shown=gate(path)))
        yield


def _open_writable(path: Path) -> apsw.Connection:
    if not path.exists():
        make(path)
    connection = Database(str(path))
    connection.set_busy_timeout(BUSY_MILLISECONDS)
    try:
        # Read first: nothing is changed in a file that turns out not to be ours.
        if migrate.needs_migration(connection, str(path)):
            with holding(path, connection):
                if migrate.needs_migration(connection, str(path)):
                    _set(connection, path)
                    migrate.migrate(connection, beside(connection, path))
        _set(connection, path)
    except BaseException:
        connection.close()
        raise
    return connection


def _set(connection: apsw.Connection, path: Path) -> None:
    kind = mounts.unsuitable(path)
    for name, value in (_WITHOUT_LOG if kind else _SETTINGS).items():
        found = connection.pragma(name, value)
        if kind and name == "journal_mode" and found != value:
            raise StoreUnusable(
                f"{str(path)!r} lies on {kind}, where SQLite's log cannot be shared, and could not be taken out of it.",
                hint="Close what else uses it and try again, or name a store on a local disk with --store sqlite:PATH.",
            )


def _open_readonly(path: Path) -> apsw.Connection:
    if not path.exists():
        raise StoreUnusable(f"The folder {str(path.parent)!r} cannot be written, so no store can be made there.")
    # Without write access SQLite cannot make its shared-memory file; a store nobody writes needs none.
    still = "&immutable=1" if _is_still(path) else ""
    connection = Database(str(path.absolute()), apsw.SQLITE_OPEN_READONLY, f"?mode=ro{still}")
    connection.set_busy_timeout(BUSY_MILLISECONDS)
    if migrate.needs_migration(connection, str(path)):
        connection.close()
        raise StoreUnusable(f"{str(path)!r} is of an older version and cannot be written to bring it up to date.")
    return connection


def _is_still(path: Path) -> bool:
    """Tell whether the database file holds everything: no log waits to be merged into it."""
    log = path.with_name(f"{path.name}-wal")
    return path.exists() and path.stat().st_size > 0 and not (log.exists() and log.stat().st_size)
