"""One .geas folder on disk: scans, atomic changes, conflicts, the index and the events."""

from __future__ import annotations

import json
import multiprocessing
from datetime import UTC, datetime
from pathlib import Path, PurePath
from typing import Any

import pytest

from tenure.model.errors import Conflict, InvalidInput, Refused
from tenure.systems.geas import codec, documents, paths, schemas
from tenure.systems.geas.folder import FileToWrite, GeasFolder
from tenure.systems.geas.tables import packaged

from . import samples

NOW = datetime(2026, 4, 10, 12, 0, 0, tzinfo=UTC)


@pytest.fixture
def folder(tmp_path: Path) -> GeasFolder:
    root = tmp_path / ".geas"
    root.mkdir()
    return GeasFolder(root, packaged())


def put(folder: GeasFolder, place: PurePath | str, document: Any) -> Path:
    path = folder.root / place
    path.parent.mkdir(parents=True, exist_ok=True)
    data = document if isinstance(document, bytes) else json.dumps(document, indent=2).encode() + b"\n"
    path.write_bytes(data)
    return path


def index_states(folder: GeasFolder) -> dict[str, str]:
    document = json.loads((folder.root / paths.INDEX).read_text())
    assert schemas.problems(document, "memory-index") == []
    return {row["memory_id"]: row["state"] for row in document["entries"]}


def promotion(folder: GeasFolder, memory_id: str = "mem-task-001-1") -> list[FileToWrite]:
    stored = folder.read(paths.candidate(memory_id))
    assert stored is not None
    entry = samples.memory(memory_id)
    return [
        FileToWrite(paths.entry(memory_id), "memory-entry", entry, None),
        FileToWrite(stored.place, stored.artifact, None, stored.fingerprint),
    ]


def test_a_scan_finds_candidates_and_entries_but_not_reviews(folder: GeasFolder) -> None:
    """Spec 1.3: a directory scan must skip *-review.json."""
    put(folder, paths.candidate("mem-b"), samples.candidate("mem-b"))
    put(folder, paths.entry("mem-a"), samples.memory("mem-a"))
    put(folder, paths.review("mem-b"), samples.valid("memory-review"))
    scan = folder.memories()
    assert [stored.document["memory_id"] for stored in scan.found] == ["mem-a", "mem-b"]
    assert scan.unreadable == ()
    assert [stored.document["decision"] for stored in folder.reviews().found] == ["keep"]


def test_logs_are_found_whatever_their_names_oldest_first(folder: GeasFolder) -> None:
    """Contradiction 14: one file per task and memory, or several with a suffix or a time."""
    put(folder, "memory/logs/t2-mem-1.json", samples.log("t2", created_at="2026-04-02T10:00:00Z"))
    put(
        folder,
        "memory/logs/t1-mem-1-20260403100000.json",
        samples.log("t1", created_at="2026-04-03T10:00:00Z"),
    )
    put(folder, "memory/logs/t1-mem-1.json", samples.log("t1", created_at="2026-04-01T10:00:00Z"))
    assert [stored.document["task_id"] for stored in folder.logs().found] == ["t1", "t2", "t1"]


@pytest.mark.parametrize("data", [b"{", b"\xff", b"{}", json.dumps(samples.memory("mem-other")).encode()])
def test_a_file_that_cannot_be_used_is_reported_and_left_alone(folder: GeasFolder, data: bytes) -> None:
    """STYLE: we never rewrite what we did not understand."""
    path = put(folder, "memory/entries/mem-x.json", data)
    put(folder, paths.candidate("mem-b"), samples.candidate("mem-b"))
    scan = folder.memories()
    assert [one.place.name for one in scan.unreadable] == ["mem-x.json"]
    folder.commit(promotion(folder, "mem-b"), [], NOW)
    folder.rebuild_index(NOW)
    assert path.read_bytes() == data


def test_a_linked_memory_is_reported_not_read(folder: GeasFolder, tmp_path: Path) -> None:
    """GUARANTEES S20."""
    put(folder, paths.entry("mem-a"), samples.memory("mem-a"))
    (tmp_path / "secret.json").write_text(json.dumps(samples.memory("mem-b")))
    (folder.root / paths.entry("mem-b")).symlink_to(tmp_path / "secret.json")
    scan = folder.memories()
    assert len(scan.found) == 1
    assert "symbolic link" in scan.unreadable[0].reason


