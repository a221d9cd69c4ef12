"""Connections to a team's database, and what their failures mean to a user.

A command connects once, and hears at once when nobody answers. A process that opens the store again, as a server does
for each request, borrows from a pool. What a session was set to is taken back before the next one gets it.
"""

from __future__ import annotations

import atexit
import contextlib
import logging
import os
from collections.abc import Callable, Iterator
from functools import wraps
from typing import Any, NoReturn, TypeVar

from tenure.files.database_address import Address, redacted
from tenure.model.errors import (
    Conflict,
    InvalidInput,
    Refused,
    StoreBusy,
    StoreDamaged,
    StoreUnreachable,
    StoreUnusable,
)

try:
    import psycopg
    from psycopg import errors, sql
    from psycopg_pool import ConnectionPool, PoolTimeout
except ImportError:
    from tenure.files.extras import adding  # start-up: only where it is missing

    raise StoreUnusable("This store needs the driver of PostgreSQL.", hint=adding("postgres")) from None

__all__ = ["borrowed", "close_pools", "explained", "explains", "is_lost", "returned", "sql"]

Method = TypeVar("Method", bound=Callable[..., Any])
Connection = psycopg.Connection[tuple[Any, ...]]

CONNECT_SECONDS = 5
POOL_SECONDS = 5
MOST_CONNECTIONS = 8
# Errors of our own functions: a rule says no; somebody wrote first.
_REFUSED, _OVERTAKEN = "TN003", "TN004"
# By process, because a connection must not be used on both sides of a fork.
_pools: dict[tuple[int, str], ConnectionPool[Connection]] = {}
_opened: set[tuple[int, str]] = set()


def borrowed(address: Address) -> Connection:
    """Return a connection that belongs to the caller until it is `returned`."""
    key = (os.getpid(), address.conninfo)
    if key not in _opened:
        connection = connect(address.conninfo)
        _opened.add(key)
        return connection
    if key not in _pools:
        # Whoever asks for a connection is told what is wrong; the pool's own threads would print it besides.
        logging.getLogger("psycopg.pool").setLevel(logging.CRITICAL)
        _pools[key] = ConnectionPool(
            address.conninfo,
            min_size=0,
            max_size=MOST_CONNECTIONS,
            kwargs={"autocommit": True, "connect_timeout": CONNECT_SECONDS, "application_name": "tenure"},
            check=ConnectionPool.check_connection,
            reset=_forget_project,
            open=True,
        )
    try:
        return _pools[key].getconn(timeout=POOL_SECONDS)
    except PoolTimeout:
        # The pool does not say why; trying once more does. While nobody answers, each use hears so at once.
        _pools.pop(key).close(timeout=0)
        _opened.discard(key)
        connection = connect(address.conninfo)
        _opened.add(key)
        return connection


def connect(conninfo: str) -> Connection:
    """Return a new connection."""
    return psycopg.connect(conninfo, autocommit=True, connect_timeout=CONNECT_SECONDS, application_name="tenure")


def returned(address: Address, connection: Connection) -> None:
    """Give a connection back."""
    pool = _pools.get((os.getpid(), address.conninfo))
    own: object = getattr(connection, "_pool", None)
    with contextlib.suppress(psycopg.Error):
        # A pool that nobody answered was thrown away, and its connections with it.
        if pool is not None and own is pool:
            pool.putconn(connection)
        else:
            connection.close()


def _forget_project(connection: Connection) -> None:
    connection.execute("SELECT set_config('tenure.project', '', false)")
    connection.execute("UNLISTEN *")


@atexit.register
def close_pools() -> None:
    """End what this process keeps open between uses; the next use connects anew."""
    for (pid, _), pool in _pools.items():
        if pid == os.getpid():
            pool.close(timeout=1)
    _pools.clear()
    _opened.clear()


def is_lost(error: BaseException) -> bool:
    """Tell whether an error says that the connection is gone, so that nobody knows whether a commit arrived."""
    return isinstance(error, psycopg.OperationalError | psycopg.InterfaceError)


_EXPLAINED = (psycopg.Error, PoolTimeout, UnicodeError)


@contextlib.contextmanager
def explained(place: str) -> Iterator[None]:
    """Turn the driver's errors into ours."""
    try:
        yield
    except _EXPLAINED as error:
        explain(error, place)


def explains(method: Method) -> Method:
    """Let a method of a store fail with our errors only."""

    @wraps(method)
    def with_our_errors(store: Any, *arguments: Any, **named: Any) -> Any:
        try:
            return method(store, *arguments, **named)
        except _EXPLAINED as error:
            explain(error, store.place)

    return with_our_errors  # type: ignore[return-value]


def explain(error: Exception, place: str) -> NoReturn:
    """Raise our error for one of the driver's; no password of an address stands in it."""
    said = redacted(str(error)).strip().partition("\n")[0]
    state = getattr(error, "sqlstate", None)
    if isinstance(error, errors.InsufficientPrivilege) and "schema tenure" in said:
        raise Refused(
            f"{place} has not let you in: your role is in none of Tenure's groups.",
            hint="Whoever administers the database lets a role in: tenure team grant ROLE member",
        ) from None
    if isinstance(error, errors.ReadOnlySqlTransaction):
        raise StoreUnusable(
            f"{place} takes no changes: it is read-only, as a standby is; nothing was changed.",
            hint="Use the address of the primary, or ask whoever administers it. What is there can be read.",
        ) from None
    if state == _REFUSED or isinstance(error, errors.InsufficientPrivilege):
        raise Refused(said, hint="`tenure team init --help` says what each role may do.") from None
    if state == _OVERTAKEN or isinstance(error, errors.UniqueViolation):
        raise Conflict(said, hint="Read it again and repeat the change.") from None
    if isinstance(error, errors.InvalidSchemaName | errors.UndefinedFunction | errors.UndefinedTable):
        raise StoreUnusable(
            f"{place} has no schema of Tenure's, or an older one.",
            hint="Whoever administers the database makes it: tenure team init",
        ) from None
    if isinstance(error, errors.LockNotAvailable | errors.QueryCanceled | errors.DeadlockDetected):
        raise StoreBusy(f"{place} is in use by another process.", hint="Try again.") from None
    if isinstance(error, errors.DataCorrupted | errors.IndexCorrupted):
        raise StoreDamaged(f"{place} is damaged ({said}).", hint="Restore a backup.") from None
    if isinstance(error, UnicodeEncodeError):
        raise InvalidInput(f"{error.object[:40]!a} is not Unicode text.") from None
    if isinstance(error, psycopg.DataError | UnicodeError):
        raise InvalidInput(f"The database does not take this: {said}.") from None
    if is_lost(error) or isinstance(error, PoolTimeout):
        raise StoreUnreachable(
            f"{place} cannot be reached ({said}); nothing was changed.",
            hint="Check the address, the password and the network. Prompts go on with what was pulled last.",
        ) from None
    raise StoreUnusable(
        f"{place} cannot be used ({said}).", hint="`tenure check` shows whether it is intact."
    ) from None
