"""Space put by beside the store, so that erasing and letting go work when the disk is full.

Even removing a row has to be written to the log first. The reserve is given up for that, and made again afterwards
when there is room; it holds nothing and may be deleted at any time.
"""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeVar

import apsw

from tenure.model.errors import StoreUnusable
from tenure.store.sqlite.connection import explained, holding

if TYPE_CHECKING:
    from tenure.store.api import Doing

Result = TypeVar("Result")

# What forgetting a memory writes in a store of a few thousand, with some to spare.
BYTES = 512 * 1024
# On a disk with less room than so many times that, nothing is put by.
_ROOM = 4


class Opened(Protocol):
    """A store that can be closed and opens itself again."""

    path: Path | None

    @property
    def connection(self) -> apsw.Connection: ...

    def close(self) -> None: ...


def place(database: Path | str) -> str:
    """Return where the reserve of a store lies."""
    return f"{database}.reserve"


def put_by(database: Path | str | None) -> None:
    """Make the reserve of a store that is there, unless it has one or the disk has little room."""
    if database is None or os.path.lexists(path := place(database)) or not os.path.exists(database):
        return
    with contextlib.suppress(OSError):
        if _free(os.path.dirname(path) or ".") < _ROOM * BYTES:
            return
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            _allocate(handle)
        except OSError:
            os.unlink(path)
        finally:
            os.close(handle)


@contextlib.contextmanager
def at_hand(store: Opened) -> Iterator[Doing]:
    """Hand out a function that does something, giving up the reserve for it when the disk is full.

    What is done must be safe to repeat after it failed.
    """
    spent = False

    def do(action: Callable[[], Result]) -> Result:
        nonlocal spent
        try:
            return action()
        except (StoreUnusable, OSError) as error:
            if spent or store.path is None or not _is_full(error, store.path):
                raise
            spent = True
            with contextlib.suppress(OSError):
                os.unlink(place(store.path))
            # A store that could only be opened for reading is opened again for writing.
            store.close()
            return action()

    try:
        yield do
    finally:
        if spent:
            _shorten_log(store)
            put_by(store.path)


def _is_full(error: StoreUnusable | OSError, database: Path) -> bool:
    """Tell whether an error comes from a full disk; SQLite does not always say so.

    Other systems' files lie on the companion's disk too, and writing them fails with the system's own error.
    """
    if isinstance(error, OSError):
        return error.errno in (errno.ENOSPC, errno.EDQUOT)
    try:
        return isinstance(error.__cause__, apsw.FullError) or _free(database.parent) < BYTES
    except OSError:
        return False


def _free(folder: Path | str) -> int:
    facts = os.statvfs(folder)
    return facts.f_bavail * facts.f_frsize


def _allocate(handle: int) -> None:
    """Take the space for real: a file with holes reserves nothing."""
    if hasattr(os, "posix_fallocate"):
        os.posix_fallocate(handle, 0, BYTES)
    else:
        os.write(handle, b"\0" * BYTES)


def _shorten_log(store: Opened) -> None:
    with contextlib.suppress(StoreUnusable), explained(store.path), holding(store.path, store.connection):
        store.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
