"""One process's hold on a project in a team's database: a connection, the project's number, one change at a time.

Every change carries the key of its command. When the connection breaks while it is committed, the key says whether it
arrived; a command sent again under the same key is not done again.
"""

from __future__ import annotations

import contextlib
import os
import secrets
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

from tenure.files.database_address import Address
from tenure.model.errors import StoreUnreachable
from tenure.model.memory import Verdict
from tenure.store.postgres import queries
from tenure.store.postgres.connection import Connection, borrowed, explain, explained, is_lost, returned
from tenure.store.records import Row, Team
from tenure.store.sqlite.memory_rows import checked

Result = TypeVar("Result")


class _DoneBefore(Exception):
    """Carries a command that was done before out of its transaction."""


class Handle:
    """A project in a team's database. Use it from one thread."""

    def __init__(self, address: Address) -> None:
        self.address = address
        self.damaged: list[str] = []
        self.also_forgotten: frozenset[bytes] = frozenset()
        # The key of the next change; without one it gets a key of its own.
        self.command = ""
        self._connection: Connection | None = None
        self._pid = os.getpid()
        self._project: int | None = None
        self._team: Team | None = None
        self._writing = False

    @property
    def place(self) -> str:
        """Where it is, for messages; without a password."""
        return self.address.shown

    @property
    def connection(self) -> Connection:
        """The open connection of this process, set to the project; one that broke is replaced between changes."""
        if self._connection is not None and self._pid != os.getpid():
            # The parent's: closing it here would end the parent's session.
            self._connection, self._writing = None, False
        if self._connection is not None and self._connection.closed and not self._writing:
            self.close()
        if self._connection is None:
            self._pid = os.getpid()
            with explained(self.place):
                self._connection = borrowed(self.address)
                self._project = None
        if self._project is None:
            self._look_up(self._connection)
        return self._connection

    @property
    def project(self) -> int:
        """The number of the project; 0, which no project has, before it exists."""
        assert self.connection is not None
        return self._project or 0

    @property
    def team(self) -> Team | None:
        """Who acts here, and what that role may do."""
        with explained(self.place):
            if self._team is None or self._project is None:
                project = self.project
                role, judges, decides, agent, approvals = self.one(queries.WHO, (project,))
                self._team = Team(role=role, judges=judges, decides=decides, is_agent=agent, approvals=approvals)
            return self._team

    @property
    def is_writing(self) -> bool:
        """Whether a change is under way in this process."""
        return self._writing and self._pid == os.getpid()

    def close(self) -> None:
        """Give the connection back; the next use opens another."""
        if self._connection is not None and self._pid == os.getpid():
            returned(self.address, self._connection)
        self._connection, self._project, self._team = None, None, None

    def one(self, query: str, values: Sequence[Any] = ()) -> Any:
        """Return the first row of a named query, None when there is none."""
        return self.connection.execute(query, values).fetchone()

    def value(self, query: str, values: Sequence[Any] = ()) -> Any:
        """Return the first column of the first row, None when there is none."""
        row = self.one(query, values)
        return row[0] if row else None

    def all(self, query: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """Return all rows of a named query."""
        return self.connection.execute(query, values).fetchall()

    def many(self, query: str, rows: Sequence[Sequence[Any]]) -> None:
        """Run a named query once for each row."""
        if rows:
            self.connection.cursor().executemany(query, rows)

    def rows(self, clause: str, values: Sequence[Any]) -> list[Row]:
        """Return the memories of this project that a clause of `queries` selects."""
        with explained(self.place):
            return checked(self.all(queries.MEMORIES.format(clause), (self.project, *values)), self.damaged)

    def runs(self) -> int:
        """Return how many runs the project has seen."""
        with explained(self.place):
            return int(self.value(queries.RUNS, (self.project,)) or 0)

    def judged(self, id: str, verdict: Verdict) -> Verdict:
        """Return a verdict on a memory as it counts in this store."""
        return verdict

    @contextlib.contextmanager
    def transaction(self, *, makes: bool = True) -> Iterator[None]:
        """Hold the project for one change; what is read inside cannot be changed by others before it is committed."""
        if self.is_writing:
            yield
            return
        connection = self.connection
        key = self.command or secrets.token_hex(16)
        self._writing = True
        committing = False
        try:
            connection.execute("BEGIN")
            was_there = bool(self._project)
            if not was_there:
                self._make(connection)
            connection.execute(queries.HOLD)
            yield
            connection.execute(queries.NOTE_COMMAND, (self.project, key))
            committing = True
            connection.execute("COMMIT" if was_there or makes else "ROLLBACK")
            self.command = ""
            if not (was_there or makes):
                self._project = None
        except BaseException as error:
            self._abandon(connection)
            if not (committing and is_lost(error) and self._arrived(key)):
                if isinstance(error, Exception) and is_lost(error) | _is_drivers(error):
                    explain(error, self.place)
                raise
        finally:
            self._writing = False

    @contextlib.contextmanager
    def one_view(self) -> Iterator[None]:
        """See one state in all that is read, whatever others write meanwhile."""
        if self.is_writing:
            yield
            return
        connection = self.connection
        connection.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
        try:
            yield
        finally:
            if not connection.closed:
                connection.execute("ROLLBACK")

    def once(self, key: str, command: Callable[[], Result]) -> Result | None:
        """Carry out a command in one change under its key; None when that was done before."""
        self.command = key
        try:
            with self.transaction():
                # Asked while the project is held: an earlier try may have been on its way until now.
                if self.done(key):
                    raise _DoneBefore
                return command()
        except _DoneBefore:
            return None
        finally:
            self.command = ""

    def done(self, key: str) -> bool:
        """Tell whether the command with this key was carried out."""
        with explained(self.place):
            return self.value(queries.COMMAND_DONE, (self.project, key)) is not None

    def _arrived(self, key: str) -> bool:
        """Tell, over a new connection, whether a change was committed before the old one broke."""
        self._writing = False
        try:
            return self.done(key)
        except StoreUnreachable as error:
            raise StoreUnreachable(
                f"{self.place} broke off while it was written to; it is not known whether the change was made.",
                hint="`tenure history` shows it when the database is back.",
            ) from error

    def _abandon(self, connection: Connection) -> None:
        self._project = None
        with contextlib.suppress(Exception):
            if not connection.closed:
                connection.execute("ROLLBACK")
                return
        self._connection = None

    def _look_up(self, connection: Connection) -> None:
        with explained(self.place):
            found = connection.execute(queries.FIND_PROJECT, (self.address.project,)).fetchone()
            self._project = found[0] if found and found[0] else None
            if self._project:
                connection.execute(queries.ENTER, (str(self._project),))
            elif not self._writing:
                connection.execute(queries.ENTER, ("",))

    def _make(self, connection: Connection) -> None:
        found = connection.execute(queries.MAKE_PROJECT, (self.address.project,)).fetchone()
        assert found is not None
        self._project, self._team = int(found[0]), None
        connection.execute(queries.ENTER, (str(self._project),))


def _is_drivers(error: Exception) -> bool:
    return type(error).__module__.startswith("psycopg") or isinstance(error, UnicodeError)
