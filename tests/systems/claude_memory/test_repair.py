"""Drafts repaired before they are judged."""

from __future__ import annotations

from tenure.systems.claude_memory.repair import repair

from .project import record

STAMP = "2026-05-01T00:00:00Z"


def repaired(tags: list[object]) -> tuple[list[str], list[str]]:
    draft, notes = repair(record(tags=tags), creating=True, stamp=STAMP)
    return draft["tags"], [note for note in notes if note.startswith("tags")]


def test_tags_are_sorted_once_each_and_at_most_twelve() -> None:
    """Specification 1.6: the original cuts at TAG_CAP and says so; twelve are not too many."""
    twelve = [f"t{number:02d}" for number in range(12)]
    assert repaired([*twelve, "t00"]) == (twelve, [])
    assert repaired([*twelve, "t99"]) == (twelve, ["tags: truncated to TAG_CAP (12)"])


def test_a_record_without_usable_tags_is_untagged() -> None:
    """Specification 1.6: the schema wants one."""
    assert repaired([" ", 5]) == (["untagged"], ["tags: empty after dedup, set to ['untagged']"])
