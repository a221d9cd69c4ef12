"""R17: on a file system that shares no memory a store works without the log, and says when it cannot."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest

import tenure
from tenure.files import mounts
from tenure.model.errors import StoreUnusable
from tests.files.test_mounts import table


def mode(path: Path) -> str:
    connection = apsw.Connection(str(path))
    try:
        return str(connection.pragma("journal_mode"))
    finally:
        connection.close()


def test_a_store_on_a_network_file_system_keeps_no_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Made there, and one that was moved there; on a local disk it has its log again."""
    database = tmp_path / "memory.db"
    url = f"sqlite:{database}"
    with tenure.open(url, tmp_path) as ws:
        ws.add("The first one")
    assert mode(database) == "wal"
    with monkeypatch.context() as patched:
        table(tmp_path / "mounts", patched, ("/", "ext4"), (str(tmp_path.resolve()), "nfs4"))
        with tenure.open(url, tmp_path) as ws:
            ws.add("A second one, over the network")
            assert len(ws.memories()) == 2 and ws.check() == []
        assert mode(database) == "delete"
        with tenure.open(f"sqlite:{tmp_path / 'new.db'}", tmp_path) as ws:
            ws.add("Made over the network")
        assert mode(tmp_path / "new.db") == "delete"
    assert mounts.unsuitable(database) == ""
    with tenure.open(url, tmp_path) as ws:
        ws.add("Third, on a local disk again")
    assert mode(database) == "wal"


def test_a_store_that_somebody_holds_with_its_log_is_refused_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two machines with one log each would damage it."""
    url = f"sqlite:{tmp_path / 'memory.db'}"
    with tenure.open(url, tmp_path) as ws:
        ws.add("The first one")
        other = apsw.Connection(str(tmp_path / "memory.db"))
        other.execute("BEGIN")
        other.execute("SELECT count(*) FROM memory").fetchall()
        table(tmp_path / "mounts", monkeypatch, ("/", "ext4"), (str(tmp_path.resolve()), "cifs"))
        monkeypatch.setattr("tenure.store.sqlite.connection.BUSY_MILLISECONDS", 10)
        with pytest.raises(StoreUnusable), tenure.open(url, tmp_path) as second:
            second.memories()
        other.close()
