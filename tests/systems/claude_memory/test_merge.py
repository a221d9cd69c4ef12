"""Merge protections of an update."""

from __future__ import annotations

from typing import Any

import pytest

from tenure.systems.claude_memory.merge import keep_identity, merge, renamed
from tenure.systems.claude_memory.refusal import Refusal

from .project import record

NOW = "2026-06-01T12:00:00Z"
NEW = {"date": NOW, "summary": "clarified"}


def updated(old: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """Return the old record with a new change entry and some fields replaced."""
    return {**old, "changes": [*old["changes"], NEW], **changes}


def merged(old: dict[str, Any], new: dict[str, Any], *existing: str) -> dict[str, Any]:
    return merge(old, new, stamp=NOW, exists=lambda path: path in existing).record


def refused(old: dict[str, Any], new: dict[str, Any], *existing: str) -> dict[str, Any]:
    with pytest.raises(Refusal) as caught:
        merged(old, new, *existing)
    return dict(caught.value.lines)


def test_identity_and_status_come_from_the_old_record() -> None:
    """Seed: created_at, schema_version, category and record_status cannot change by update."""
    old = record(record_status="retired", retired_at="t", retired_reason="r")
    draft = record("runbook", id="other", created_at="x", record_status="active", archived_at="t")
    kept = keep_identity(old, draft)
    same = ("id", "created_at", "category", "record_status", "retired_at")
    assert {field: kept[field] for field in same} == {field: old[field] for field in same}
    assert "archived_at" not in kept


@pytest.mark.parametrize(
    ("before", "after", "rule"),
    [
        (["a", "b"], ["a"], "grow-only (below cap of 12)"),
        ([f"t{n:02}" for n in range(12)], [f"t{n:02}" for n in range(11)], "no net shrink without addition"),
    ],
)
def test_tags_may_not_be_lost(before: list[str], after: list[str], rule: str) -> None:
    """Seed: grow-only below the cap; at the cap only together with a new tag."""
    old = record(tags=before)
    assert refused(old, updated(old, tags=after))["rule"] == rule


def test_a_tag_evicted_at_the_cap_is_written_into_the_history() -> None:
    """Specification 1.7."""
    tags = [f"t{n:02}" for n in range(12)]
    old = record(tags=tags)
    entry = merged(old, updated(old, tags=[*tags[1:], "new"]))["changes"][-1]
    assert (entry["field"], entry["old_value"], entry["new_value"]) == ("tags", ["t00"], ["new"])


def test_a_related_file_may_go_only_when_it_is_gone() -> None:
    """Seed: grow-only, except that dangling paths can be removed."""
    old = record(related_files=["src/a.py"])
    assert refused(old, updated(old, related_files=[]), "src/a.py")["removed"] == "src/a.py"
    assert merged(old, updated(old, related_files=None))["related_files"] is None


@pytest.mark.parametrize(
    ("changes", "rule"),
    [
        ([], "append-only"),
        ([{"date": "d", "summary": "made up"}, NEW], "append-only"),
        (record()["changes"], "append-only (new entry required)"),
    ],
)
def test_history_is_only_added_to(changes: list[dict[str, Any]], rule: str) -> None:
    """Seed: append-only, at least one new entry. The original counts entries only; here their words count."""
    old = record()
    assert refused(old, {**old, "changes": changes})["rule"] == rule


def test_a_changed_scalar_is_an_entry_of_its_own() -> None:
    """Specification 1.7: automatic entries count as new ones."""
    old = record()
    new = {**old, "content": {**old["content"], "status": "superseded", "rationale": ["x"]}}
    assert merged(old, new)["changes"][1:] == [
        {
            "date": NOW,
            "summary": "content.status changed",
            "field": "content.status",
            "old_value": "accepted",
            "new_value": "superseded",
        }
    ]


@pytest.mark.parametrize(
    ("old", "new", "slug"),
    [
        ("one two three four", "one two three five", None),
        ("one two three", "one two four", None),
        ("one two", "One Three", "one-three"),
        ("Use redis", "Prefer postgres now", "prefer-postgres-now"),
        ("Use redis", "使う", None),
        ("", "anything", None),
    ],
)
def test_a_file_follows_its_title_when_most_words_differ(old: str, new: str, slug: str | None) -> None:
    """Specification 1.7: more than half of all words; exactly half stays."""
    assert renamed(old, new, "old-slug") == slug