def test_a_linked_folder_is_refused(folder: GeasFolder, tmp_path: Path) -> None:
    """GUARANTEES S20: nothing is written through a link, not even the index or the events."""
    outside = tmp_path / "outside"
    outside.mkdir()
    put(folder, paths.candidate("mem-b"), samples.candidate("mem-b"))
    (folder.root / "ledger").symlink_to(outside)
    with pytest.raises(Refused):
        folder.commit(promotion(folder, "mem-b"), [documents.memory_decayed("m", "r", NOW)], NOW)
    assert list(outside.iterdir()) == []
    assert (folder.root / paths.candidate("mem-b")).exists()
    with pytest.raises(Refused):
        GeasFolder(folder.root / "ledger", packaged())


def test_a_promotion_moves_the_file_and_the_index_and_events_follow(folder: GeasFolder) -> None:
    """Seed: move from candidates/ to entries/, update the index, log the event."""
    put(folder, paths.candidate("mem-task-001-1"), samples.candidate())
    event = documents.memory_promoted("mem-task-001-1", "candidate", "provisional", NOW)
    folder.commit(promotion(folder), [event], NOW)
    assert not (folder.root / paths.candidate("mem-task-001-1")).exists()
    assert [stored.document["state"] for stored in folder.memories().found] == ["provisional"]
    assert index_states(folder) == {"mem-task-001-1": "provisional"}
    assert (folder.root / paths.EVENTS).read_text() == json.dumps(event) + "\n"


def test_an_index_already_there_follows_promotions_and_removals(folder: GeasFolder) -> None:
    """Seed: update the index; rows of other memories stay."""
    put(folder, paths.candidate("mem-task-001-1"), samples.candidate())
    put(folder, paths.entry("mem-a"), samples.memory("mem-a"))
    folder.rebuild_index(NOW)
    folder.commit(promotion(folder), [], NOW)
    assert index_states(folder) == {"mem-a": "provisional", "mem-task-001-1": "provisional"}
    stored = folder.read(paths.entry("mem-a"))
    assert stored is not None
    folder.commit([FileToWrite(stored.place, stored.artifact, None, stored.fingerprint)], [], NOW)
    assert index_states(folder) == {"mem-task-001-1": "provisional"}


def test_a_file_changed_by_geas_in_between_is_a_conflict_and_nothing_is_written(folder: GeasFolder) -> None:
    """Issue: a concurrent edit by geas itself is detected by hash."""
    path = put(folder, paths.candidate("mem-task-001-1"), samples.candidate())
    changes = promotion(folder)
    path.write_bytes(path.read_bytes().replace(b"Retry", b"Endless"))
    with pytest.raises(Conflict, match=r"mem-task-001-1\.json was written by someone else"):
        folder.commit(changes, [documents.memory_decayed("m", "r", NOW)], NOW)
    assert b"Endless" in path.read_bytes()
    assert not (folder.root / paths.entry("mem-task-001-1")).exists()
    assert not (folder.root / paths.EVENTS).exists()


def test_a_new_file_never_replaces_one_that_appeared_meanwhile(folder: GeasFolder) -> None:
    """GUARANTEES R3."""
    put(folder, paths.candidate("mem-task-001-1"), samples.candidate())
    changes = promotion(folder)
    put(folder, paths.entry("mem-task-001-1"), samples.memory(title="By somebody else"))
    with pytest.raises(Conflict):
        folder.commit(changes, [], NOW)


def test_an_invalid_document_stops_the_whole_change(folder: GeasFolder) -> None:
    """Issue: every file written validates."""
    good = FileToWrite(paths.entry("mem-a"), "memory-entry", samples.memory("mem-a"), None)
    bad = FileToWrite(paths.entry("mem-b"), "memory-entry", samples.memory("mem-b", conflict_with=[]), None)
    with pytest.raises(InvalidInput):
        folder.commit([good, bad], [], NOW)
    assert folder.memories().found == ()


