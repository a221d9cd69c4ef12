"""Verdicts and how a review may end."""

from __future__ import annotations

from typing import Any

import pytest

from tenure.model.errors import BadRequest, Refused
from tenure.model.events import EventType
from tenure.model.memory import Approval, Memory
from tenure.rules import decay, verdicts
from tests.specimens import NOW, POLICY, after, days, policy, specimen

HELD = {"state": "under_review", "previous_state": "stable", "times_held": 1, "failed_reuses": 2, "confidence": 20}


def decided(memory: Memory, decision: str, by: str = "kim") -> Memory:
    return after(memory, verdicts.decide(memory, decision, POLICY, NOW, by=by))


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
    assert verdicts.decide(specimen(**HELD), "request_review", POLICY, NOW, by="kim") == []


@pytest.mark.parametrize("state", ["candidate", "decayed", "superseded", "retired", "archived", "rejected"])
def test_only_live_memories_go_under_review(state: str) -> None:
    with pytest.raises(Refused, match="only a live memory"):
        verdicts.decide(specimen(state=state), "request_review", POLICY, NOW, by="kim")


def test_an_early_approval_waits_and_counts_later() -> None:
    """Our choice: a verdict given before the numbers is kept, not lost."""
    memory = decided(specimen(), "promote_stable")
    assert (memory.state, [a.by for a in memory.approvals]) == ("provisional", ["kim"])
    assert [e.type for e in verdicts.decide(memory, "promote_stable", POLICY, NOW, by="kim")] == [EventType.REVIEWED]


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
    with pytest.raises(BadRequest) as refusal:
        decided(specimen(), decision)
    assert refusal.value.field == "decision"


def test_approving_what_has_no_next_state_says_so() -> None:
    """STYLE: what was found and what to do; not "promoted to approve"."""
    with pytest.raises(Refused, match=r"no state above it, so it cannot be promoted\.$"):
        verdicts.decide(specimen(state="canonical"), "approve", POLICY, NOW, by="kim")
    held = specimen(state="under_review", previous_state="stable", times_held=1)
    with pytest.raises(Refused) as refusal:
        verdicts.decide(held, "approve", POLICY, NOW, by="kim")
    assert refusal.value.hint == "Decide keep to reinstate it."


def test_what_is_only_overdue_waits_to_be_kept() -> None:
    """CONTRACT: `needs` is the verdict to give; without the numbers a promotion would do nothing."""
    assert verdicts.awaited_verdict(specimen(state="provisional"), POLICY) == "keep"
    assert verdicts.awaited_verdict(specimen(state="provisional", successful_reuses=3), POLICY) == "promote_stable"
    assert verdicts.awaited_verdict(specimen(state="candidate"), POLICY) == "promote_provisional"
    assert verdicts.awaited_verdict(specimen(state="canonical"), POLICY) == "keep"


@pytest.mark.parametrize(
    ("state", "decision", "reason"),
    [
        ("candidate", "approve", "agree to the next promotion"),
        ("candidate", "promote_provisional", "agree to promote it to provisional"),
        ("provisional", "promote_stable", "agree to promote it to stable"),
        ("stable", "promote_canonical", "agree to promote it to canonical"),
        ("provisional", "keep", "reaffirm it; under review, reinstate it"),
        ("stable", "weaken", "put it back to provisional"),
        ("stable", "reject", "it is wrong or useless"),
        ("stable", "archive", "put it aside, keep it"),
        ("stable", "request_review", "take it out of use until someone decides"),
    ],
)
def test_every_verdict_is_in_the_ledger_by_its_name_and_with_a_reason(state: str, decision: str, reason: str) -> None:
    """CONTRACT: the words given to `--decision` are those `history` shows; a rationale replaces the reason."""
    first = verdicts.decide(specimen(state=state), decision, POLICY, NOW, by="kim")[0]
    assert (first.detail["decision"], first.reason, first.actor) == (decision, reason, "kim")
    said = verdicts.decide(specimen(state=state), decision, POLICY, NOW, by="kim", rationale="I looked")[0]
    assert said.reason == "I looked"


def test_the_list_of_verdicts_is_complete() -> None:
    """An unknown word is answered with all that exist; `supersede` is decided with its successor."""
    known = "approve promote_provisional promote_stable promote_canonical keep weaken supersede reject archive"
    with pytest.raises(BadRequest, match=", ".join([*known.split(), "request_review"])):
        decided(specimen(), "keeep")


def test_a_ladder_of_another_system_has_verdicts_of_its_own() -> None:
    """ArcheFlow's only rung leads to `active`: promote_STATE goes by the policy's states, not by a list of ours."""
    rung = {"from": "candidate", "to": "active", "evidence": 2, "successes": 0, "tasks": 0, "approvals": 1}
    rung |= {"either": True, "contradictions_allowed": True, "review_days": 0}
    other = policy(states={"active": "live"}, promotion={"steps": [rung]})
    memory = specimen(state="candidate")
    assert after(memory, verdicts.decide(memory, "promote_active", other, NOW, by="kim")).state == "active"
    with pytest.raises(BadRequest):
        verdicts.decide(memory, "active", other, NOW, by="kim")


