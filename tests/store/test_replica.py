"""*Ours* on this machine: what a transport brings, and what it takes away again."""

from __future__ import annotations

from pathlib import Path

from tenure.model.events import Event, EventType, Revision
from tenure.model.evolve import born
from tenure.rules.stored_verdict import verdict
from tenure.store.replica import Replica
from tests.store.test_contract import NOW, POLICY, memory


def test_what_was_forgotten_upstream_leaves_no_byte_here(tmp_path: Path) -> None:
    """P1: a copy of a team's memory forgets with it, index and log included, in the same step."""
    path = tmp_path / "copy.db"
    copy = Replica(path)
    first = memory("m-1", "Quizzical wombats guard the vault")
    brought = Revision(memory_id="m-1", events=(born(first),), after=first, expected_version=0)
    copy.apply([brought], lambda each: verdict(each, POLICY), mark="1", now=NOW)
    assert copy.replica_mark == "1" and copy.get("m-1") is not None
    forgotten = Event(type=EventType.FORGOTTEN, memory_id="m-1", at=NOW)
    taken = Revision(memory_id="m-1", events=(forgotten,), after=None, expected_version=1)
    copy.apply([taken], lambda each: verdict(each, POLICY), mark="2", forgotten=["m-1"], now=NOW)
    assert copy.replica_mark == "2" and copy.get("m-1") is None and not copy.health.is_erasing()
    assert [file.name for file in tmp_path.glob("copy.db*") if b"wombats" in file.read_bytes()] == []
    copy.close()
