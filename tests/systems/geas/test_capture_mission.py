"""`tenure capture` on geas's artifacts: candidates, evidence and the six repeated patterns."""

from __future__ import annotations

from typing import Any

import pytest

from tenure.model.errors import InvalidInput

from . import samples
from .project import Project

SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


def task(project: Project, name: str, kind: str, document: dict[str, Any], suffix: str = "") -> None:
    project.put(f"missions/m1/tasks/{name}/{kind}{suffix}.json", {**document, "task_id": name})


def lay_out(project: Project, trigger: str, records: list[tuple[str, str]]) -> None:
    """Write the artifacts that a trigger counts, one per (task, what repeats)."""
    for number, (name, key) in enumerate(records):
        if trigger == "failure_class":
            record = {**samples.valid("failure-record"), "failure_class": key}
            task(project, name, "failure-record", record, f"-{number}")
        elif trigger == "reviewer_concern_category":
            concern = {"concern": "look", "severity": "major", "resolved": False, "category": key}
            review = {**samples.valid("specialist-review"), "blocking_concerns": [concern], "task_id": name}
            project.put(f"missions/m1/evidence/{name}/qa-{number}.json", review)
        elif trigger == "recovery_class":
            packet = {**samples.valid("recovery-packet"), "recovery_class": key, "recovery_id": f"rec-{number}"}
            project.put(f"recovery/rec-{number}.json", packet)
        elif trigger == "low_confidence":
            project.put(f"missions/m1/tasks/{name}.json", {"task_id": name, "task_kind": key})
            task(project, name, "worker-self-check", samples.valid("worker-self-check"), f"-{number}")
        elif trigger == "test_recipe":
            task(project, name, "retrospective", samples.retrospective(name, what_went_well=[f"Test recipe: {key}"]))
        else:
            result = {**samples.valid("integration-result"), "files_changed": [key]}
            task(project, name, "integration-result", result, f"-{number}")


@pytest.mark.parametrize(
    ("trigger", "records", "kind", "confidence"),
    [
        ("failure_class", [("t1", "timeout"), ("t2", "timeout")], "failure_lesson", 0.6),
        ("failure_class", [("t1", "timeout"), ("t2", "other")], None, None),
        ("reviewer_concern_category", [("t1", "other"), ("t2", "other")], "risk_pattern", 0.6),
        ("reviewer_concern_category", [("t1", "other"), ("t1", "other")], None, None),
        ("recovery_class", [("t1", "manual_repair_required")] * 2, "risk_pattern", 0.4),
        ("recovery_class", [("t1", "manual_repair_required")], None, None),
        ("low_confidence", [("t1", "design"), ("t2", "design")], "risk_pattern", 0.4),
        ("low_confidence", [("t1", "design"), ("t2", "review")], None, None),
        ("test_recipe", [("t1", "curl smoke"), ("t2", "curl smoke"), ("t3", "curl smoke")], "test_strategy", 0.6),
        ("test_recipe", [("t1", "curl smoke"), ("t2", "curl smoke")], None, None),
        ("integration_conflict", [("t1", "src/a.py"), ("t2", "src/a.py")], "integration_pattern", 0.4),
        ("integration_conflict", [("t1", "src/a.py"), ("t2", "src/b.py")], None, None),
    ],
)
def test_a_repeated_pattern_becomes_a_candidate(
    project: Project, trigger: str, records: list[tuple[str, str]], kind: str | None, confidence: float | None
) -> None:
    """Seed and spec 1.2: the six automatic triggers with their confidences."""
    lay_out(project, trigger, records)
    with project.open() as ws:
        decisions = ws.capture_files([str(project.geas)]).decisions
        assert [decision.action for decision in decisions] == (["create"] if kind else [])
        again = ws.capture_files([str(project.geas)]).decisions
        assert {decision.action for decision in again} <= {"noop"}
    found = [project.file(name) for name in project.states()]
    assert [(one["memory_type"], one["signals"]["confidence"]) for one in found] == (
        [(kind, confidence)] if kind else []
    )
    # The records carry fields their schemas lack (contradiction 17), and are geas's, not ours.
    _remove_sources(project)


def _remove_sources(project: Project) -> None:
    for name in project.files():
        if name.startswith(("missions/", "recovery/")):
            (project.geas / name).unlink()


