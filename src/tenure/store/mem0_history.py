"""mem0's history in SQLite: what each memory said last, read by name and never written."""

from __future__ import annotations

from collections.abc import Iterator

import apsw

from tenure.model.errors import InvalidInput

_MAGIC = b"SQLite format 3\x00"
MOST_ROWS = 200_000
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
        with open(path, "rb") as file:
            return file.read(len(_MAGIC)) == _MAGIC
    except OSError:
        return False


def latest(path: str) -> Iterator[tuple[str, str]]:
    """Yield the id and the last text of each memory that was not deleted, by their last change."""
    try:
        connection = apsw.Connection(path, flags=apsw.SQLITE_OPEN_READONLY)
        try:
            if not list(connection.execute("PRAGMA table_info(history)")):
                raise InvalidInput(f"{path!r} has no history of mem0.", hint="mem0 keeps history.db in ~/.mem0.")
            yield from ((str(id), str(text).strip()) for id, text in connection.execute(_LATEST))
        finally:
            connection.close()
    except apsw.Error as error:
        raise InvalidInput(f"{path!r} cannot be read as mem0's history: {error}.") from None
