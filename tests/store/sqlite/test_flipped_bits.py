"""R8: a turned bit is found where nothing is stored too, and no history of an undamaged store raises a false alarm."""

from __future__ import annotations

import signal
from pathlib import Path

import apsw
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tenure
from tenure.store.sqlite import flipped_bits, migrate
from tenure.store.sqlite.store import SqliteStore
from tenure.workspace import Workspace
from tests.opened import database
from tests.program import Program
from tests.store.test_concurrency import SAFETY_NET_SECONDS
from tests.store.test_crashes import ENDLESS

# How many words a text has: from a line to several pages of the file.
LENGTHS = (3, 30, 150, 900)


def text(number: int, length: int) -> str:
    return " ".join(f"word{number * 7919 + n * 31}" for n in range(length))


def live(ws: Workspace, steps: list[tuple[str, int, int]]) -> None:
    """Do what the steps say: what to do, to which memory, with how long a text."""
    for number, (what, which, length) in enumerate(steps):
        ids = [memory.id for memory in ws.memories(all=True)]
        id = ids[which % len(ids)] if ids else ""
        if what == "add" or not ids:
            ws.add(text(number, LENGTHS[length]), files=[f"src/file{which}.py"])
        elif what == "edit":
            ws.edit(id, text=text(number + 1000, LENGTHS[length]))
        elif what == "forget":
            ws.forget(id)
        elif what == "retire" and ws.get(id).phase != "gone":
            ws.retire(id, reason="over")
        elif what == "gc":
            ws.gc()
        elif what == "inject":
            ws.inject(text(which, 3), run=f"run{which}")
        elif what == "rebuild":
            ws.rebuild()


WHAT = ("add", "add", "add", "edit", "forget", "retire", "gc", "inject", "rebuild")
STEPS = st.lists(st.tuples(st.sampled_from(WHAT), st.integers(0, 50), st.integers(0, len(LENGTHS) - 1)), max_size=40)


@settings(max_examples=12)
@given(steps=STEPS)
def test_no_history_raises_a_false_alarm(
    steps: list[tuple[str, int, int]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    """R8: `check` is clean after anything that Tenure itself does, and so is a backup."""
    folder = tmp_path_factory.mktemp("history")
    with tenure.open(folder=folder) as ws:
        live(ws, steps)
        assert ws.check() == []
        if not ws.memories(all=True):
            return
        database(ws).connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        migrate.back_up(database(ws).connection, folder / "copy.db")
    with tenure.open(f"sqlite:{folder / 'copy.db'}", folder) as ws:
        assert ws.check() == []


def test_writers_killed_at_work_leave_nothing_to_be_alarmed_at(program: Program) -> None:
    """R8, R13: what a killed process leaves is not damage."""
    for cycle in range(3):
        process = program.start(ENDLESS, f"c{cycle}")
        assert process.stdout is not None
        for _ in range(10):
            process.stdout.readline()
        process.send_signal(signal.SIGKILL)
        process.communicate(timeout=SAFETY_NET_SECONDS)
        with tenure.open(folder=program.folder) as ws:
            assert ws.check() == []


@pytest.fixture
def filled(program: Program) -> Path:
    """A closed store whose ledger and memories fill many pages, some of them free again."""
    with tenure.open(folder=program.folder) as ws:
        live(ws, [("add", n, n % 3) for n in range(60)] + [("forget", 3 * n, 0) for n in range(12)])
    return program.database


def turned(path: Path, page: int, offset: int) -> None:
    """Turn one bit of a closed store."""
    data = bytearray(path.read_bytes())
    data[(page - 1) * 4096 + offset] ^= 0x10
    path.write_bytes(data)


@pytest.mark.parametrize("table", ["ledger", "memory"])
def test_a_bit_turned_between_rows_is_found_and_mended_by_writing_anew(table: str, filled: Path) -> None:
    """R8: the space between the pointers and the rows of a leaf; `tenure doctor --rebuild` ends it."""
    connection = apsw.Connection(str(filled))
    page = connection.execute(
        "SELECT pageno FROM dbstat WHERE name = ? AND pagetype = 'leaf' ORDER BY unused DESC LIMIT 1", (table,)
    ).get
    connection.close()
    turned(filled, page, 120)
    store = SqliteStore(filled)
    assert list(flipped_bits.stray_bits(store)) == [page]
    store.close()
    with tenure.open(f"sqlite:{filled}", filled.parent) as ws:
        assert [problem.field for problem in ws.check()] == ["unused space"]
        assert len(ws.memories(all=True)) == 48
        ws.rebuild()
        assert ws.check() == []


def test_a_bit_turned_on_a_free_page_is_found(filled: Path) -> None:
    """R8: erased pages are zero, and stay so."""
    connection = apsw.Connection(str(filled))
    used = {page for (page,) in connection.execute("SELECT pageno FROM dbstat")}
    free = set(range(1, connection.pragma("page_count") + 1)) - used
    connection.close()
    listing = int.from_bytes(filled.read_bytes()[32:36], "big")
    page = min(free - {listing})
    turned(filled, page, 777)
    assert list(flipped_bits.stray_bits(SqliteStore(filled))) == [page]


def test_pages_that_list_free_pages_are_known_and_damage_leads_nowhere(filled: Path) -> None:
    """R8: such a page is never zero; a pointer beyond the end of the file is for SQLite's own check to report."""
    listing = int.from_bytes(filled.read_bytes()[32:36], "big")
    with apsw.Connection(str(filled)) as connection:
        assert listing > 0 and flipped_bits._lists(connection) == {listing}
    with filled.open("r+b") as file:
        file.seek(32)
        file.write((0xFFFFFF).to_bytes(4, "big"))
    with apsw.Connection(str(filled)) as connection:
        assert flipped_bits._lists(connection) == set()


@pytest.mark.parametrize("remains", [b"\x82\x10", b"\x01\x00\x01", b"@@", b"\x81"])
def test_what_sqlite_itself_may_leave_is_no_alarm(remains: bytes) -> None:
    """R8: pieces of rows and lists of pages are more than one bit."""
    assert not flipped_bits._is_one_bit(b"\0" * 50 + remains + b"\0" * 50)
    assert flipped_bits._is_one_bit(b"\0" * 50 + b"\x40" + b"\0" * 50)
