"""R15: what is derived can be deleted and made anew with the same results; export and import reach a fixpoint."""

from __future__ import annotations

from typing import Any

import pytest

import tenure
from tests.faults import sql
from tests.program import Program

WAYS = {
    "index emptied": ["DELETE FROM search"],
    "index entry missing": ["DELETE FROM search WHERE rowid = 3"],
    "index damaged": ["UPDATE search_data SET block = zeroblob(20) WHERE id > 10"],
    "files emptied": ["DELETE FROM memory_file"],
    "words planted": [
        "INSERT INTO common_word VALUES ('caching', 9)",
        "INSERT INTO meta VALUES ('words_counted_at', 9)",
    ],
}


def answers(program: Program) -> list[Any]:
    """Return what the derived data is for: hits and injections, without the block's random mark."""
    with tenure.open(folder=program.folder) as ws:
        hits = [ws.search(query) for query in ("caching", "database index", "lesson7")]
        shown = [ws.inject(query, files=files).memories for query, files in (("caching", ()), ("", ("src/app.py",)))]
        return [hits, shown]


@pytest.fixture
def filled(program: Program) -> Program:
    with tenure.open(folder=program.folder) as ws:
        for n in range(12):
            ws.add(f"lesson{n} on caching headers and database index{n}", files=["src/app.py"] if n % 3 == 0 else [])
    return program


@pytest.mark.parametrize("way", WAYS)
def test_derived_data_is_made_anew_with_the_same_answers(way: str, filled: Program) -> None:
    """R15: delete, rebuild, compare."""
    before = answers(filled)
    sql(filled.database, *WAYS[way])
    if way.startswith("index"):
        found = filled("--json", "check")
        assert found.status == 1 and "--rebuild" in found.text
    assert filled("doctor", "--rebuild").status == 0
    assert answers(filled) == before
    assert filled.ok("check") == {"problems": []}


def test_export_import_export_is_a_fixpoint(filled: Program) -> None:
    """R15 and issue: import/export is lossless, seals and all."""
    with tenure.open(folder=filled.folder) as ws:
        ws.retire(ws.memories()[0].id, reason="over")
        ws.log(ws.memories()[0].id, "negative", task="T", notes="why not")
    first = filled("export", "-").out
    (filled.folder / "all.jsonl").write_bytes(first)
    assert filled.ok("--store", "sqlite:again.db", "import", "all.jsonl")["written"] == 12
    assert filled("--store", "sqlite:again.db", "export", "-").out == first
    assert filled.ok("--store", "sqlite:again.db", "check") == {"problems": []}
    assert filled.ok("--store", "sqlite:again.db", "import", "all.jsonl")["written"] == 0
