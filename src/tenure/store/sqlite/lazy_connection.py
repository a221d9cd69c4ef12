"""A store's connection over its life: opened on first use, held for one change at a time, opened anew after a fork.

A store that was never written is read as an empty one in memory, so that looking leaves nothing behind.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

import apsw

from tenure.store.sqlite.connection import explained, holding, open_database, reachable, refuse_links

# Connections of a parent process, kept from being closed by the garbage collector.
_ABANDONED: list[apsw.Connection] = []


class Handle:
    """One process's connection to a store. Use it from one thread."""

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self._connection: apsw.Connection | None = None
        self._pid = os.getpid()
        self._writing = False
        self._in_memory = False
        self._rehearsing = False

    @property
    def connection(self) -> apsw.Connection:
        """The open connection of this process; a store that was never written is read as an empty one."""
        if self._connection is not None and self._pid != os.getpid():
            # The parent's connection must not be used, and not closed either: closing would drop its locks.
            _ABANDONED.append(self._connection)
            self._connection, self._writing = None, False
        replaceable = self._connection is not None and self._in_memory and not self._writing
        if replaceable and self.path is not None and self.path.exists():
            # Another process has made the store since.
            self.close()
        if self._connection is None:
            self._pid = os.getpid()
            exists = self.path is not None and (self.path.exists() or self.path.is_symlink())
            self._connection = open_database(self.path if exists else None)
            self._in_memory = not exists
        return self._connection

    def close(self) -> None:
        """Close the connection; the next use opens it again."""
        if self._connection is not None and self._pid == os.getpid():
            self._connection.close()
        self._connection = None

    @contextlib.contextmanager
    def writing(self) -> Iterator[None]:
        """Hold the store for one change: what is read inside cannot be changed by others before it is committed."""
        if self._writing:
            yield
            return
        connection = self._for_writing()
        with holding(None if self._in_memory else self.path), explained(self.path):
            self._writing = True
            try:
                connection.execute("BEGIN IMMEDIATE")
                yield
                connection.execute("COMMIT")
            except BaseException as error:
                self._abandon(connection, error)
                raise
            finally:
                self._writing = False

    @contextlib.contextmanager
    def rehearsal(self) -> Iterator[None]:
        """Let a change leave nothing behind where no store is yet; one that is there is written as always."""
        self._rehearsing = True
        try:
            yield
        finally:
            self._rehearsing = False
            if self._in_memory:
                self.close()

    def _for_writing(self) -> apsw.Connection:
        connection = self.connection
        if self.path is not None and self._in_memory and not self._rehearsing:
            connection.close()
            refuse_links(self.path)
            with reachable(self.path):
                make_folder(self.path.parent)
            self._connection = open_database(self.path)
            self._in_memory = False
        return self.connection

    def _abandon(self, connection: apsw.Connection, error: BaseException) -> None:
        with contextlib.suppress(apsw.Error):
            if connection.in_transaction:
                connection.execute("ROLLBACK")
        if isinstance(error, apsw.IOError):
            # After a failed flush nobody knows what is on the disk: start again from what is really there.
            with contextlib.suppress(apsw.Error):
                connection.close()
            self._connection = None


def make_folder(folder: Path) -> None:
    """Make the folder of a store, for its owner only, and keep it out of version control."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if folder.name == ".tenure":
        # Also in a folder that is there already, with a project's settings in it; never through a link.
        _ignore_all(folder)


def _ignore_all(folder: Path) -> None:
    inside, name = None, str(folder / ".gitignore")
    if os.open in os.supports_dir_fd:
        # By a handle, so that nobody can swap the folder for a link between looking and writing.
        inside, name = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW), ".gitignore"
    try:
        with contextlib.suppress(FileExistsError):
            handle = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644, dir_fd=inside)
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write("*\n")
    finally:
        if inside is not None:
            os.close(inside)
