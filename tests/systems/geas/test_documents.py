"""New documents: each is what the skill's template prints and validates as it stands."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from tenure.systems.geas import codec, documents

from . import samples

NOW = datetime(2026, 4, 1, 9, 30, 15, tzinfo=UTC)


def new_candidate() -> dict[str, Any]:
    return documents.candidate(
        memory_id="mem-task-001-1",
        memory_type="failure_lesson",
        title="Retry loops need a limit",
        summary="Retry loops without a limit hang the integration job",
        scope="project",
        evidence_refs=["retro-task-001"],
        confidence=0.4,
        reason="Extracted from task task-001 retrospective",
        sources=[".geas/missions/mission-a/tasks/task-001/retrospective.json"],
        now=NOW,
    )


def test_a_candidate_is_the_template_of_the_skill() -> None:
    """Seed: the candidate document, field by field, in its order."""
    assert list(new_candidate().items()) == list(samples.candidate().items())


def test_a_log_is_the_template_of_the_skill() -> None:
    """Seed: the application log."""
    made = documents.application_log(
        memory_id="mem-task-001-1",
        task_id="task-009",
        applied_by="software_engineer",
        effect="positive",
        now=NOW,
    )
    assert list(made.items()) == list(samples.log("task-009").items())


def test_a_candidate_stands_in_the_index_with_a_date_thirty_days_on() -> None:
    """Contradiction 12: the index demands a date that candidates do not have."""
    row = documents.index_row(new_candidate())
    assert row["review_after"] == "2026-05-01T09:30:15Z"
    assert row["state"] == "candidate"


@pytest.mark.parametrize(
    ("artifact", "made"),
    [
        ("memory-candidate", new_candidate()),
        (
            "memory-review",
            documents.review(memory_id="mem-1", reviewer="qa_engineer", decision="keep", rationale="why", now=NOW),
        ),
        (
            "memory-packet",
            documents.packet(task_id="t1", agent="qa_engineer", applicable=["a"], cautions=[], suppressed=[], now=NOW),
        ),
        (
            "memory-packet",
            documents.packet(task_id=None, agent="qa_engineer", applicable=[], cautions=[], suppressed=[], now=NOW),
        ),
        ("memory-index", documents.index([documents.index_row(new_candidate())], NOW)),
        (
            "memory-entry",
            documents.entry(
                memory_id="mem-2",
                memory_type="risk_pattern",
                state="stable",
                title="t",
                summary="s",
                scope="project",
                evidence_refs=["r"],
                signals=documents.signals(1, 0.4),
                review_after=NOW,
                now=NOW,
                tags=["a", "a"],
            ),
        ),
    ],
)
def test_everything_we_build_is_valid(artifact: str, made: dict[str, Any]) -> None:
    """Issue: every file written validates."""
    assert codec.encode(made, artifact)


def test_the_first_index_is_named_as_setup_names_it() -> None:
    """Spec 1.3: initial artifact_id mi-init; an index already there keeps its metadata."""
    first = documents.index([], NOW)
    assert first["meta"] == samples.meta("memory_index", "mi-init")
    assert documents.index([], NOW, {**first["meta"], "artifact_id": "mi-7"})["meta"]["artifact_id"] == "mi-7"


def test_events_have_the_fields_of_the_skill() -> None:
    """Seed and spec 1.3: the four events."""
    stamp = samples.STAMP
    assert documents.memory_promoted("m", "candidate", "provisional", NOW) == {
        "event": "memory_promoted",
        "memory_id": "m",
        "from_state": "candidate",
        "to_state": "provisional",
        "timestamp": stamp,
    }
    assert documents.memory_decayed("m", "why", NOW) == {
        "event": "memory_decayed",
        "memory_id": "m",
        "reason": "why",
        "timestamp": stamp,
    }
    assert documents.memory_extraction("t1", ["m"], NOW)["candidates"] == ["m"]
    assert set(documents.memory_promotion_batch([], [], [], NOW)) == {
        "event",
        "promoted",
        "rejected",
        "decayed",
        "timestamp",
    }
