"""The ladder: exactly what is missing, and never a rung skipped."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tenure.model.memory import Approval, Memory
from tenure.rules import promote
from tests.specimens import NOW, POLICY, after, policy, specimen


def approved(to: str, *by: str) -> tuple[Approval, ...]:
    return tuple(Approval(by=name, to=to, at=NOW) for name in by)


STABLE = {"state": "stable", "successful_reuses": 5, "tasks": ("a", "b", "c")}

LADDER: list[tuple[str, dict[str, Any], str | None, set[str]]] = [
    ("one piece of evidence", {"state": "candidate"}, None, {"evidence", "approvals"}),
    ("two pieces of evidence", {"state": "candidate", "evidence_count": 2}, "provisional", set()),
    ("an approval", {"state": "candidate", "approvals": approved("provisional", "kim")}, "provisional", set()),
    (
        "an approval for another state",
        {"state": "candidate", "approvals": approved("stable", "kim")},
        None,
        {"evidence", "approvals"},
    ),
    (
        "evidence from outside",
        {"state": "candidate", "evidence_count": 5, "trust": "external"},
        None,
        {"trust", "approvals"},
    ),
    (
        "evidence from outside, approved",
        {"state": "candidate", "trust": "external", "approvals": approved("provisional", "kim")},
        "provisional",
        set(),
    ),
    ("nothing yet", {"state": "provisional"}, None, {"successes", "approvals"}),
    ("three successes unreviewed", {"state": "provisional", "successful_reuses": 3}, None, {"approvals"}),
    (
        "two successes reviewed",
        {"state": "provisional", "successful_reuses": 2, "approvals": approved("stable", "kim")},
        None,
        {"successes"},
    ),
    (
        "three successes reviewed",
        {"state": "provisional", "successful_reuses": 3, "approvals": approved("stable", "kim")},
        "stable",
        set(),
    ),
    (
        "three successes, one contradiction",
        {
            "state": "provisional",
            "successful_reuses": 3,
            "contradiction_count": 1,
            "approvals": approved("stable", "kim"),
        },
        None,
        {"contradictions"},
    ),
    ("everything but approvers", STABLE, None, {"approvals"}),
    ("one approver", {**STABLE, "approvals": approved("canonical", "kim")}, None, {"approvals"}),
    ("one approver twice", {**STABLE, "approvals": approved("canonical", "kim", "kim")}, None, {"approvals"}),
    ("two approvers", {**STABLE, "approvals": approved("canonical", "kim", "lee")}, "canonical", set()),
    (
        "two tasks only",
        {**STABLE, "tasks": ("a", "b"), "approvals": approved("canonical", "kim", "lee")},
        None,
        {"tasks"},
    ),
    (
        "four successes only",
        {**STABLE, "successful_reuses": 4, "approvals": approved("canonical", "kim", "lee")},
        None,
        {"successes"},
    ),
    (
        "five successes, one contradiction",
        {**STABLE, "contradiction_count": 1, "approvals": approved("canonical", "kim", "lee")},
        "canonical",
        set(),
    ),
    (
        "three successes of something from outside",
        {
            "state": "provisional",
            "trust": "external",
            "successful_reuses": 3,
            "approvals": approved("stable", "kim"),
        },
        "stable",
        set(),
    ),
    ("the top", {"state": "canonical", "successful_reuses": 50}, None, set()),
    ("under review", {"state": "under_review", "successful_reuses": 50, "evidence_count": 9}, None, set()),
    ("retired", {"state": "retired", "evidence_count": 9}, None, set()),
]


@pytest.mark.parametrize(("fields", "to", "missing"), [row[1:] for row in LADDER], ids=[row[0] for row in LADDER])
def test_the_ladder(fields: dict[str, Any], to: str | None, missing: set[str]) -> None:
    """geas's promotion table; the two approvers must be different people (issue 2)."""
    memory = specimen(**fields)
    assert {need.code for need in promote.needs(memory, POLICY)} == missing
    event = promote.promotion(memory, POLICY, NOW)
    assert (event.set["state"] if event else None) == to


@pytest.mark.parametrize(
    ("fields", "days"),
    [
        ({"state": "candidate", "evidence_count": 2}, 30),
        ({"state": "provisional", "successful_reuses": 3, "approvals": approved("stable", "kim")}, 90),
        ({**STABLE, "approvals": approved("canonical", "kim", "lee")}, 180),
    ],
)
def test_a_promotion_sets_the_review_date_of_its_state(fields: dict[str, Any], days: int) -> None:
    """geas: 30, 90, 180 days."""
    memory = specimen(**fields)
    event = promote.promotion(memory, POLICY, NOW)
    assert event
    risen = after(memory, [event])
    assert (risen.review_after, risen.review_set_at) == (NOW + timedelta(days=days), NOW)
    assert risen.phase == "live"


def test_batch_mode_waits_for_a_reviewer() -> None:
    """geas: the batch review needs a verdict even where inline promotion goes by numbers."""
    memory = specimen(state="candidate", evidence_count=2)
    assert promote.promotion(memory, POLICY, NOW, mode="batch") is None
    agreed = specimen(state="candidate", evidence_count=2, approvals=approved("provisional", "kim"))
    assert promote.promotion(agreed, POLICY, NOW, mode="batch")


def test_needs_say_what_is_there_and_what_is_needed() -> None:
    """Issue 2: `why` gives an exact list of what is missing for promotion."""
    found = {need.code: (need.have, need.need) for need in promote.needs(specimen(successful_reuses=1), POLICY)}
    assert found == {"successes": (1, 3), "approvals": (0, 1)}


