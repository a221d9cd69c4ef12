"""The schema tables against the specification's section 1.2."""

from __future__ import annotations

from typing import Any

import pytest

from tenure.systems.claude_memory.records import FOLDERS
from tenure.systems.claude_memory.schema import CONTENT, problems

from .project import record


@pytest.mark.parametrize("category", FOLDERS)
def test_a_minimal_record_of_every_category_is_valid(category: str) -> None:
    """Specification 1.2: the required content of each category is enough."""
    assert problems(record(category), category) == []


@pytest.mark.parametrize(
    ("category", "field"),
    [(category, name) for category, fields in CONTENT.items() for name, rule in fields.items() if rule.required],
)
def test_a_missing_required_field_is_named_by_its_path(category: str, field: str) -> None:
    """Specification 1.2, and issue 4: validation with field paths."""
    value = record(category)
    value["content"] = {k: v for k, v in value["content"].items() if k != field}
    assert [(p.field, p.found) for p in problems(value, category)] == [(f"content.{field}", "nothing")]


@pytest.mark.parametrize(
    ("category", "change", "field"),
    [
        ("decision", {"extra": 1}, "extra"),
        ("decision", {"schema_version": "2.0"}, "schema_version"),
        ("decision", {"category": "runbook"}, "category"),
        ("decision", {"id": "-x"}, "id"),
        ("decision", {"id": "x" * 81}, "id"),
        ("decision", {"id": "x\n"}, "id"),
        ("decision", {"title": "x" * 121}, "title"),
        ("decision", {"title": ""}, "title"),
        ("decision", {"record_status": "gone"}, "record_status"),
        ("decision", {"tags": []}, "tags"),
        ("decision", {"tags": ["a", 1]}, "tags.1"),
        ("decision", {"confidence": 1.5}, "confidence"),
        ("decision", {"confidence": True}, "confidence"),
        ("decision", {"times_updated": None}, "times_updated"),
        ("decision", {"times_updated": True}, "times_updated"),
        ("decision", {"content": []}, "content"),
        ("decision", {"changes": [{"date": "d", "summary": "x" * 301}]}, "changes.0.summary"),
        ("decision", {"changes": [{"date": "d", "summary": "s", "who": "me"}]}, "changes.0.who"),
    ],
)
def test_a_wrong_field_is_named_by_its_path(category: str, change: dict[str, Any], field: str) -> None:
    """Specification 1.2; an empty title and true as a number are refusals of our own."""
    assert [p.field for p in problems({**record(category), **change}, category)] == [field]


@pytest.mark.parametrize(
    ("category", "change", "field"),
    [
        ("decision", {"status": "maybe"}, "content.status"),
        ("decision", {"rationale": []}, "content.rationale"),
        ("decision", {"alternatives": [{"option": "o"}]}, "content.alternatives.0.rejected_reason"),
        ("runbook", {"steps": []}, "content.steps"),
        ("constraint", {"impact": []}, "content.impact"),
        ("constraint", {"active": "yes"}, "content.active"),
        ("preference", {"examples": {"prefer": [], "why": 1}}, "content.examples.why"),
        ("tech_debt", {"surprise": 1}, "content.surprise"),
    ],
)
def test_wrong_content_is_named_by_its_path(category: str, change: dict[str, Any], field: str) -> None:
    """Specification 1.2: minimum lengths, choices, unknown keys."""
    value = record(category)
    value["content"] = {**value["content"], **change}
    assert [p.field for p in problems(value, category)] == [field]


def test_a_message_never_repeats_a_megabyte() -> None:
    """Our own bound: a wrong value is quoted in part."""
    (problem,) = problems(record(title="x" * 1_000_000), "decision")
    assert len(problem.found) < 200
    assert "1 to 120" in problem.expected


@pytest.mark.parametrize("field", ["completed", "in_progress", "blockers", "next_actions", "key_changes"])
def test_a_session_lists_what_happened(field: str) -> None:
    """The original's schema: lists of texts, and nothing else."""
    value = record("session_summary")
    assert problems(value, "session_summary") == []
    value["content"] = {**value["content"], field: ["one"]}
    assert problems(value, "session_summary") == []
    value["content"] = {**value["content"], field: "one"}
    assert [problem.field for problem in problems(value, "session_summary")] == [f"content.{field}"]