@pytest.mark.parametrize("damage", [None, b"", b"{", b"[]", b'{"entries": 5}'])
def test_a_missing_or_damaged_index_is_rebuilt_from_the_files(folder: GeasFolder, damage: bytes | None) -> None:
    """Spec 1.10: index missing or corrupt -> rebuild from entry files."""
    put(folder, paths.entry("mem-a"), samples.memory("mem-a"))
    put(folder, paths.candidate("mem-task-001-1"), samples.candidate())
    if damage is not None:
        put(folder, paths.INDEX, damage)
    assert folder.index_problem()
    folder.commit(promotion(folder), [], NOW)
    assert index_states(folder) == {"mem-a": "provisional", "mem-task-001-1": "provisional"}
    assert folder.index_problem() == ""


def test_an_index_out_of_step_is_noticed(folder: GeasFolder) -> None:
    """A choice of ours: a crash between files and index is visible."""
    put(folder, paths.entry("mem-a"), samples.memory("mem-a"))
    folder.rebuild_index(NOW)
    assert folder.index_problem() == ""
    put(folder, paths.entry("mem-a"), samples.memory("mem-a", state="decayed"))
    assert "mem-a" in folder.index_problem()


def test_a_rebuilt_index_keeps_the_row_of_a_memory_that_cannot_be_read(folder: GeasFolder) -> None:
    """A choice of ours: what we cannot read is not thereby gone."""
    put(folder, paths.entry("mem-a"), samples.memory("mem-a"))
    folder.rebuild_index(NOW)
    put(folder, paths.entry("mem-a"), b"{")
    folder.rebuild_index(NOW)
    assert index_states(folder) == {"mem-a": "provisional"}


def test_a_candidate_beside_its_entry_is_a_leftover_not_a_memory(folder: GeasFolder) -> None:
    """The one mixed state a crash during a promotion can leave."""
    put(folder, paths.entry("mem-task-001-1"), samples.memory())
    put(folder, paths.candidate("mem-task-001-1"), samples.candidate())
    scan = folder.memories()
    assert [stored.document["state"] for stored in scan.found] == ["provisional"]
    assert scan.leftovers == (paths.candidate("mem-task-001-1"),)


def test_an_event_line_cut_short_does_not_swallow_the_next(folder: GeasFolder) -> None:
    """GUARANTEES R16: foreign damage stays where it is."""
    put(folder, paths.EVENTS, b'{"event": "half')
    folder.commit([], [documents.memory_decayed("m", "r", NOW)], NOW)
    lines = (folder.root / paths.EVENTS).read_bytes().split(b"\n")
    assert lines[0] == b'{"event": "half'
    assert json.loads(lines[1])["event"] == "memory_decayed"


@pytest.mark.parametrize("name", ["qa_engineer", "qa-engineer"])
def test_an_agent_file_is_found_under_either_spelling(folder: GeasFolder, name: str) -> None:
    """Contradiction 20."""
    put(folder, f"memory/agents/{name}.md", b"Run the smoke test first.\n")
    assert folder.agent_notes("qa_engineer") == "Run the smoke test first.\n"
    assert folder.agent_notes("challenger") is None


def test_the_next_free_log_gets_a_suffix(folder: GeasFolder) -> None:
    """Contradiction 14."""
    put(folder, paths.log("t1", "mem-1"), samples.log("t1", "mem-1"))
    place = folder.free(paths.log("t1", "mem-1", number) for number in range(1, 100))
    assert place.name == "t1-mem-1.2.json"


def _add_many(root: Path, worker: int, count: int) -> None:
    folder = GeasFolder(root, packaged())
    for number in range(count):
        name = f"mem-{worker}-{number}"
        change = FileToWrite(paths.candidate(name), "memory-candidate", samples.candidate(name), None)
        folder.commit([change], [documents.memory_extraction(f"t{worker}", [name], NOW)], NOW)


def test_writers_side_by_side_lose_neither_files_nor_rows_nor_events(folder: GeasFolder) -> None:
    """GUARANTEES R3, with real processes."""
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=_add_many, args=(folder.root, number, 10)) for number in range(3)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert [worker.exitcode for worker in workers] == [0, 0, 0]
    assert len(folder.memories().found) == 30
    assert len(index_states(folder)) == 30
    lines = (folder.root / paths.EVENTS).read_bytes().splitlines()
    assert len({codec.parse(line)["candidates"][0] for line in lines}) == 30
    assert folder.index_problem() == ""
