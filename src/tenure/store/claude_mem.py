"""What claude-mem keeps in its SQLite database: its observations, read by name and never written."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

from tenure.model.errors import InvalidInput
from tenure.store import foreign_database

# Later versions added columns; those that are not there are empty.
COLUMNS = ("id", "project", "type", "title", "text", "narrative", "facts", "concepts", "files_modified")
MOST_ROWS = 200_000


def observations(path: str, *, project: str = "") -> Iterator[dict[str, Any]]:
    """Yield the observations of a database, or of one project in it, oldest first."""
    if not os.path.isfile(path):
        raise InvalidInput(f"{path!r} is no file.", hint="claude-mem keeps claude-mem.db in ~/.claude-mem.")
    with foreign_database.reading(path, whose="claude-mem's database") as connection:
        there = foreign_database.columns(connection, "observations")
        if "id" not in there:
            raise InvalidInput(f"{path!r} has no observations of claude-mem.")
        named = ", ".join(name if name in there else f"NULL AS {name}" for name in COLUMNS)
        where, values = ("WHERE project = ?", (project,)) if project and "project" in there else ("", ())
        rows = connection.execute(f"SELECT {named} FROM observations {where} ORDER BY id LIMIT {MOST_ROWS}", values)
        yield from (dict(zip(COLUMNS, row, strict=True)) for row in rows)
