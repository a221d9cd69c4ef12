"""A store beside another system's files: what others did there is taken over, and what our drop-in did is ours."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import tenure
from tenure.spool import dropin
from tenure.store.companion import OUTSIDE
from tenure.systems.archeflow import command as archeflow
from tenure.systems.claude_memory import command as claude_memory
from tenure.workspace import Workspace
from tests.systems.archeflow.project import LESSONS, lesson, read, write
from tests.systems.claude_memory.project import record
from tests.systems.geas import samples

DECISIONS = Path(".claude/memory/decisions")


@pytest.fixture(autouse=True)
def inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def opened(store: str) -> Workspace:
    return tenure.open(store, Path.cwd())


def put(path: Path, document: dict[str, Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(document))


def told(ws: Workspace, id: str) -> list[tuple[str, str, str]]:
    return [(entry.event.type, entry.event.actor, entry.event.reason) for entry in ws.project.store.history(id)]


def test_what_the_drop_in_did_is_taken_in_once_each_time() -> None:
    """HOUSE: what our own drop-in writes stands in our own ledger as ours, and its notes are dropped then."""
    write(LESSONS, lesson("m-001", "alpha", 3))
    with opened("archeflow:.archeflow") as ws:
        assert told(ws, "m-001") == [("Imported", OUTSIDE, "found in the files")]
    for number in (2, 3):
        assert archeflow.main(["add", "preference", f"golf {number}"]) == 0
        with opened("archeflow:.archeflow") as ws:
            assert [(type, actor) for type, actor, _ in told(ws, f"m-00{number}")] == [("Created", dropin.SURFACE)]
            assert dropin.read(ws.project.store._notes) == b""  # type: ignore[attr-defined]


def test_a_counter_that_somebody_else_moved_is_an_edit_of_theirs() -> None:
    """R16: only a run that our drop-in ended passes memories by unseen."""
    write(LESSONS, lesson("m-001", "alpha", 3))
    with opened("archeflow:.archeflow"):
        pass
    write(LESSONS, {**read(LESSONS)[0], "runs_since_last_seen": 4})
    with opened("archeflow:.archeflow") as ws:
        assert told(ws, "m-001")[-1] == ("Edited", OUTSIDE, "edited in the files")
    assert archeflow.main(["decay"]) == 0
    with opened("archeflow:.archeflow") as ws:
        assert told(ws, "m-001")[-1] == ("Unseen", dropin.SURFACE, "unseen for 5 runs")


def test_a_state_that_another_program_set_remembers_what_was_in_use() -> None:
    """Contradiction 25: restoring goes back to the last state in which it was used, not to one it only passed."""
    for status in ("active", "retired", "archived"):
        put(DECISIONS / "queue.json", record(record_status=status))
        with opened("claude-memory:.claude/memory") as ws:
            memory = ws.get("queue")
            assert memory.state == status
    assert memory.previous_state == "active"


@pytest.mark.parametrize("what", ["title", "changes"])
def test_a_file_that_was_renamed_brings_along_what_is_known_of_it(what: str) -> None:
    """R16: by its text, or by its list of changes where somebody edited it in the same step."""
    put(DECISIONS / "queue.json", record())
    with opened("claude-memory:.claude/memory") as ws:
        ws.log("queue", "positive", task="T1")
    before = json.loads((DECISIONS / "queue.json").read_text())
    (DECISIONS / "queue.json").unlink()
    content = {**before["content"], "decision": "Use another queue"}
    edited: dict[str, Any] = {"changes": []} if what == "title" else {"content": content}
    put(DECISIONS / "line.json", {**before, **edited, "id": "line"})
    with opened("claude-memory:.claude/memory") as ws:
        assert told(ws, "line")[0] == ("Imported", OUTSIDE, "renamed from queue")
        assert told(ws, "queue")[-1] == ("Lost", OUTSIDE, "renamed to line")
        assert ws.get("line").signals.successful_reuses == 1


def test_a_review_date_that_another_program_set_counts_from_its_own_day() -> None:
    """Contradiction 2: a memory decays unless it was used since its date was set."""
    place = Path(".geas/memory/entries/mem-task-001-1.json")
    for due, since in (("2026-05-01T09:30:15Z", "2026-04-01"), ("2026-06-20T09:30:15Z", "2026-05-21")):
        put(place, samples.memory(review_after=due))
        with opened("geas:.geas") as ws:
            found = ws.get("mem-task-001-1").review_set_at
        assert found is not None and found.date().isoformat() == since


def test_a_lesson_that_the_drop_in_archived_decayed_and_one_it_weakened_faded() -> None:
    """HOUSE: the ledger tells the same whichever way somebody called."""
    write(LESSONS, lesson("m-001", "alpha", 1, 10), lesson("m-002", "bravo", 3, 10))
    with opened("archeflow:.archeflow"):
        pass
    assert archeflow.main(["decay"]) == 0
    with opened("archeflow:.archeflow") as ws:
        assert [told(ws, id)[-1][:2] for id in ("m-001", "m-002")] == [
            ("Decayed", dropin.SURFACE),
            ("Faded", dropin.SURFACE),
        ]
        assert [ws.get(id).phase for id in ("m-001", "m-002")] == ["gone", "live"]


def test_what_the_drop_in_retired_for_its_age_is_ours() -> None:
    """HOUSE: `history` said that somebody outside did it."""
    put(Path(".claude/memory/memory-config.json"), {"categories": {"decision": {"retention_days": 30}}})
    put(DECISIONS / "queue.json", record())
    with opened("claude-memory:.claude/memory"):
        pass
    assert claude_memory.main(["index", "--root", ".claude/memory", "--gc"]) == 0
    with opened("claude-memory:.claude/memory") as ws:
        assert told(ws, "queue")[-1][:2] == ("Retired", dropin.SURFACE)