@given(
    st.sampled_from(["candidate", "provisional", "stable", "canonical"]),
    st.integers(0, 9),
    st.integers(0, 9),
    st.integers(0, 4),
    st.integers(0, 3),
    st.integers(0, 3),
)
def test_a_memory_rises_one_rung_exactly_when_nothing_is_missing(
    state: str, evidence: int, successes: int, contradictions: int, tasks: int, approvers: int
) -> None:
    """Our choice: `needs` and `promotion` never disagree, and a promotion is one step of the ladder."""
    step = POLICY.step_from(state)
    memory = specimen(
        state=state,
        evidence_count=evidence,
        successful_reuses=successes,
        contradiction_count=contradictions,
        tasks=tuple(f"t{n}" for n in range(tasks)),
        approvals=approved(step.to, *(f"r{n}" for n in range(approvers))) if step else (),
    )
    event = promote.promotion(memory, POLICY, NOW)
    assert (event is not None) == (step is not None and not promote.needs(memory, POLICY))
    if event and step:
        assert after(memory, [event]).state == step.to


def test_a_state_off_the_ladder_has_the_first_review_interval() -> None:
    """Our choice: dialects may name live states the ladder does not."""
    assert promote.review_days("elsewhere", POLICY) == 30


def test_approvers_are_named_once_in_order() -> None:
    memory: Memory = specimen(approvals=approved("stable", "lee", "kim", "lee"))
    assert promote.approvers(memory, "stable") == ["lee", "kim"]


def test_one_person_in_other_letters_is_one_approver() -> None:
    """Issue 2: two different approvers; whoever types Kim and kim is one person."""
    memory: Memory = specimen(approvals=approved("canonical", "Kim", "kim", "KIM"))
    assert promote.approvers(memory, "canonical") == ["Kim"]


@pytest.mark.parametrize(
    ("fields", "reason", "source", "to"),
    [
        ({"state": "candidate", "evidence_count": 2}, "2 pieces of evidence", "candidate", "provisional"),
        ({"state": "candidate", "evidence_count": 3}, "3 pieces of evidence", "candidate", "provisional"),
        (
            {"state": "candidate", "evidence_count": 1, "approvals": approved("provisional", "kim")},
            "approved by kim",
            "candidate",
            "provisional",
        ),
        (
            {"state": "provisional", "successful_reuses": 3, "approvals": approved("stable", "kim")},
            "3 successful uses, approved by kim",
            "provisional",
            "stable",
        ),
        (
            {**STABLE, "approvals": approved("canonical", "kim", "lee")},
            "5 successful uses, approved by kim, lee",
            "stable",
            "canonical",
        ),
    ],
)
def test_a_promotion_says_by_what_it_was_earned(fields: dict[str, Any], reason: str, source: str, to: str) -> None:
    """Issue 2: every change has a reason that `history` shows; ours names the numbers and the people."""
    event = promote.promotion(specimen(**fields), POLICY, NOW)
    assert event
    assert (event.reason, event.detail) == (reason, {"from": source, "to": to})


def test_a_reason_that_is_given_stands() -> None:
    event = promote.promotion(specimen(state="candidate", evidence_count=2), POLICY, NOW, reason="upkeep")
    assert event and event.reason == "upkeep"


@pytest.mark.parametrize(
    ("fields", "found"),
    [
        ({"state": "candidate", "evidence_count": 9, "trust": "external"}, {"trust": (0, 1), "approvals": (0, 1)}),
        (
            {"successful_reuses": 3, "contradiction_count": 2, "approvals": approved("stable", "kim")},
            {"contradictions": (2, 0)},
        ),
        ({**STABLE, "tasks": ("a",)}, {"tasks": (1, 3), "approvals": (0, 2)}),
    ],
)
def test_needs_are_counted(fields: dict[str, Any], found: dict[str, tuple[int, int]]) -> None:
    """CONTRACT: `needs` holds what is there and what is needed, as numbers."""
    assert {n.code: (n.have, n.need) for n in promote.needs(specimen(**fields), POLICY)} == found


@pytest.mark.parametrize(
    ("second", "people"),
    [
        (Approval(by="lee", to="canonical", at=NOW, user="u1"), 1),
        (Approval(by="kim", to="canonical", at=NOW + timedelta(days=1), user="u1"), 2),
        (Approval(by="kim", to="canonical", at=NOW, user="u2"), 2),
        (Approval(by="u1", to="canonical", at=NOW), 2),
        (Approval(by="kim", to="stable", at=NOW, user="u2"), 1),
    ],
)
def test_approvals_count_by_the_machines_user_and_the_day(second: Approval, people: int) -> None:
    """GUARANTEES: a name is a label anybody can type; one person's second approval counts on another day."""
    first = Approval(by="kim", to="canonical", at=NOW, user="u1")
    assert len(promote.approvers(specimen(approvals=(first, second)), "canonical")) == people


def test_without_a_ladder_nothing_is_due_by_date() -> None:
    """claude-memory has no ladder: no rung, no interval, no date."""
    none = policy(promotion={"steps": []})
    assert promote.review_days("active", none) == 0
    assert promote.review_date(NOW, 0) == {}
    assert promote.review_date(NOW, 1) == {"review_after": NOW + timedelta(days=1), "review_set_at": NOW}
