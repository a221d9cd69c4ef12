"""Another program's SQLite database, read by name and never written: whoever made the file may mean harm.

Only stored columns of real tables are read. A view may be a query without end in a table's place, and a generated
column makes any number of bytes out of none.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager

import apsw

from tenure.model.errors import InvalidInput

MOST_VALUE_BYTES = 16 * 1024 * 1024


@contextmanager
def reading(path: str, *, whose: str) -> Iterator[apsw.Connection]:
    """Open a database; what goes wrong is an error that says it is not `whose`."""
    if not _is_regular(path):
        raise InvalidInput(f"{path!r} is no regular file.")
    try:
        connection = apsw.Connection(path, flags=apsw.SQLITE_OPEN_READONLY)
        try:
            for setting in (apsw.SQLITE_DBCONFIG_ENABLE_VIEW, apsw.SQLITE_DBCONFIG_ENABLE_TRIGGER):
                connection.config(setting, 0)
            connection.config(apsw.SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)
            connection.limit(apsw.SQLITE_LIMIT_LENGTH, MOST_VALUE_BYTES)
            yield connection
        finally:
            connection.close()
    except apsw.Error as error:
        raise InvalidInput(f"{path!r} cannot be read as {whose}: {error}.") from None


def columns(connection: apsw.Connection, table: str) -> set[str]:
    """Return the stored columns of a table; a generated one is none."""
    return {row[0] for row in connection.execute("SELECT name FROM pragma_table_info(?)", (table,))}


def _is_regular(path: str) -> bool:
    # A pipe would make SQLite wait.
    try:
        return stat.S_ISREG(os.stat(path).st_mode)
    except (OSError, ValueError):
        return False
