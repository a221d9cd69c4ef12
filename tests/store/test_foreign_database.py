"""Another program's database may come from anybody: what is in it is read, and nothing of it is run."""

from __future__ import annotations

import os
from pathlib import Path

import apsw
import pytest

from tenure.model.errors import TenureError
from tenure.store import claude_mem, foreign_database, mem0_history
from tests.program import Program

ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT"
HISTORY = "memory_id, new_memory, event, is_deleted"


def made(path: Path, *statements: str) -> Path:
    connection = apsw.Connection(str(path))
    for statement in statements:
        connection.execute(statement)
    connection.close()
    return path


@pytest.mark.parametrize(
    ("form", "statement"),
    [
        ("claude-mem", f"CREATE VIEW observations AS {ENDLESS} i AS id, 'x' AS text FROM n WHERE i < 0"),
        (
            "mem0",
            f"CREATE VIEW history AS {ENDLESS} i AS memory_id, '' AS new_memory, '' AS event, 0 AS is_deleted FROM n",
        ),
    ],
)
def test_a_query_without_end_in_a_tables_place_is_refused(program: Program, form: str, statement: str) -> None:
    """As in a clone's own database: `import` waited for ever."""
    path = made(program.folder / "given.db", statement)
    done = program("import", f"{form}:{path}")
    assert done.status == 2 and "cannot be read as" in done.errors


def test_generated_columns_are_not_read(tmp_path: Path) -> None:
    """A file of a few kilobytes could fill the memory of the machine."""
    path = made(
        tmp_path / "given.db",
        "CREATE TABLE observations (id INTEGER PRIMARY KEY, title TEXT, text TEXT AS (hex(zeroblob(8000000))))",
        "INSERT INTO observations (title) VALUES ('a')",
    )
    (row,) = claude_mem.observations(str(path))
    assert row["title"] == "a" and row["text"] is None
    path = made(
        tmp_path / "history.db",
        f"CREATE TABLE history ({HISTORY.replace('new_memory', 'new_memory TEXT AS (hex(zeroblob(8000000)))')})",
    )
    with pytest.raises(TenureError, match="no history of mem0"):
        list(mem0_history.latest(str(path)))


def test_a_value_has_a_limit(tmp_path: Path) -> None:
    """Our own choice: no memory is that long."""
    path = made(tmp_path / "given.db", f"CREATE TABLE history ({HISTORY})")
    made(path, f"INSERT INTO history VALUES ('m', zeroblob({foreign_database.MOST_VALUE_BYTES + 1}), 'ADD', 0)")
    with pytest.raises(TenureError, match="cannot be read as mem0's history"):
        list(mem0_history.latest(str(path)))


def test_a_pipe_is_no_database(tmp_path: Path) -> None:
    """Opening one waits until somebody writes."""
    os.mkfifo(tmp_path / "pipe")
    assert not mem0_history.is_database(str(tmp_path / "pipe"))
    with (
        pytest.raises(TenureError, match="no regular file"),
        foreign_database.reading(str(tmp_path / "pipe"), whose="x"),
    ):
        pass
