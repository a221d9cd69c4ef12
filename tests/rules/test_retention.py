"""What is let go for good, and what only falls out of the window."""

from __future__ import annotations

from datetime import timedelta

import pytest

from tenure.model.events import EventType
from tenure.model.memory import Memory
from tenure.rules import retention
from tests.specimens import CONTENT, NOW, POLICY, after, days, specimen


def summary(n: int, **content: list[str]) -> Memory:
    return specimen(
        id=f"s{n}",
        kind="session_summary",
        text=f"Session {n}",
        created_at=NOW + days(n),
        content={**CONTENT["session_summary"], "completed": [], "blockers": [], "next_actions": [], **content},
    )


@pytest.mark.parametrize(("age", "over"), [(0, False), (29.999, False), (30, True), (400, True), (-3, False)])
def test_retired_memories_are_purged_after_thirty_days(age: float, over: bool) -> None:
    """claude-memory: 30 days' grace."""
    memory = specimen(state="retired", retired_at=NOW)
    assert retention.purgeable(memory, POLICY, NOW + days(age)) is over


@pytest.mark.parametrize(
    "state", ["candidate", "provisional", "canonical", "under_review", "decayed", "superseded", "archived", "rejected"]
)
def test_only_retired_memories_are_ever_purged(state: str) -> None:
    """claude-memory: archived records are not eligible, ever; nothing else was asked to go."""
    memory = specimen(state=state, retired_at=NOW - days(999))
    assert retention.purgeable(memory, POLICY, NOW + days(9999)) is False


def test_a_retirement_without_date_counts_from_the_last_change() -> None:
    assert retention.purgeable(specimen(state="retired"), POLICY, NOW + days(30))
    assert not retention.purgeable(specimen(state="retired"), POLICY, NOW + days(29))


@pytest.mark.parametrize(("count", "beyond"), [(0, []), (5, []), (6, ["s0"]), (8, ["s0", "s1", "s2"])])
def test_the_window_keeps_the_five_newest_summaries(count: int, beyond: list[str]) -> None:
    """claude-memory: the last 5 sessions, oldest by created_at leave first."""
    shuffled = sorted((summary(n) for n in range(count)), key=lambda memory: hash(memory.id))
    assert [memory.id for memory in retention.beyond_window(shuffled, POLICY)] == beyond


def test_equal_dates_have_a_fixed_order() -> None:
    same = [specimen(id=f"s{n}", kind="session_summary") for n in (3, 1, 2, 5, 4, 6)]
    assert [memory.id for memory in retention.beyond_window(same, POLICY)] == ["s1"]


def test_what_only_the_leaving_summary_says_is_named() -> None:
    """claude-memory: warning that a session contains unique content not captured elsewhere."""
    leaving = summary(
        1,
        completed=["wrote the import adapter"],
        blockers=["staging cluster lacks disk space"],
        next_actions=["rotate the deploy key"],
    )
    elsewhere = [
        specimen(id="m-2", text="The staging cluster lacks disk space since March"),
        summary(2, completed=["rotate the deploy key"]),
    ]
    assert retention.only_here(leaving, [leaving, *elsewhere]) == ["wrote the import adapter"]


def test_a_summary_without_items_is_named_by_its_title() -> None:
    assert retention.only_here(summary(1), []) == ["Session 1"]


def test_grace_is_counted_to_the_second() -> None:
    memory = specimen(state="retired", retired_at=NOW)
    assert not retention.purgeable(memory, POLICY, NOW + days(30) - timedelta(seconds=1))


def test_grace_is_counted_from_the_retirement_and_not_from_a_later_change() -> None:
    """claude-memory: `retired_at`; a tag added to a retired record does not keep it."""
    memory = specimen(state="retired", retired_at=NOW, updated_at=NOW + days(20))
    assert retention.purgeable(memory, POLICY, NOW + days(30))


def test_where_others_purge_a_memory_may_be_archived_instead() -> None:
    """`retention.archive_instead`: it is out of the purge's reach for good, and says why."""
    memory = specimen(state="retired", retired_at=NOW, previous_state="stable")
    event = retention.kept(memory, POLICY, NOW, reason=retention.why_purged(POLICY))
    kept = after(memory, [event])
    assert (kept.state, kept.phase, kept.retired_at, kept.previous_state) == ("archived", "gone", None, "stable")
    assert (event.type, event.reason) == (EventType.ARCHIVED, "kept at gc; retired for 30 days")
    assert event.detail == {"from": "retired", "to": "archived"}


@pytest.mark.parametrize(("taken", "beyond"), [(0, []), (1, ["s0"]), (3, ["s0", "s1", "s2"]), (99, 5)])
def test_places_taken_elsewhere_leave_less_of_the_window(taken: int, beyond: list[str] | int) -> None:
    """claude-memory: a summary that is being written counts before it is there."""
    found = [memory.id for memory in retention.beyond_window([summary(n) for n in range(5)], POLICY, taken=taken)]
    assert found == beyond or len(found) == beyond


@pytest.mark.parametrize("field", ["completed", "blockers", "next_actions"])
def test_each_list_of_a_summary_may_hold_what_nobody_else_says(field: str) -> None:
    """claude-memory: completed, blockers and next actions."""
    leaving = summary(1, **{field: ["alpha bravo charlie delta echo"]})
    assert retention.only_here(leaving, [specimen(text="alpha bravo")]) == ["alpha bravo charlie delta echo"]
    assert retention.only_here(leaving, [specimen(text="alpha bravo charlie")]) == [], "three fifths stand elsewhere"


@pytest.mark.parametrize("others", [[], [specimen(text="alpha bravo")]])
def test_an_item_without_words_is_nothing_to_lose(others: list[Memory]) -> None:
    assert retention.only_here(summary(1, completed=["!!!", "to do it"]), others) == []