@pytest.mark.parametrize(
    ("fields", "keeps", "drops"),
    [
        ({"state": "candidate"}, "promote_provisional", "reject"),
        ({"state": "provisional"}, "keep", "reject"),
        ({"state": "provisional", "successful_reuses": 3}, "promote_stable", "reject"),
        ({**HELD}, "keep", "reject"),
        ({**HELD, "times_held": 3}, "", "reject"),
        ({"state": "retired"}, "", ""),
        ({"state": "decayed"}, "", ""),
    ],
)
def test_the_two_keys_of_a_review_give_the_verdict_that_fits(fields: dict[str, Any], keeps: str, drops: str) -> None:
    """Our choice: a reviewer answers yes or no; where no verdict would do anything, there is no key."""
    assert verdicts.choices(specimen(**fields), POLICY) == (keeps, drops)


@pytest.mark.parametrize(
    ("fields", "hint"),
    [
        ({"state": "retired"}, "Bring it back first: tenure restore m-1"),
        ({**HELD}, "Decide keep to reinstate it."),
        ({**HELD, "times_held": 3}, "Decide supersede, archive or reject."),
        ({"state": "canonical"}, ""),
    ],
)
def test_a_promotion_that_cannot_be_says_what_can(fields: dict[str, Any], hint: str) -> None:
    """STYLE: what was found, what was expected and what to do next."""
    with pytest.raises(Refused) as refusal:
        decided(specimen(**fields), "approve")
    assert refusal.value.hint == hint


@pytest.mark.parametrize(
    ("fields", "state"),
    [
        ({**HELD, "times_held": 3}, "archived"),
        ({**HELD, "times_held": 2}, "stable"),
        ({"state": "stable", "times_held": 3}, "stable"),
    ],
)
def test_where_a_system_archives_what_may_not_come_back_the_rule_says_so(fields: dict[str, Any], state: str) -> None:
    """geas: the third `keep` is refused and the memory archived: the rule's decision, not the reviewer's."""
    archiving = policy(promotion={"hold": {"exhausted": "archive"}})
    (event,) = verdicts.decide(specimen(**fields), "keep", archiving, NOW, by="kim")
    assert after(specimen(**fields), [event]).state == state
    if state == "archived":
        assert event.detail["refused"].endswith("cannot be reinstated; it was archived.")
        assert "decision" not in event.detail
        assert event.reason == "under review for the third time"
    else:
        assert (event.detail["decision"], "refused" in event.detail) == ("keep", False)


def test_a_memory_that_came_under_review_from_nowhere_goes_to_the_first_rung() -> None:
    """Our choice: other systems' files do not say what it was before."""
    (event,) = verdicts.decide(specimen(**{**HELD, "previous_state": None}), "keep", POLICY, NOW, by="kim")
    assert (event.set["state"], event.detail["to"]) == ("provisional", "provisional")


@pytest.mark.parametrize(
    ("fields", "allowed", "weak"),
    [
        ({"state": "stable", "times_held": 3}, False, True),
        ({**HELD, "times_held": 3}, False, False),
        ({**HELD, "times_held": 3}, True, True),
        ({**HELD}, False, True),
    ],
)
def test_weakening_is_barred_only_to_what_is_under_review_for_the_third_time(
    fields: dict[str, Any], allowed: bool, weak: bool
) -> None:
    """geas allows it even then (`promotion.hold.weaken_exhausted`)."""
    rules = policy(promotion={"hold": {"weaken_exhausted": allowed}})
    memory = specimen(**{**fields, "failed_reuses": 2})
    if not weak:
        with pytest.raises(Refused):
            verdicts.decide(memory, "weaken", rules, NOW, by="kim")
        return
    (event,) = verdicts.decide(memory, "weaken", rules, NOW, by="kim")
    assert after(memory, [event]).state == "provisional"
    assert after(memory, [event]).signals.failed_reuses == 0
    assert (event.detail["from"], event.detail["to"]) == ("stable", "provisional")


def test_where_no_state_is_for_reviews_none_can_be_requested() -> None:
    """claude-memory has none."""
    with pytest.raises(Refused, match="has no state for a memory under review") as refusal:
        verdicts.decide(specimen(), "request_review", policy(promotion={"hold": {"state": ""}}), NOW, by="kim")
    assert refusal.value.hint == "Retire or archive it instead."


def test_what_decayed_may_be_requested_where_the_policy_says_so() -> None:
    """geas: `promotion.hold.also_from`."""
    decayed = specimen(state="decayed", previous_state="stable")
    also = policy(promotion={"hold": {"also_from": ["decayed"]}})
    assert after(decayed, verdicts.decide(decayed, "request_review", also, NOW, by="kim")).state == "under_review"
    with pytest.raises(Refused, match="only a live or decayed memory"):
        verdicts.decide(specimen(state="retired"), "request_review", also, NOW, by="kim")
