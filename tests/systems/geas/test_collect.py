"""Finding artifacts in real folders."""

from __future__ import annotations

import json
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path, PurePath
from typing import Any

import pytest

from tenure.systems.geas import collect, triggers
from tenure.systems.geas.tables import packaged

from . import samples

TABLES = packaged()


def put(path: Path, document: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(document if isinstance(document, str) else json.dumps(document))
    return path


@pytest.fixture
def mission(tmp_path: Path) -> Path:
    """A mission of two tasks with every artifact a capture reads, and some it does not."""
    root = tmp_path / ".geas" / "missions" / "m1"
    for task in ("t1", "t2"):
        place = root / "tasks" / task
        put(place / "retrospective.json", samples.retrospective(task, memory_candidates=["a lesson"]))
        for artifact in ("failure-record", "worker-self-check", "integration-result", "challenge-review"):
            put(place / f"{artifact}.json", {**samples.valid(artifact), "task_id": task})
        put(place / "closure-packet.json", {"artifact_type": "closure_packet"})
        contract = {
            "task_id": task,
            "task_kind": "design",
            "risk_level": "high",
            "scope": {"surfaces": ["src"]},
        }
        put(root / "tasks" / f"{task}.json", contract)
        concern = {"concern": "x", "severity": "major", "resolved": False, "category": "missing_edge_case"}
        review = {**samples.valid("specialist-review"), "task_id": task, "blocking_concerns": [concern]}
        put(root / "evidence" / task / "qa_engineer.json", review)
    for number in (1, 2):
        recovery = {**samples.valid("recovery-packet"), "recovery_id": f"rec-{number}"}
        put(root / "recovery" / f"rec-{number}.json", recovery)
    return root


def kinds(collected: collect.Collected) -> Counter[str]:
    return Counter(artifact.kind for artifact in collected.artifacts)


def test_a_mission_gives_all_its_artifacts(mission: Path) -> None:
    """CONTRACT, geas capture."""
    found = collect.collect([mission])
    assert kinds(found) == Counter(
        {
            "retrospective": 2,
            "failure-record": 2,
            "worker-self-check": 2,
            "integration-result": 2,
            "challenge-review": 2,
            "specialist-review": 2,
            "recovery-packet": 2,
        }
    )
    assert found.tasks["t2"] == collect.Task("design", "high", ("src", "src/a.py"))
    assert found.skipped == ()


def test_the_geas_folder_gives_the_same_and_no_file_counts_twice(mission: Path) -> None:
    """CONTRACT: below a mission or .geas folder; GUARANTEES R12: effect once."""
    once = collect.collect([mission])
    root = mission.parents[1]
    assert kinds(collect.collect([root, mission, mission / "tasks" / "t1" / "retrospective.json"])) == kinds(once)


def test_a_task_folder_brings_its_reviews_and_contract_along(mission: Path) -> None:
    """Spec 1.3: specialist reviews lie under evidence/{task}, beside the task's folder."""
    found = collect.collect([mission / "tasks" / "t1"])
    assert {artifact.task_id for artifact in found.artifacts} == {"t1"}
    assert kinds(found)["specialist-review"] == 1
    assert found.tasks["t1"].kind == "design"


def test_sources_are_written_as_geas_writes_them(mission: Path) -> None:
    """Seed: source_artifacts begin with .geas/."""
    found = collect.collect([mission / "tasks" / "t1" / "retrospective.json"])
    assert found.artifacts[0].source == ".geas/missions/m1/tasks/t1/retrospective.json"


def test_a_mission_with_everything_twice_fires_five_of_six_triggers(mission: Path) -> None:
    """Spec 1.2: the test recipe needs three tasks."""
    records = collect.records(collect.collect([mission]), TABLES)
    now = datetime(2026, 4, 10, tzinfo=UTC)
    made = triggers.candidates(records, taken=(), now=now, tables=TABLES)
    assert Counter(candidate["candidate_reason"].split()[2] for candidate in made) == Counter(
        {
            "failure_class": 1,
            "low_confidence": 1,
            "integration_conflict": 1,
            "reviewer_concern_category": 2,
            "recovery_class": 1,
        }
    )
    assert len({candidate["memory_id"] for candidate in made}) == len(made)


@pytest.mark.parametrize("text", ["{", '{"a": NaN}', "[]", '{"artifact_type": "memory_entry"}', "\x00"])
def test_a_file_that_cannot_be_used_is_named_with_a_reason(mission: Path, text: str) -> None:
    """CONTRACT: skipped; nothing else is held up."""
    put(mission / "tasks" / "t1" / "retrospective.json", text)
    found = collect.collect([mission / "tasks" / "t1" / "retrospective.json", mission])
    assert [skipped.path.name for skipped in found.skipped] == ["retrospective.json"]
    assert kinds(found)["retrospective"] == 1


def test_links_are_not_followed(mission: Path, tmp_path: Path) -> None:
    """GUARANTEES S20."""
    outside = put(tmp_path / "outside" / "t9" / "retrospective.json", samples.retrospective("t9"))
    (mission / "tasks" / "t9").symlink_to(outside.parent)
    (mission / "tasks" / "t1" / "retrospective.json").unlink()
    (mission / "tasks" / "t1" / "retrospective.json").symlink_to(outside)
    found = collect.collect([mission, mission / "tasks" / "t9", tmp_path / "nowhere"])
    assert "t9" not in {artifact.task_id for artifact in found.artifacts}
    assert len(found.skipped) == 3


def test_a_second_failure_record_of_a_task_is_found(mission: Path) -> None:
    """Seed: a failure class may repeat within one task."""
    put(
        mission / "tasks" / "t1" / "failure-record-2.json",
        {**samples.valid("failure-record"), "task_id": "t1"},
    )
    assert kinds(collect.collect([mission]))["failure-record"] == 3


@pytest.mark.parametrize("contract", [{"scope": 5}, {"scope": {"paths": "src"}}, {"task_id": 7}, {"risk_level": []}])
def test_a_contract_of_any_shape_is_taken_as_far_as_it_goes(mission: Path, contract: dict[str, Any]) -> None:
    """GUARANTEES S18: malformed input raises nothing undeclared."""
    put(mission / "tasks" / "t1.json", contract)
    assert collect.collect([mission]).tasks["t1"] == collect.Task(None, "normal", ("src/a.py",))


def test_only_json_files_are_artifacts() -> None:
    """geas writes a page for people beside some of them."""
    assert collect.kind_of(PurePath("tasks/task-001/retrospective.json")) == "retrospective"
    assert collect.kind_of(PurePath("tasks/task-001/retrospective.md")) is None
    assert collect.kind_of(PurePath("tasks/task-001.json")) == "task-contract"
    assert collect.kind_of(PurePath("tasks/task-001.md")) is None
