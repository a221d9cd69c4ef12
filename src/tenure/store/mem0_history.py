"""mem0's history in SQLite: what each memory said last, read by name and never written."""

from __future__ import annotations

import os
from collections.abc import Iterator

from tenure.model.errors import InvalidInput
from tenure.store import foreign_database

_MAGIC = b"SQLite format 3\x00"
MOST_ROWS = 200_000
COLUMNS = frozenset({"memory_id", "new_memory", "event", "is_deleted"})
# The rows stand in the order they were written in; the times of one memory may be equal.
_LATEST = f"""
SELECT memory_id, new_memory FROM history AS h
WHERE rowid = (SELECT max(rowid) FROM history WHERE memory_id = h.memory_id)
  AND coalesce(is_deleted, 0) = 0 AND event <> 'DELETE' AND trim(coalesce(new_memory, '')) <> ''
ORDER BY rowid LIMIT {MOST_ROWS}
"""


def is_database(path: str) -> bool:
    """Tell whether a file is an SQLite database."""
    try:
        # Nobody writes into a pipe that lies in its place.
        with open(path, "rb", opener=_without_waiting) as file:
            return file.read(len(_MAGIC)) == _MAGIC
    except OSError:
        return False


def _without_waiting(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def latest(path: str) -> Iterator[tuple[str, str]]:
    """Yield the id and the last text of each memory that was not deleted, by their last change."""
    with foreign_database.reading(path, whose="mem0's history") as connection:
        if not foreign_database.columns(connection, "history") >= COLUMNS:
            raise InvalidInput(f"{path!r} has no history of mem0.", hint="mem0 keeps history.db in ~/.mem0.")
        yield from ((str(id), str(text).strip()) for id, text in connection.execute(_LATEST))
