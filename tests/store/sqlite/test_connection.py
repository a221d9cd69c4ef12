"""Whatever the driver raises arrives as one of our errors: nobody outside knows which driver it was."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest

from tenure.model.errors import StoreBusy, StoreDamaged, StoreUnusable, TenureError
from tenure.store import open_store, sqlite
from tenure.store.sqlite import connection
from tenure.store.sqlite.connection import explained, open_database
from tests.store.test_contract import memory, write

DRIVER = sorted(
    (kind for kind in vars(apsw).values() if isinstance(kind, type) and issubclass(kind, apsw.Error)),
    key=lambda kind: kind.__name__,
)


@pytest.mark.parametrize("kind", DRIVER, ids=lambda kind: kind.__name__)
def test_no_error_of_the_driver_gets_out(kind: type[Exception]) -> None:
    """HOUSE: apsw's errors reached ranking, trust, hooks and commands."""
    with pytest.raises(TenureError) as raised, explained(Path("memory.db")):
        raise kind("something happened")
    assert "memory.db" in raised.value.message and isinstance(raised.value.__cause__, kind)


@pytest.mark.parametrize(
    ("kind", "ours", "says"),
    [
        (apsw.BusyError, StoreBusy, "in use by another process"),
        (apsw.LockedError, StoreBusy, "in use by another process"),
        (apsw.CorruptError, StoreDamaged, "is damaged or is not a database"),
        (apsw.NotADBError, StoreDamaged, "is damaged or is not a database"),
        (apsw.SQLError, StoreDamaged, "is not as Tenure left it"),
        (apsw.MismatchError, StoreDamaged, "is not as Tenure left it"),
        (apsw.FullError, StoreUnusable, "is full"),
        (apsw.ReadOnlyError, StoreUnusable, "cannot be written"),
        (apsw.PermissionsError, StoreUnusable, "cannot be written"),
        (apsw.CantOpenError, StoreUnusable, "cannot be opened"),
        (apsw.IOError, StoreUnusable, "Reading or writing"),
        (apsw.InterruptError, StoreUnusable, "cannot be used"),
    ],
)
def test_each_failure_says_what_it_means(kind: type[Exception], ours: type[TenureError], says: str) -> None:
    """R8 to R10: what a user can do differs."""
    with pytest.raises(ours) as raised, explained(Path("memory.db")):
        raise kind("something happened")
    assert says in raised.value.message


def test_a_store_is_written_durably_erases_what_it_deletes_and_trusts_no_schema(tmp_path: Path) -> None:
    """GUARANTEES R1, S3 and S12: a flush per change, no deleted bytes left, no code in a schema that somebody sent."""
    opened = open_database(_made(tmp_path))
    names = ("journal_mode", "synchronous", "secure_delete", "foreign_keys", "trusted_schema", "cell_size_check")
    assert [opened.pragma(name) for name in names] == ["wal", 2, 1, 1, 0, 1]


def _made(folder: Path) -> Path:
    store = open_store(folder / "store.db")
    write(store, memory("m-1"))
    store.close()
    return folder / "store.db"


@pytest.fixture
def closed_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of somebody else's; whoever runs the tests may be allowed everything, so the system's answer is set."""
    path = _made(tmp_path)
    monkeypatch.setattr("os.access", lambda *_, **__: False)
    return path


def test_a_store_that_nobody_here_may_write_can_be_read(closed_folder: Path) -> None:
    """R9: a read-only mount is no reason to know nothing."""
    store = open_store(closed_folder)
    assert [row.memory.id for row in store.find()] == ["m-1"]
    with pytest.raises(StoreUnusable):
        write(store, memory("m-2"))


def test_what_still_waits_in_the_log_is_read_too(closed_folder: Path) -> None:
    """R9: a database is more than its main file as long as somebody writes."""
    other = apsw.Connection(str(closed_folder))
    other.pragma("wal_autocheckpoint", 0)
    other.execute("UPDATE meta SET value = 'later' WHERE key = 'store_id'")
    read = open_database(closed_folder)
    assert read.execute("SELECT value FROM meta WHERE key = 'store_id'").get == "later"
    read.close()
    other.close()


def test_an_older_store_that_cannot_be_brought_up_to_date_says_so(closed_folder: Path) -> None:
    """R9: nothing is read by rules that the file does not follow."""
    with apsw.Connection(str(closed_folder)) as other:
        other.pragma("user_version", 1)
    other.close()
    with pytest.raises(StoreUnusable, match="older version"):
        open_database(closed_folder)


def test_where_nothing_can_be_written_no_store_is_made(closed_folder: Path) -> None:
    """R9: the message names the folder."""
    with pytest.raises(StoreUnusable, match="no store can be made there"):
        open_database(closed_folder.with_name("other.db"))


def test_a_store_on_a_disk_without_room_for_shared_memory_can_be_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R10: SQLite needs a file beside a database that is written; one that is only read needs none."""
    path = _made(tmp_path)
    opened = sqlite.Database

    def full(name: str, flags: int | None = None, *rest: str) -> apsw.Connection:
        if flags is None:
            raise apsw.FullError("disk full")
        return opened(name, flags, *rest)

    monkeypatch.setattr(connection, "Database", full)
    assert open_database(path).execute("SELECT count(*) FROM memory").get == 1
    path.write_bytes(b"")
    with pytest.raises(StoreUnusable, match="full"):
        open_database(path)
