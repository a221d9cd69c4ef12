"""The six automatic triggers."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from tenure.systems.geas import schemas, similar, triggers
from tenure.systems.geas.tables import packaged
from tenure.systems.geas.triggers import Record

from . import samples

TABLES = packaged()
NOW = datetime(2026, 4, 1, 9, 30, 15, tzinfo=UTC)
KEYS = {"reviewer_concern_category": "category", "test_recipe": "recipe"}


def found(records: list[Record]) -> list[dict[str, Any]]:
    return triggers.candidates(records, taken=(), now=NOW, tables=TABLES)


RECORDED = [(case["trigger"], row) for case in samples.cases("extraction") for row in case["cases"]]


@pytest.mark.parametrize(("trigger", "row"), RECORDED)
def test_a_recorded_repetition_is_extracted_or_not(trigger: str, row: dict[str, Any]) -> None:
    """Recorded cases auto-extract-*."""
    records = [Record(trigger, record["task_id"], record[KEYS[trigger]]) for record in row["records"]]
    made = found(records)
    assert bool(made) is (row["expect"] is not None)
    for candidate in made:
        assert candidate["signals"]["confidence"] == row["expect"]["confidence"]
        assert candidate["memory_type"] == row["expect"].get("memory_type", candidate["memory_type"])


@pytest.mark.parametrize(
    ("trigger", "times", "memory_type", "confidence"),
    [
        ("failure_class", 2, "failure_lesson", 0.6),
        ("reviewer_concern_category", 2, "risk_pattern", 0.6),
        ("recovery_class", 2, "risk_pattern", 0.4),
        ("low_confidence", 2, "risk_pattern", 0.4),
        ("test_recipe", 3, "test_strategy", 0.6),
        ("integration_conflict", 2, "integration_pattern", 0.4),
    ],
)
def test_each_trigger_fires_at_its_number_with_its_type_and_confidence(
    trigger: str, times: int, memory_type: str, confidence: float
) -> None:
    """Seed for four of them, spec 1.2 for the other two."""
    records = [Record(trigger, f"t{number}", "pattern") for number in range(times)]
    [candidate] = found(records)
    assert schemas.problems(candidate, "memory-candidate") == []
    assert (candidate["memory_type"], candidate["signals"]["confidence"]) == (memory_type, confidence)
    assert candidate["signals"]["evidence_count"] == len(candidate["evidence_refs"]) == times
    assert found(records[1:]) == []


def test_different_patterns_do_not_add_up() -> None:
    """Seed: the same class, category, kind or path."""
    assert found([Record("failure_class", "t1", "gate_fail"), Record("failure_class", "t2", "timeout")]) == []


@pytest.mark.parametrize(
    ("artifact", "change", "trigger", "key"),
    [
        ("failure-record", {"failure_class": "timeout"}, "failure_class", "timeout"),
        ("failure-record", {}, "failure_class", "gate_fail"),
        ("challenge-review", {}, "reviewer_concern_category", "security_concern"),
        (
            "specialist-review",
            {"blocking_concerns": [{"category": "missing_edge_case"}]},
            "reviewer_concern_category",
            "missing_edge_case",
        ),
        ("recovery-packet", {}, "recovery_class", "dirty_state_recovery"),
        ("worker-self-check", {"task_kind": "design"}, "low_confidence", "design"),
        ("worker-self-check", {}, "low_confidence", "implementation"),
        ("integration-result", {}, "integration_conflict", "src/a.py"),
        ("retrospective", {"what_went_well": ["Test recipe: curl smoke."]}, "test_recipe", "curl smoke"),
        ("retrospective", {"what_went_well": ["demo recipe: curl smoke"]}, "test_recipe", "curl smoke"),
    ],
)
def test_each_artifact_is_counted_by_its_trigger(artifact: str, change: dict[str, Any], trigger: str, key: str) -> None:
    """CONTRACT, geas capture; contradiction 17 for the fields the schemas do not have."""
    document = {**samples.valid(artifact), **change}
    made = triggers.records(artifact, document, task_id="t1", source="s", task_kind="implementation", tables=TABLES)
    assert [(record.trigger, record.key) for record in made] == [(trigger, key)]


@pytest.mark.parametrize(
    ("artifact", "change"),
    [
        ("worker-self-check", {"confidence": 3}),
        ("worker-self-check", {"confidence": True}),
        ("integration-result", {"conflict_status": "clean"}),
        ("specialist-review", {}),
        ("retrospective", {"what_went_well": ["a fine recipe"]}),
        ("failure-record", {"failure_source": None}),
        ("failure-record", {"failure_class": {"a": 1}}),
        ("challenge-review", {"concerns": "many"}),
        ("challenge-review", {"concerns": [None, {"category": 5}]}),
        ("failure-record", {"failure_class": "x" * 500}),
    ],
)
def test_what_is_no_pattern_is_not_counted(artifact: str, change: dict[str, Any]) -> None:
    """CONTRACT, geas capture; malformed artifacts count nothing and raise nothing."""
    document = {**samples.valid(artifact), **change}
    assert triggers.records(artifact, document, task_id="t1", source="", task_kind=None, tables=TABLES) == []


def test_two_failures_of_one_task_are_two_pieces_of_evidence() -> None:
    """Seed: the class repeats twice; tasks are not mentioned."""
    [candidate] = found([Record("failure_class", "t1", "timeout"), Record("failure_class", "t1", "timeout")])
    assert candidate["evidence_refs"] == ["failure-t1", "failure-t1-2"]


def test_two_reviews_of_one_task_are_one_piece_of_evidence() -> None:
    """GUARANTEES 3: evidence of distinct origin; the trigger counts tasks."""
    records = [Record("reviewer_concern_category", task, "other") for task in ("t1", "t1", "t2")]
    [candidate] = found(records)
    assert candidate["evidence_refs"] == ["review-t1", "review-t2"]


def test_recoveries_are_told_apart_by_their_own_ids() -> None:
    """Spec 1.4: a recovery packet may name no task."""
    documents = [{**samples.valid("recovery-packet"), "recovery_id": f"rec-{number}"} for number in (1, 2)]
    records = [
        record
        for document in documents
        for record in triggers.records(
            "recovery-packet", document, task_id="t1", source="", task_kind=None, tables=TABLES
        )
    ]
    assert found(records)[0]["evidence_refs"] == ["recovery-rec-1", "recovery-rec-2"]


def test_a_merge_of_many_files_does_not_flood_the_store() -> None:
    """A choice of ours: the most frequent paths come first, the rest is left."""
    records = [Record("integration_conflict", f"t{task}", f"src/{n}.py") for task in (1, 2) for n in range(40)]
    records.append(Record("integration_conflict", "t3", "src/39.py"))
    made = found(records)
    assert len(made) == TABLES.trigger_details.conflict_paths_at_most
    assert "src/39.py" in [candidate["title"].split()[-1] for candidate in made]


def test_a_further_repetition_is_evidence_for_the_same_lesson_and_another_pattern_is_not() -> None:
    """Seed: before creating a new candidate, look for a similar one."""
    records = [Record("failure_class", f"t{number}", "timeout") for number in (1, 2)]
    [old] = found(records)
    [new] = found([*records, Record("failure_class", "t3", "timeout")])
    decision = similar.consolidate(new, [old], least=0.70, by_title=True)
    assert decision.action == "update"
    assert decision.fresh == ("failure-t3",)
    [other] = found([Record("failure_class", f"t{number}", "time_out") for number in (1, 2)])
    assert similar.consolidate(other, [old], least=0.70, by_title=True).action == "create"
