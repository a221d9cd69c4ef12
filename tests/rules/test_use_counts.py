"""What came of using a memory."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from tenure.model.errors import BadRequest
from tenure.model.events import EventType
from tenure.model.guard import Guard
from tenure.model.memory import Memory
from tenure.rules import use_counts
from tests.specimens import NOW, POLICY, after, days, policy, specimen

LIVE = ["provisional", "stable", "canonical"]


def used(memory: Memory, effect_: str, **options: Any) -> Memory:
    return after(memory, use_counts.apply(memory, effect_, POLICY, NOW, **options))


@pytest.mark.parametrize(
    ("effect_", "counters"),
    [
        ("positive", (1, 1, 0)),
        ("negative", (1, 0, 1)),
        ("neutral", (1, 0, 0)),
        ("neutral_but_risky", (1, 0, 1)),
        ("unknown", (0, 0, 0)),
    ],
)
def test_an_effect_moves_its_counters(effect_: str, counters: tuple[int, int, int]) -> None:
    """geas: reuse, success and failure counters; what nobody could judge counts nothing."""
    signals = used(specimen(), effect_).signals
    assert (signals.reuse_count, signals.successful_reuses, signals.failed_reuses) == counters


def test_a_contradiction_is_counted_beside_the_effect() -> None:
    """geas: contradiction_count += 1, confidence -= 0.2."""
    signals = used(specimen(confidence=80), "negative", contradiction=True).signals
    assert (signals.contradiction_count, signals.failed_reuses, signals.confidence) == (1, 1, 50)


def test_only_a_use_that_helped_moves_the_third_clock() -> None:
    """DESIGN 3.10: last used and last helped are different clocks; nothing but a check verifies."""
    later = NOW + days(3)
    memory = after(specimen(), use_counts.apply(specimen(), "neutral", POLICY, later))
    assert (memory.used_at, memory.helped_at, memory.verified_at) == (later, None, None)
    assert used(specimen(), "positive").helped_at == NOW


def test_the_same_task_counts_once_among_the_tasks() -> None:
    """geas: canonical needs success in three different tasks."""
    memory = specimen()
    for task in ("a", "b", "a", ""):
        memory = used(memory, "positive", task=task)
    assert memory.tasks == ("a", "b")
    assert memory.signals.successful_reuses == 4


def test_a_task_in_which_it_failed_is_not_a_success() -> None:
    assert used(specimen(confidence=80), "negative", task="a").tasks == ()


@pytest.mark.parametrize("state", LIVE)
def test_the_second_failure_puts_a_live_memory_under_review(state: str) -> None:
    """geas: any active -> under_review at 2 failed reuses."""
    once = used(specimen(state=state, confidence=80), "negative")
    assert once.state == state
    twice = used(once, "negative")
    assert (twice.state, twice.phase, twice.previous_state, twice.times_held) == ("under_review", "held", state, 1)


@pytest.mark.parametrize(("confidence", "state"), [(39, "under_review"), (40, "provisional"), (41, "provisional")])
def test_confidence_below_three_tenths_at_logging_holds(confidence: int, state: str) -> None:
    """geas: confidence < 0.3, exactly: 0.3 itself is not below."""
    assert used(specimen(confidence=confidence), "negative").state == state


def test_a_use_that_helps_does_not_hold_a_memory_that_recovers() -> None:
    assert used(specimen(confidence=25), "positive").state == "provisional"


@pytest.mark.parametrize("state", ["candidate", "under_review", "decayed", "retired", "archived", "rejected"])
def test_only_live_memories_are_held(state: str) -> None:
    """Issue 2: any live -> under_review; elsewhere the use is counted and nothing else happens."""
    memory = specimen(state=state, confidence=10, failed_reuses=5)
    logged = used(memory, "negative")
    assert (logged.state, logged.times_held, logged.signals.failed_reuses) == (state, 0, 6)


def test_an_effect_nobody_knows_is_refused() -> None:
    with pytest.raises(BadRequest, match="'superb' is not an effect") as refusal:
        use_counts.apply(specimen(), "superb", POLICY, NOW)
    assert refusal.value.field == "effect"


def test_where_a_policy_counts_a_pair_once_the_second_log_changes_nothing() -> None:
    """geas keeps one log file per task and memory: the second one replaces nothing and counts nothing."""
    once = policy(confidence={"once_per_task_and_agent": True})
    memory = after(specimen(), use_counts.apply(specimen(), "positive", once, NOW, task="T1", by="coder"))
    assert use_counts.apply(memory, "positive", once, NOW, task="T1", by="coder") == []
    assert use_counts.apply(memory, "positive", once, NOW, task="T1", by="tester") != []


def test_a_use_marks_the_run_in_which_the_memory_was_seen() -> None:
    """ArcheFlow: a use is a sighting for the clock that counts runs; it never goes back."""
    assert used(specimen(run_mark=3), "neutral", run_mark=7).run_mark == 7
    assert used(specimen(run_mark=9), "neutral", run_mark=7).run_mark == 9


def test_the_log_says_what_happened() -> None:
    event = use_counts.apply(
        specimen(), "negative", POLICY, NOW, contradiction=True, task="T", by="coder", detail={"notes": "n"}
    )[0]
    assert (event.type, event.task, event.actor) == (EventType.APPLIED, "T", "coder")
    assert event.detail == {"effect": "negative", "contradiction": True, "notes": "n"}


def test_a_success_that_is_only_read_from_a_session_is_not_called_help() -> None:
    """Learning issue: red turns green in 29 % of sessions whatever was cited; proof alone sets `helped_at`."""
    guessed = used(specimen(), "positive", is_guess=True)
    assert (guessed.helped_at, guessed.signals.successful_reuses) == (None, 1)
    assert used(specimen(), "positive").helped_at == NOW


def test_an_agents_report_holds_a_memory_but_switches_off_no_guard() -> None:
    """Issue 13: a negative report of the agent that a guard stops must not take the guard away."""
    plain = specimen()
    guarded = msgspec.structs.replace(plain, guard=Guard(state="on", level="deny"))
    assert used(plain, "negative", is_report=True).phase == "held"
    reported = used(guarded, "negative", is_report=True)
    assert (reported.phase, reported.guard) == ("live", guarded.guard)
    proposed = msgspec.structs.replace(plain, guard=Guard(state="proposed"))
    assert used(proposed, "negative", is_report=True).phase == "held"


def test_a_use_without_a_task_is_told_apart_by_nothing_and_always_counts() -> None:
    """geas: one log per task and agent; where there is no task there is no second time either."""
    once = policy(confidence={"once_per_task_and_agent": True})
    memory = specimen(applied=("/coder",))
    assert use_counts.apply(memory, "positive", once, NOW, by="coder") != []
    assert used(specimen(), "positive", by="coder").applied == ()


def test_who_applied_it_where_is_noted_once() -> None:
    """Ours counts every use and still notes each pair once, for policies that count pairs."""
    memory = specimen()
    for by in ("coder", "coder", "tester"):
        memory = used(memory, "positive", task="T1", by=by)
    assert (memory.applied, memory.signals.reuse_count) == (("T1/coder", "T1/tester"), 3)


@pytest.mark.parametrize(
    ("effect_", "contradiction", "uses", "held"),
    [
        ("positive", False, 1, False),
        ("neutral", False, 1, False),
        ("unknown", False, 0, False),
        ("negative", False, 1, True),
        ("neutral_but_risky", False, 1, True),
        ("positive", True, 1, True),
    ],
)
def test_a_report_is_a_use_and_may_only_take_the_memory_out_of_use(
    effect_: str, contradiction: bool, uses: int, held: bool
) -> None:
    """Issue 16: what nobody but an agent says moves no confidence, counts no success and no failure."""
    memory = used(specimen(confidence=50), effect_, contradiction=contradiction, is_report=True)
    signals = memory.signals
    assert (signals.reuse_count, signals.successful_reuses, signals.failed_reuses) == (uses, 0, 0)
    assert (signals.confidence, signals.contradiction_count, memory.phase == "held") == (50, 0, held)
    assert memory.used_at == NOW


@pytest.mark.parametrize(("contradiction", "more"), [(False, {}), (True, {"contradiction": True})])
@pytest.mark.parametrize("detail", [None, {"notes": "n"}])
def test_a_report_says_in_the_log_that_it_is_one(
    contradiction: bool, more: dict[str, Any], detail: dict[str, Any] | None
) -> None:
    """Issue 16: `history` shows a person who said so."""
    event = use_counts.apply(
        specimen(), "neutral", POLICY, NOW, contradiction=contradiction, is_report=True, by="coder", detail=detail
    )[0]
    assert event.detail == {"effect": "neutral", "report": True, **more, **(detail or {})}
    assert event.actor == "coder"


def test_where_a_policy_counts_reports_they_are_uses_like_any_other() -> None:
    """`confidence.count_reports`: geas's logs are all written by agents."""
    counting = policy(confidence={"count_reports": True})
    memory = after(
        specimen(confidence=50), use_counts.apply(specimen(confidence=50), "positive", counting, NOW, is_report=True)
    )
    assert (memory.signals.successful_reuses, memory.signals.confidence) == (1, 60)


