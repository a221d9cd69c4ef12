"""R8, P2: what stands beside rows and ledger is proved as well: marks of the forgotten, injections, vectors, index."""

from __future__ import annotations

import apsw
import pytest

import tenure
from tenure.store.records import GuardFire
from tests.faults import sql
from tests.opened import database
from tests.program import Program


@pytest.fixture
def used(program: Program) -> Program:
    """A closed store with something forgotten, shown, about files, guarded and encoded."""
    with tenure.open(folder=program.folder) as ws:
        ws.add("The granite build needs two gigabytes", id="granite", files=["src/build/granite.py"])
        ws.add("Zebras are kept out of the cellar", id="zebra")
        ws.edit("zebra", text="Zebras and okapis are kept out of the cellar")
        ws.inject("granite build", run="one")
        ws.forget("zebra")
        ws.project.store.guards.note(GuardFire(0, "2026-04-03T14:00:00Z", "granite", "s1", "codex", "denied"))
        row = ws.project.store.get("granite")
        assert row
        ws.project.store.vectors.keep("test", [row], [b"\x01\x02\x03"], ["stone"])
        ws.rebuild()
        assert ws.check() == []
    return program


@pytest.mark.parametrize(
    ("statement", "field"),
    [
        ("DELETE FROM tombstone", "zebra"),
        ("DELETE FROM tombstone WHERE mark = (SELECT min(mark) FROM tombstone)", "zebra"),
        ("UPDATE tombstone SET mark = zeroblob(32) WHERE mark = (SELECT min(mark) FROM tombstone)", "zebra"),
        ("UPDATE tombstone SET at = '2020-01-01T00:00:00Z'", "zebra"),
        ("UPDATE tombstone SET memory_id = 'granite'", "granite"),
        ("INSERT INTO tombstone VALUES (zeroblob(32), 'granite', '2026-01-01T00:00:00Z')", "granite"),
        ("UPDATE injection SET query = 'granite bui1d'", "injection 1"),
        ("UPDATE injection SET run = 'two'", "injection 1"),
        ("UPDATE guard_fire SET outcome = 'passed'", "guard_fire 1"),
        ("UPDATE vector SET code = x'010203ff'", "vectors"),
        ("UPDATE vector SET related = 'storm'", "vectors"),
        ("UPDATE meta SET value = zeroblob(32) WHERE key = 'key'", "store"),
        ("UPDATE meta SET value = 'another' WHERE key = 'store_id'", "store"),
        ("DELETE FROM memory_file WHERE name = 'granite.py'", "granite.files"),
        ("INSERT INTO memory_file SELECT n, 'other.py' FROM memory", "granite.files"),
        ("CREATE TRIGGER planted AFTER INSERT ON memory BEGIN DELETE FROM ledger; END", "schema of planted"),
        ("DELETE FROM queue", "queue"),
        ("INSERT INTO queue VALUES (99, 0, 1, 0, 'x', '', 1)", "queue"),
        ("DROP INDEX memory_by_due", "schema of memory_by_due"),
        ("INSERT INTO search (rowid, title, tags, text) VALUES (1, 'The granite', '', 'moved')", "search index"),
    ],
)
def test_what_was_altered_by_hand_is_found(statement: str, field: str, used: Program) -> None:
    """R8, P2: `check` names what was altered, removed or added outside Tenure."""
    sql(used.database, statement)
    with tenure.open(folder=used.folder) as ws:
        assert field in {problem.field for problem in ws.check()}


def test_altered_vectors_and_names_of_files_are_made_anew(used: Program) -> None:
    """R15: what follows from the rows is mended by `tenure doctor --rebuild`; vectors come back with upkeep."""
    sql(used.database, "UPDATE vector SET code = x'00'", "DELETE FROM memory_file")
    with tenure.open(folder=used.folder) as ws:
        ws.rebuild()
        assert ws.check() == [] and ws.project.store.vectors.codes().numbers == []


def test_the_same_text_forgotten_twice_leaves_one_mark_and_no_alarm(program: Program) -> None:
    """P2: a mark belongs to the memory that was forgotten first."""
    with tenure.open(folder=program.folder) as ws:
        ws.add("Zebras are kept out of the cellar", id="first")
        ws.add("Something else entirely", id="second")
        ws.edit("second", text="Zebras are kept out of the cellar!")
        ws.forget("first")
        ws.forget("second")
        assert ws.check() == []


def test_what_older_versions_forgot_is_no_alarm(program: Program) -> None:
    """R14: entries that do not name their marks are taken as they are."""
    with tenure.open(folder=program.folder) as ws:
        ws.add("Zebras are kept out of the cellar", id="zebra")
        ws.forget("zebra")
        store = database(ws)
        with store.writing():
            store.connection.execute("UPDATE ledger SET payload = NULL WHERE type = 'Forgotten'")
        assert {problem.field for problem in ws.check()} == {"ledger entry 2"}


def test_an_index_that_does_not_hold_is_named(used: Program) -> None:
    """R8: the index checks its own structure, which comparing it with the rows would not show."""
    sql(used.database, "UPDATE search_data SET block = zeroblob(length(block)) WHERE id > 10")
    with tenure.open(folder=used.folder) as ws:
        said = [problem.message for problem in ws.check() if problem.field == "search index"]
    assert any(message.startswith("does not hold") for message in said)


def test_a_row_without_a_history_does_not_end_the_check(used: Program) -> None:
    """R8: what comes after it by id is looked at as well."""
    with tenure.open(folder=used.folder) as ws:
        ws.add("The marble build needs three gigabytes", id="marble")
    with apsw.Connection(str(used.database)) as raw:
        columns = ", ".join(row[1] for row in raw.execute("PRAGMA table_info(memory)"))
        planted = columns.replace("n, id,", "99, 'aardvark',", 1)
        raw.execute(f"INSERT INTO memory ({columns}) SELECT {planted} FROM memory WHERE id = 'granite'")
        raw.execute("UPDATE memory SET weight = 99 WHERE id = 'marble'")
    with tenure.open(folder=used.folder) as ws:
        said = {(problem.field, problem.message) for problem in ws.check()}
    assert ("aardvark", "the ledger does not know it") in said
    assert ("marble", "the row was altered outside Tenure") in said


def test_entries_of_the_index_without_a_memory_are_counted(used: Program) -> None:
    """R8: they would be found and could not be shown."""
    sql(used.database, "INSERT INTO search (rowid, title, tags, text) VALUES (99, 'Nobody', '', 'left over')")
    with tenure.open(folder=used.folder) as ws:
        (found,) = [problem.message for problem in ws.check() if problem.field == "search index"]
    assert found.startswith("0 memories are missing and 1 entries are left over")
