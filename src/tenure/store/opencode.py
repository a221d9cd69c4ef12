"""OpenCode's database of sessions, which is only read. What cannot be read is as if it were not there."""

from __future__ import annotations

import os
from typing import Any

import apsw

BUSY_MILLISECONDS = 500


def parts(path: str, session: str) -> list[tuple[Any, Any]]:
    """Return the (message, part) documents of a session in order."""
    return _rows(
        path,
        "SELECT message.data, part.data FROM message JOIN part ON part.message_id = message.id"
        " WHERE message.session_id = ? ORDER BY message.id, part.id",
        (session,),
    )


def sessions(path: str) -> list[tuple[Any, Any, Any]]:
    """Return (id, folder, milliseconds of the last change) of every session a person held, not those of subagents."""
    everything = "SELECT id, directory, time_updated FROM session"
    # An older database knows no parents.
    return _rows(path, f"{everything} WHERE parent_id IS NULL", ()) or _rows(path, everything, ())


def _rows(path: str, query: str, values: tuple[str, ...]) -> list[Any]:
    if not os.path.isfile(path):
        return []
    try:
        connection = apsw.Connection(path, flags=apsw.SQLITE_OPEN_READONLY)
        try:
            connection.set_busy_timeout(BUSY_MILLISECONDS)
            return connection.execute(query, values).fetchall()
        finally:
            connection.close()
    except apsw.Error:
        return []