@pytest.mark.parametrize("report", [False, True])
def test_a_system_without_a_state_for_reviews_holds_nothing(report: bool) -> None:
    """ArcheFlow and claude-memory have no such state: `promotion.hold.state` names one that does not exist."""
    none = policy(promotion={"hold": {"state": ""}})
    memory = specimen(failed_reuses=9, confidence=10)
    assert after(memory, use_counts.apply(memory, "negative", none, NOW, is_report=report)).state == "provisional"


@pytest.mark.parametrize(("limit", "failures", "state"), [(0, 9, "provisional"), (1, 0, "under_review")])
def test_a_policy_may_leave_holding_to_confidence_alone(limit: int, failures: int, state: str) -> None:
    """`promotion.hold.failures`: 0 means never."""
    other = policy(promotion={"hold": {"failures": limit}})
    memory = specimen(confidence=90, failed_reuses=failures)
    assert after(memory, use_counts.apply(memory, "negative", other, NOW)).state == state


def test_what_decayed_may_be_held_and_goes_back_to_what_it_was_before() -> None:
    """geas: a reviewer may put a decayed memory under review (`promotion.hold.also_from`)."""
    memory = specimen(state="decayed", previous_state="stable")
    assert use_counts.hold(memory, POLICY, NOW, reason="r") is None
    event = use_counts.hold(memory, POLICY, NOW, reason="r", also_from=("decayed",))
    assert event
    held = after(memory, [event])
    assert (held.state, held.previous_state) == ("under_review", "stable")
    assert event.detail == {"from": "decayed", "to": "under_review"}
