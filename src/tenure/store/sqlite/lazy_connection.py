"""A store's connection over its life: opened on first use, held for one change at a time, opened anew after a fork.

A store that was never written is read as an empty one in memory, so that looking leaves nothing behind.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import apsw

from tenure.model.memory import Verdict
from tenure.store.folder import make_folder
from tenure.store.records import Row
from tenure.store.sqlite import named
from tenure.store.sqlite.connection import explained, explains, holding, open_database, reachable, refuse_links
from tenure.store.sqlite.memory_rows import select
from tenure.store.sqlite.reserve import put_by

# Connections of a parent process, kept from being closed by the garbage collector.
_ABANDONED: list[apsw.Connection] = []


class Handle:
    """One process's connection to a store. Use it from one thread."""

    def __init__(self, path: Path | None) -> None:
        self.path = path
        # The ids of rows that were altered behind our back and are not served.
        self.damaged: list[str] = []
        # Marks of what was forgotten here that an old copy of the database has lost.
        self.also_forgotten: frozenset[bytes] = frozenset()
        self._connection: apsw.Connection | None = None
        self._pid = os.getpid()
        self._writing = False
        self._in_memory = False
        self._rehearsing = False

    @property
    def connection(self) -> apsw.Connection:
        """The open connection of this process; a store that was never written is read as an empty one."""
        self._leave_to_parent()
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

    @property
    def is_writing(self) -> bool:
        """Whether a change is under way in this process; one that a fork interrupted is the parent's."""
        return self._writing and self._pid == os.getpid()

    def close(self) -> None:
        """Close the connection; the next use opens it again."""
        self._leave_to_parent()
        if self._connection is not None:
            self._connection.close()
        self._connection = None

    def _leave_to_parent(self) -> None:
        """After a fork, leave the connection as it is: using it would damage the file, closing it drop its locks."""
        if self._connection is not None and self._pid != os.getpid():
            _ABANDONED.append(self._connection)
            self._connection, self._writing = None, False

    @contextlib.contextmanager
    def transaction(self) -> Iterator[None]:
        """Hold the store for one change: what is read inside cannot be changed by others before it is committed."""
        if self.is_writing:
            yield
            return
        connection = self._for_writing()
        with holding(None if self._in_memory else self.path, connection), explained(self.path):
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
        if self.path is not None and not self._in_memory:
            put_by(named(connection, self.path))

    @explains
    def rows(self, where: str, values: Sequence[Any]) -> list[Row]:
        """Return the memories whose rows a clause selects."""
        return select(self.connection, where, values, self.damaged)

    @explains
    def runs(self) -> int:
        """Return how many runs the store has seen."""
        return int(self.connection.execute("SELECT max(n) FROM run").get or 0)

    def judged(self, id: str, verdict: Verdict) -> Verdict:
        """Return a verdict on a memory as it counts in this store."""
        return verdict

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
