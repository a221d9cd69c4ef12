"""The retrieval formula and its parts."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tenure.systems.geas import score
from tenure.systems.geas.score import Parts, Target
from tenure.systems.geas.tables import packaged

from . import samples

TABLES = packaged()
RECORDED = samples.case("retrieval-score")


@pytest.mark.parametrize("row", RECORDED["rows"])
def test_the_score_is_the_recorded_one(row: dict[str, Any]) -> None:
    """Recorded case retrieval-score."""
    parts = Parts(
        scope_match=row["scope_match"],
        path_overlap=row["path_overlap"],
        role_match=row["role_match"],
        freshness=score.freshness(row["days_since_last_confirmed"], TABLES),
        confidence=row["confidence"],
        reuse_success=score.reuse_success(row["successful_reuses"], row["failed_reuses"], TABLES),
    )
    found = score.total(
        parts,
        contradictions=row["contradiction_count"],
        risk_bonus=row["risk_pattern_in_high_risk_task"],
        tables=TABLES,
    )
    assert found == pytest.approx(row["score"], abs=RECORDED["tolerance"])


@pytest.mark.parametrize(("contradictions", "expected"), [(0, 0.95), (1, 0.9), (3, 0.8), (4, 0.8), (99, 0.8)])
def test_contradictions_cost_at_most_three_of_them(contradictions: int, expected: float) -> None:
    """Spec 1.9: minus min(0.05 x contradictions, 0.15)."""
    found = score.total(Parts(1, 1, 1, 1, 1, 1), contradictions=contradictions, risk_bonus=False, tables=TABLES)
    assert found == pytest.approx(expected)


@pytest.mark.parametrize(
    ("scope", "same", "task", "mission", "project"),
    [
        ("task", True, 1.0, 0.3, 0.1),
        ("task", False, 0.2, 0.3, 0.1),
        ("mission", False, 0.7, 1.0, 0.5),
        ("project", False, 0.5, 0.7, 1.0),
        ("agent", True, 0.8, 0.8, 0.8),
        ("agent", False, 0.1, 0.1, 0.1),
        ("global", False, 0.4, 0.4, 0.6),
    ],
)
def test_scope_match_is_the_matrix(scope: str, same: bool, task: float, mission: float, project: float) -> None:
    """Spec 1.9: the matrix of the first edition."""
    refs = ["retro-t1"] if same else ["retro-t9"]
    tags = ["agent:qa_engineer"] if same else []
    memory = samples.memory(scope=scope, evidence_refs=refs, tags=tags)
    for expected, target in [
        (task, Target("qa_engineer", task_id="t1", mission_id="m1")),
        (mission, Target("qa_engineer", mission_id="m1")),
        (project, Target("qa_engineer")),
    ]:
        assert score.scope_match(memory, target, TABLES) == expected


@pytest.mark.parametrize(
    ("change", "agent", "expected"),
    [
        ({"tags": ["qa_engineer"]}, "qa_engineer", True),
        ({"tags": ["agent:qa-engineer"]}, "qa_engineer", True),
        ({"summary": "The qa-engineer reads the contract"}, "qa_engineer", True),
        ({"summary": "The qa_engineers read the contract"}, "qa_engineer", False),
        ({"tags": ["qa_engineer"]}, "challenger", False),
    ],
)
def test_an_agent_memory_speaks_to_the_agent_it_names(change: dict[str, Any], agent: str, expected: bool) -> None:
    """A choice of ours: the schema has no field for the agent."""
    assert score.speaks_to(samples.memory(scope="agent", **change), agent) is expected


@pytest.mark.parametrize(
    ("task", "memory", "expected"),
    [
        ([], ["a.py"], 0.0),
        (["a.py"], [], 0.0),
        (["a.py", "b.py"], ["a.py"], 0.5),
        (["src/a.py"], ["src/"], 1.0),
        (["src/**"], ["src/a.py"], 1.0),
        (["src2/a.py"], ["src"], 0.0),
        (["a.py", "./a.py"], ["a.py"], 1.0),
    ],
)
def test_path_overlap_is_the_share_of_the_task_paths(task: list[str], memory: list[str], expected: float) -> None:
    """Spec 1.9: shared paths / task paths, 0 if the task has none."""
    assert score.path_overlap(task, memory) == expected


@pytest.mark.parametrize(
    ("agent", "memory_type", "expected"),
    [
        ("security_engineer", "security_pattern", 1),
        ("research_integrity_reviewer", "security_pattern", 1),
        ("security_engineer", "ux_pattern", 0),
        ("orchestration_authority", "failure_lesson", 1),
        ("software_engineer", "failure_lesson", 0),
    ],
)
def test_role_match_follows_the_reviewer_table(agent: str, memory_type: str, expected: int) -> None:
    """Spec 1.9: the mapping is not given; the reviewer table is the natural one."""
    now = datetime(2026, 4, 10, tzinfo=UTC)
    parts = score.parts(
        samples.memory(memory_type=memory_type),
        Target(agent),
        memory_paths=[],
        confirmed_at=now,
        now=now,
        tables=TABLES,
    )
    assert parts.role_match == expected


def test_a_memory_is_fresh_from_its_newest_success_else_from_its_creation() -> None:
    """Spec 1.9: since the newest positive log, else since creation. Reading makes nothing fresher."""
    logs = [
        samples.log("t1", created_at="2026-04-05T10:00:00Z"),
        samples.log("t2", created_at="2026-04-09T10:00:00Z", effect="neutral"),
        samples.log("t3", memory_id="mem-other", created_at="2026-04-09T10:00:00Z"),
    ]
    assert score.confirmed_at(samples.memory(), logs) == datetime(2026, 4, 5, 10, tzinfo=UTC)
    assert score.confirmed_at(samples.memory(), logs[1:]) == datetime(2026, 4, 1, 9, 30, 15, tzinfo=UTC)


@pytest.mark.parametrize(
    ("memory_type", "risk", "gain"),
    [
        ("risk_pattern", "critical", 0.1),
        ("risk_pattern", "high", 0.1),
        ("risk_pattern", "normal", 0.0),
        ("failure_lesson", "high", 0.0),
    ],
)
def test_risk_patterns_gain_in_risky_tasks(memory_type: str, risk: str, gain: float) -> None:
    """Spec 1.9: +0.10 for risk_pattern when the task's risk is high or critical."""
    now = datetime(2026, 4, 10, tzinfo=UTC)

    def value(level: str) -> float:
        memory = samples.memory(memory_type=memory_type)
        target = Target("qa_engineer", risk_level=level)
        return score.score(memory, target, memory_paths=[], confirmed_at=now, now=now, tables=TABLES)

    assert value(risk) - value("low") == pytest.approx(gain)


@given(
    days=st.floats(-700_000, 700_000),
    confidence=st.floats(0, 1),
    counts=st.tuples(*[st.integers(0, 10**6)] * 3),
    bonus=st.booleans(),
)
def test_a_score_is_always_between_nothing_and_one(
    days: float, confidence: float, counts: tuple[int, int, int], bonus: bool
) -> None:
    """Spec 1.9: clamp 0..1; GUARANTEES R11: whatever the clocks say."""
    now = datetime(2026, 4, 10, tzinfo=UTC)
    reuse = score.reuse_success(counts[0], counts[1], TABLES)
    parts = Parts(1, 1, 1, score.freshness(days, TABLES), confidence, reuse)
    assert 0 <= score.total(parts, contradictions=counts[2], risk_bonus=bonus, tables=TABLES) <= 1
    far = score.parts(
        samples.memory(),
        Target("qa_engineer"),
        memory_paths=[],
        confirmed_at=now + timedelta(days=days),
        now=now,
        tables=TABLES,
    )
    assert 0 <= far.freshness <= 1
