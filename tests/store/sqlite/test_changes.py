"""A change of one memory writes what follows from it and differs, and nothing else."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import tenure
from tenure.model import kinds
from tenure.store import open_store
from tenure.store.sqlite.store import SqliteStore
from tests.opened import database
from tests.store.test_contract import found, memory, problems, revise, write


@pytest.fixture
def ws(tmp_path: Path) -> tenure.Workspace:
    ws = tenure.open(f"sqlite:{tmp_path / 'memory.db'}", tmp_path)
    ws.add("Alder grows slowly beside the river", id="alder", tags=["trees"], files=["src/wood/alder.py"])
    store = ws.project.store
    rows = store.vectors.missing("toy", 5)
    store.vectors.keep("toy", rows, [b"\1\2"], ["shrub"])
    return ws


def _read(ws: tenure.Workspace, statement: str) -> list[Any]:
    return database(ws).connection.execute(statement).fetchall()


def _index(ws: tenure.Workspace) -> list[Any]:
    return _read(ws, "SELECT id, hex(block) FROM search_data ORDER BY id")


def _found(ws: tenure.Workspace, query: str) -> list[str]:
    return [
        id for (id,) in _read(ws, f"SELECT id FROM memory JOIN search ON search.rowid = n WHERE search = '{query}'")
    ]


def test_a_log_leaves_the_index_as_it_was(ws: tenure.Workspace) -> None:
    """Choice: what a log changes no word of is not taken out of the index and put in again."""
    tables = ("memory_file", "vector")
    before = _index(ws), [_read(ws, f"SELECT * FROM {table}") for table in tables]
    ws.log("alder", "neutral", task="t1")
    assert (_index(ws), [_read(ws, f"SELECT * FROM {table}") for table in tables]) == before
    assert _found(ws, "shrub") == ["alder"] and ws.check() == []


def test_a_change_of_kind_alone_takes_the_vector_and_its_related_words_away(tmp_path: Path) -> None:
    """Choice: a vector is kept for kind and text together, so that another kind has none."""
    store = open_store(tmp_path / "store.db", "sqlite")
    first = memory("m-1", "Alder grows slowly")
    write(store, first)
    store.vectors.keep("toy", store.vectors.missing("toy", 5), [b"\1\2"], ["shrub"])
    assert found(store, "shrub") == ["m-1"]
    revise(store, first, 1, kind="runbook")
    assert store.vectors.codes().numbers == [] and found(store, "shrub") == []
    assert found(store, "slowly") == ["m-1"] and problems(store) == []


@pytest.mark.parametrize(
    ("change", "gone", "come"),
    [
        ({"text": "Birch stands beside the lake"}, "river", "lake"),
        ({"title": "Poplar"}, "title: alder", "poplar"),
        ({"tags": ["trees", "bushes"]}, "", "bushes"),
        ({"files": ["src/wood/birch.py"]}, "names: alder*", "names: birch*"),
    ],
)
def test_a_change_of_any_indexed_field_is_found(
    ws: tenure.Workspace, change: dict[str, Any], gone: str, come: str
) -> None:
    """Contract: the index holds what the memory says now."""
    assert _found(ws, gone or "trees") == ["alder"] and _found(ws, come) == []
    ws.edit("alder", **change)
    assert (not gone or _found(ws, gone) == []) and _found(ws, come) == ["alder"] and ws.check() == []


def test_every_field_that_the_index_is_made_of_is_compared() -> None:
    """Choice: a field that the index reads and the comparison does not would leave it stale."""
    read: list[str] = []

    class Watched:
        title, tags, text, content, files, kind = "t", (), "x", None, (), "fact"

        def __getattribute__(self, name: str) -> Any:
            read.append(name)
            return object.__getattribute__(self, name)

    kinds.indexed(Watched())  # type: ignore[arg-type]
    assert set(read) - {"__class__"} == set(kinds.INDEXED)


def test_a_row_that_was_altered_is_indexed_anew(tmp_path: Path) -> None:
    """Choice: what a row says that Tenure did not write is no proof of what the index holds."""
    store = open_store(tmp_path / "store.db", "sqlite")
    assert isinstance(store, SqliteStore)
    first = memory("m-1", "Alder grows slowly", files=("src/wood/alder.py",))
    write(store, first)
    store.connection.execute("UPDATE memory SET line = 'altered'; DELETE FROM search; DELETE FROM memory_file")
    revise(store, first, 1, times_held=1)
    assert found(store, "slowly") == ["m-1"] and problems(store) == []
