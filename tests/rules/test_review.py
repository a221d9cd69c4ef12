"""Verdicts and how a review may end."""

from __future__ import annotations

import pytest

from tenure.model.errors import BadRequest, Refused
from tenure.model.events import EventType
from tenure.model.memory import Approval, Memory
from tenure.rules import decay, review
from tests.specimens import NOW, POLICY, after, days, specimen

HELD = {"state": "under_review", "previous_state": "stable", "times_held": 1, "failed_reuses": 2, "confidence": 20}


def decided(memory: Memory, decision: str, by: str = "kim") -> Memory:
    return after(memory, review.decide(memory, decision, POLICY, NOW, by=by))


@pytest.mark.parametrize("state", ["provisional", "stable", "canonical"])
def test_reinstating_returns_the_previous_state_and_resets_failures(state: str) -> None:
    """geas: under_review -> reinstated; failures start again, or the next failure would hold it at once."""
    back = decided(specimen(**{**HELD, "previous_state": state}), "keep")
    assert (back.state, back.phase, back.previous_state) == (state, "live", None)
    assert back.signals.failed_reuses == 0
    assert back.review_set_at == NOW


def test_a_reinstated_memory_survives_the_next_sweep() -> None:
    """geas, open contradiction 25: reinstated below 0.3 it would decay again at once; ours starts at 0.4."""
    back = decided(specimen(**HELD), "keep")
    assert back.signals.confidence == 40
    assert decay.decay(back, POLICY, NOW) == []


def test_reinstating_does_not_lower_confidence() -> None:
    assert decided(specimen(**{**HELD, "confidence": 70}), "keep").signals.confidence == 70


@pytest.mark.parametrize(("decision", "state"), [("archive", "archived"), ("reject", "rejected")])
@pytest.mark.parametrize("times", [1, 2, 3, 7])
def test_a_review_may_always_end_in_archive_or_reject(decision: str, state: str, times: int) -> None:
    gone = decided(specimen(**{**HELD, "times_held": times}), decision)
    assert (gone.state, gone.phase, gone.previous_state) == (state, "gone", "stable")


@pytest.mark.parametrize("decision", ["keep", "weaken"])
@pytest.mark.parametrize(("times", "possible"), [(1, True), (2, True), (3, False), (4, False)])
def test_the_third_time_under_review_nothing_brings_it_back(decision: str, times: int, possible: bool) -> None:
    """geas: after the third time only supersede, archive or reject remain."""
    memory = specimen(**{**HELD, "times_held": times})
    if possible:
        assert decided(memory, decision).phase == "live"
    else:
        with pytest.raises(Refused, match=r"for the (third|4th) time") as refusal:
            decided(memory, decision)
        assert "supersede, archive or reject" in refusal.value.hint


@pytest.mark.parametrize("state", ["provisional", "stable", "canonical"])
def test_any_live_memory_can_be_taken_under_review_on_request(state: str) -> None:
    held = decided(specimen(state=state), "request_review")
    assert (held.state, held.previous_state, held.times_held) == ("under_review", state, 1)


def test_requesting_a_review_twice_changes_nothing() -> None:
    assert review.decide(specimen(**HELD), "request_review", POLICY, NOW, by="kim") == []


@pytest.mark.parametrize("state", ["candidate", "decayed", "superseded", "retired", "archived", "rejected"])
def test_only_live_memories_go_under_review(state: str) -> None:
    with pytest.raises(Refused, match="only a live memory"):
        review.decide(specimen(state=state), "request_review", POLICY, NOW, by="kim")


def test_an_early_approval_waits_and_counts_later() -> None:
    """Our choice: a verdict given before the numbers is kept, not lost."""
    memory = decided(specimen(), "promote_stable")
    assert (memory.state, [a.by for a in memory.approvals]) == ("provisional", ["kim"])
    assert [e.type for e in review.decide(memory, "promote_stable", POLICY, NOW, by="kim")] == [EventType.REVIEWED]


