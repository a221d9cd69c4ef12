"""When geas, a crash or a careless hand gets in between: nothing is lost, overwritten or brought back."""

from __future__ import annotations

import json
import multiprocessing
import shutil
from pathlib import Path

import pytest

from tenure import workspace
from tenure.model.errors import Conflict
from tenure.model.events import EventType
from tenure.model.evolve import change
from tenure.store.companion import FileStore

from . import samples
from .project import MEMORY, Project

ORCHESTRATOR = "orchestration_authority"


def test_a_file_changed_by_geas_during_a_command_is_a_conflict_and_nothing_is_written(project: Project) -> None:
    """Issue: a concurrent edit by geas itself is detected by hash (GUARANTEES R16)."""
    project.entry(samples.memory())
    with project.open() as ws:
        with pytest.raises(Conflict):
            _edit_while_geas_writes(ws, project)
        assert project.file()["tags"] == []
        assert ws.log(MEMORY, "positive", task="t1").title == "geas was here", "the next command starts from there"


def _edit_while_geas_writes(ws: workspace.Workspace, project: Project) -> None:
    with ws.project.changing() as batch:
        memory = batch.get(MEMORY)
        assert memory
        project.entry(samples.memory(title="geas was here"))
        batch.record(memory, [change(memory, EventType.EDITED, batch.now, add={"tags": ["x"]})])


def test_a_log_written_by_geas_is_picked_up(project: Project) -> None:
    """One owner per fact: tasks and times of use follow from the logs, the counters from the entry."""
    project.entry(samples.memory())
    with project.open() as ws:
        assert ws.get(MEMORY).used_at is None
    project.put(f"memory/logs/t1-{MEMORY}.json", samples.log("t1", created_at="2026-04-05T10:00:00Z"))
    with project.open() as ws:
        memory = ws.get(MEMORY)
        assert (memory.tasks, memory.applied) == (("t1",), ("t1/software_engineer",))
        assert memory.used_at == memory.helped_at is not None
        # geas counted this use already; the same agent reporting it again changes nothing.
        assert ws.log(MEMORY, "positive", task="t1", by="software_engineer").signals.reuse_count == 0


def test_an_entry_put_under_review_by_geas_comes_back_to_what_it_was(project: Project) -> None:
    """Contradiction 10: the state before and the number of reviews live in the companion."""
    project.entry(samples.memory(state="stable"))
    with project.open():
        pass
    project.entry(samples.memory(state="under_review"))
    with project.open() as ws:
        memory = ws.get(MEMORY)
        assert (memory.previous_state, memory.times_held) == ("stable", 1)
        assert ws.review(MEMORY, "keep", by=ORCHESTRATOR).state == "stable"


def test_a_promotion_by_geas_itself_is_taken_over(project: Project) -> None:
    """DESIGN 4: the file owns what its format can hold."""
    place = project.entry(samples.candidate())
    with project.open():
        pass
    place.unlink()
    project.entry(samples.memory(review_after="2026-05-20T00:00:00Z"))
    with project.open() as ws:
        assert ws.get(MEMORY).state == "provisional"
        assert len(ws.memories(all=True)) == 1
        ws.upkeep()
    assert project.index() == {MEMORY: "provisional"}


@pytest.mark.parametrize("damage", [None, "", "{", '{"meta": {}, "entries": [7]}'])
def test_a_missing_or_damaged_index_is_made_anew(project: Project, damage: str | None) -> None:
    """Spec 1.10: rebuild from the files."""
    project.entry(samples.memory())
    with project.open() as ws:
        ws.log(MEMORY, "positive", task="t1")
    index = project.geas / "state/memory-index.json"
    index.unlink() if damage is None else index.write_text(damage)
    with project.open() as ws:
        assert ws.check() == []
    assert project.index() == {MEMORY: "provisional"}


def test_a_file_that_cannot_be_read_is_reported_and_left_alone(project: Project) -> None:
    """STYLE: we never rewrite what we did not understand."""
    project.entry(samples.memory())
    broken = project.put("memory/entries/mem-broken.json", "{ not json")
    with project.open() as ws:
        assert [memory.id for memory in ws.memories()] == [MEMORY]
        ws.log(MEMORY, "positive", task="t1")
        assert any("mem-broken" in note for note in ws.unusable)
        assert any(problem.path.endswith("mem-broken.json") for problem in ws.check())
        ws.upkeep()
    assert broken.read_text() == "{ not json\n"
    broken.unlink()