def test_the_records_of_earlier_tasks_count_when_one_task_is_captured(project: Project) -> None:
    """A choice of ours: a pattern is counted over the folder, and must occur in what is captured."""
    for name in ("t1", "t2", "t3"):
        task(project, name, "failure-record", samples.valid("failure-record"))
    task(project, "t3", "retrospective", samples.retrospective("t3"))
    with project.open() as ws:
        folder = project.geas / "missions/m1/tasks/t3"
        assert ws.capture_files([str(folder / "retrospective.json")]).decisions == []
        (decision,) = ws.capture_files([str(folder)]).decisions
    assert project.file(decision.id)["evidence_refs"] == ["failure-t1", "failure-t2", "failure-t3"]


def test_the_candidate_is_the_document_of_the_skill(project: Project) -> None:
    """Seed: every field of the candidate template."""
    text = "Retry loops without a limit hang the integration job"
    task(project, "task-001", "retrospective", samples.retrospective("task-001", memory_candidates=[text]))
    with project.open() as ws:
        ws.capture_files([str(project.geas / "missions/m1")])
    source = ".geas/missions/m1/tasks/task-001/retrospective.json"
    expected = samples.candidate(title=text, source_artifacts=[source])
    expected["meta"]["created_at"] = "2026-04-10T12:00:00Z"
    assert project.file() == expected
    assert project.index() == {"mem-task-001-1": "candidate"}


@pytest.mark.parametrize("state", ["rejected", "archived", "superseded", "decayed"])
def test_evidence_for_what_is_gone_is_added_shown_and_revives_nothing(project: Project, state: str) -> None:
    """Contradiction 23."""
    project.entry(samples.memory(state=state, signals={"confidence": 0.4}))
    again = samples.retrospective("t5", memory_candidates=[f"{samples.memory()['summary']}: need limit"])
    task(project, "t5", "retrospective", again)
    with project.open() as ws:
        (decision,) = ws.capture_files([str(project.geas)]).decisions
        assert (decision.action, decision.id) == ("update", "mem-task-001-1")
        assert [item.id for item in ws.queue()] == ["mem-task-001-1"]
    found = project.file()
    assert (found["state"], found["evidence_refs"][-1]) == (state, "retro-t5")
    assert (found["signals"]["evidence_count"], found["signals"]["confidence"]) == (3, 0.6)


def test_secrets_do_not_get_in(project: Project) -> None:
    """GUARANTEES S8."""
    sentence = f"Security: the token {SECRET} was in the log"
    task(project, "t1", "retrospective", samples.retrospective("t1", memory_candidates=[sentence]))
    with project.open() as ws:
        ws.capture_files([str(project.geas)])
    memory = project.geas / "memory"
    assert not any(SECRET in path.read_text() for path in memory.rglob("*.json"))


@pytest.mark.parametrize("content", ["{", "[]", '{"task_id": "t1", "memory_candidates": "one"}'])
def test_a_named_file_that_cannot_be_used_is_an_answer(project: Project, content: str) -> None:
    """CONTRACT: bad input gets a message, and nothing is half-written."""
    path = project.put("missions/m1/tasks/t1/retrospective.json", content)
    with project.open() as ws, pytest.raises(InvalidInput):
        ws.capture_files([str(path)])
    assert project.states() == {}
    path.unlink()


def test_a_bad_file_among_others_is_left_out(project: Project) -> None:
    """A mission is captured in spite of one damaged record."""
    bad = project.put("missions/m1/tasks/t1/retrospective.json", "{")
    task(project, "t2", "retrospective", samples.retrospective("t2", memory_candidates=["Ask before deleting"]))
    with project.open() as ws:
        answer = ws.capture_files([str(project.geas / "missions")])
    assert [decision.id for decision in answer.decisions] == ["mem-t2-1"]
    assert [left.path for left in answer.skipped] == [str(bad)]
    bad.unlink()


def test_proposals_are_taken_too(project: Project) -> None:
    """CONTRACT: JSON Lines work on every store."""
    path = project.root / "proposals.jsonl"
    path.write_text('{"kind": "risk_pattern", "text": "The staging key expires in May"}\n')
    with project.open() as ws:
        (decision,) = ws.capture_files([str(path)], run="run-7").decisions
    assert decision.id == "mem-run-7-1"
    assert project.file(decision.id)["evidence_refs"] == ["run-7"]