def test_the_same_reviewer_counts_once() -> None:
    """Issue 2: two different approvers."""
    memory = specimen(state="stable", successful_reuses=5, tasks=("a", "b", "c"))
    once = decided(decided(memory, "promote_canonical"), "promote_canonical")
    assert (once.state, len(once.approvals)) == ("stable", 1)
    assert decided(once, "promote_canonical", by="lee").state == "canonical"


def test_approve_means_the_next_state() -> None:
    assert decided(specimen(state="candidate"), "approve").state == "provisional"


@pytest.mark.parametrize(
    ("state", "decision"),
    [
        ("candidate", "promote_stable"),
        ("candidate", "promote_canonical"),
        ("provisional", "promote_canonical"),
        ("provisional", "promote_provisional"),
        ("canonical", "promote_stable"),
        ("canonical", "approve"),
        ("under_review", "approve"),
        ("under_review", "promote_stable"),
        ("retired", "promote_provisional"),
    ],
)
def test_no_verdict_skips_a_rung(state: str, decision: str) -> None:
    with pytest.raises(Refused, match="cannot be promoted"):
        decided(specimen(state=state), decision)


@pytest.mark.parametrize(("state", "days_"), [("provisional", 30), ("stable", 90), ("canonical", 180)])
def test_keeping_a_live_memory_starts_its_review_date_again(state: str, days_: int) -> None:
    kept = decided(specimen(state=state, review_after=NOW - days(3)), "keep")
    assert (kept.state, kept.review_after, kept.verified_at) == (state, NOW + days(days_), NOW)


def test_keeping_a_candidate_leaves_it_a_candidate() -> None:
    """geas: keep = needs more evidence."""
    kept = decided(specimen(state="candidate", review_after=None, review_set_at=None), "keep")
    assert (kept.state, kept.review_after) == ("candidate", None)


@pytest.mark.parametrize("state", ["decayed", "superseded", "retired", "archived", "rejected"])
def test_keeping_what_is_gone_points_to_restore(state: str) -> None:
    with pytest.raises(Refused) as refusal:
        decided(specimen(state=state), "keep")
    assert "tenure restore m-1" in refusal.value.hint


@pytest.mark.parametrize("state", ["stable", "canonical"])
def test_weakening_takes_a_memory_back_and_its_approvals_with_it(state: str) -> None:
    """geas: weaken. Approvals given for the higher state were given to something stronger."""
    approval = Approval(by="kim", to=state, at=NOW)
    weak = decided(specimen(state=state, approvals=(approval,)), "weaken")
    assert (weak.state, weak.approvals) == ("provisional", ())


@pytest.mark.parametrize("state", ["candidate", "provisional", "retired"])
def test_what_is_weak_already_cannot_be_weakened(state: str) -> None:
    with pytest.raises(Refused):
        decided(specimen(state=state), "weaken")


@pytest.mark.parametrize("decision", ["", "keeep", "promote_", "supersede"])
def test_an_unknown_decision_is_refused(decision: str) -> None:
    """`supersede` needs a second memory, so it is not decided here."""
    with pytest.raises(BadRequest):
        decided(specimen(), decision)


def test_approving_what_has_no_next_state_says_so() -> None:
    """STYLE: what was found and what to do; not "promoted to approve"."""
    with pytest.raises(Refused, match=r"no state above it, so it cannot be promoted\.$"):
        review.decide(specimen(state="canonical"), "approve", POLICY, NOW, by="kim")
    held = specimen(state="under_review", previous_state="stable", times_held=1)
    with pytest.raises(Refused) as refusal:
        review.decide(held, "approve", POLICY, NOW, by="kim")
    assert refusal.value.hint == "Decide keep to reinstate it."


def test_what_is_only_overdue_waits_to_be_kept() -> None:
    """CONTRACT: `needs` is the verdict to give; without the numbers a promotion would do nothing."""
    assert review.asked(specimen(state="provisional"), POLICY) == "keep"
    assert review.asked(specimen(state="provisional", successful_reuses=3), POLICY) == "promote_stable"
    assert review.asked(specimen(state="candidate"), POLICY) == "promote_provisional"
    assert review.asked(specimen(state="canonical"), POLICY) == "keep"