@pytest.mark.parametrize("state", ["stable", "under_review", "archived"])
def test_the_companion_can_be_deleted_and_is_rebuilt(project: Project, state: str) -> None:
    """DESIGN 4: the companion can be rebuilt; the state before a review comes from geas's own event lines."""
    project.entry(samples.memory(signals={"successful_reuses": 3, "reuse_count": 3, "confidence": 0.9}))
    with project.open() as ws:
        ws.log(MEMORY, "positive", task="t1")
        ws.review(MEMORY, "promote_stable", by=ORCHESTRATOR)
        if state == "under_review":
            ws.review(MEMORY, "request_review", by=ORCHESTRATOR)
        elif state == "archived":
            ws.archive(MEMORY)
        before = ws.get(MEMORY)
    files = project.files()
    shutil.rmtree(project.root / ".tenure")
    with project.open() as ws:
        after = ws.get(MEMORY)
        assert ws.check() == []
        for name in ("state", "phase", "title", "text", "evidence", "signals", "tasks", "applied", "review_after"):
            assert getattr(after, name) == getattr(before, name), name
        assert after.previous_state == before.previous_state
        # The reviews that were given are not given again.
        ws.promote()
        assert ws.get(MEMORY).state == state
    assert project.files() == files


def test_a_kill_between_files_and_companion_heals(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    """SEAM: the files are there, the companion does not know; the next command picks them up."""
    project.entry(samples.candidate(evidence_refs=["a", "b"], signals={"evidence_count": 2, "confidence": 0.6}))

    class Killed(BaseException):
        pass

    def killed(*_: object) -> None:
        raise Killed

    with project.open() as ws:
        monkeypatch.setattr(FileStore, "_remember", killed)
        with pytest.raises(Killed):
            ws.promote()
        monkeypatch.undo()
    project.at("2026-04-10T12:00:00Z")
    assert project.file()["state"] == "provisional"
    with project.open() as ws:
        assert (ws.get(MEMORY).state, ws.check()) == ("provisional", [])
        assert ws.log(MEMORY, "positive", task="t1").signals.successful_reuses == 1


def test_a_kill_between_entry_and_candidate_heals(project: Project) -> None:
    """The entry is written before its candidate is removed, and counts."""
    project.entry(samples.candidate())
    with project.open():
        pass
    project.entry(samples.memory())
    with project.open() as ws:
        assert [memory.state for memory in ws.memories(all=True)] == ["provisional"]
    assert project.states() == {MEMORY: "provisional"}
    assert not (project.geas / f"memory/candidates/{MEMORY}.json").exists()


def test_a_removed_file_is_a_lost_memory_and_nothing_is_written_back(project: Project) -> None:
    """GUARANTEES R16: what geas removed stays removed."""
    path = project.entry(samples.memory())
    with project.open():
        pass
    path.unlink()
    with project.open() as ws:
        assert ws.memories(all=True) == []
        ws.upkeep()
    assert project.states() == {}


def test_a_stray_field_is_kept_aside_when_the_file_is_written(project: Project) -> None:
    """Contradiction 22: tolerated when read, removed when written."""
    project.entry({**samples.memory(), "created_at": "2026-04-02T00:00:00Z", "mood": "good"})
    with project.open() as ws:
        assert ws.log(MEMORY, "positive", task="t1").extra["mood"] == "good"
    assert not {"created_at", "mood"} & set(project.file())


def test_a_packet_that_names_a_missing_or_gone_memory_warns_and_goes_on(project: Project) -> None:
    """Spec 1.10: skip with a warning, never block; stale packets are reported."""
    project.entry(samples.memory())
    (project.geas / "missions/m1/tasks/t1").mkdir(parents=True)
    packet = {**samples.valid("memory-packet"), "applicable_memory_ids": ["mem-nowhere"]}
    project.put("missions/m1/packets/t0/memory-packet.json", packet)
    with project.open() as ws:
        found = ws.inject(task="t1", agent="software_engineer")
        assert [item.id for item in found.memories] == [MEMORY]
        assert any("t0" in note and "mem-nowhere is missing" in note for note in found.notes)
        held = ws.review(MEMORY, "request_review", by=ORCHESTRATOR)
        assert any("packets/t1" in note and "under_review" in note for note in held.notes)


def test_symbolic_links_are_not_followed(project: Project, tmp_path: Path) -> None:
    """GUARANTEES S9."""
    outside = tmp_path / "outside.json"
    outside.write_text(json.dumps(samples.memory("mem-x")))
    (project.geas / "memory/entries").mkdir(parents=True)
    link = project.geas / "memory/entries/mem-x.json"
    link.symlink_to(outside)
    with project.open() as ws:
        assert ws.memories(all=True) == []
        assert any(problem.path.endswith("mem-x.json") for problem in ws.check())
    link.unlink()


def _log_many(root: Path, worker: int, home: str) -> None:
    import os

    os.environ["TENURE_HOME"] = home
    with workspace.open("geas:.geas", root) as ws:
        for number in range(5):
            ws.log(MEMORY, "neutral", task=f"w{worker}-{number}")


def test_writers_side_by_side_lose_no_use(project: Project, tmp_path: Path) -> None:
    """GUARANTEES R3, with real processes."""
    project.entry(samples.memory())
    context = multiprocessing.get_context("spawn")
    arguments = [(project.root, number, str(tmp_path / "home" / "tenure")) for number in range(3)]
    workers = [context.Process(target=_log_many, args=each) for each in arguments]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert [worker.exitcode for worker in workers] == [0, 0, 0]
    assert project.file()["signals"]["reuse_count"] == 15
    assert len(list((project.geas / "memory/logs").iterdir())) == 15
