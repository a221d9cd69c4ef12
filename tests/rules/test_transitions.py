"""Moves a person asks for, all of them reversible."""

from __future__ import annotations

import pytest

from tenure.model import policy as policies
from tenure.model.errors import Refused
from tenure.model.events import EventType
from tenure.model.memory import Memory
from tenure.rules import decay, transitions, use_counts
from tests.specimens import NOW, POLICY, after, days, policy, specimen

HERE = ["candidate", "provisional", "stable", "canonical"]
LEAVING = [(EventType.RETIRED, "retired"), (EventType.ARCHIVED, "archived"), (EventType.REJECTED, "rejected")]


def left(memory: Memory, type: EventType) -> Memory:
    return after(memory, transitions.leave(memory, type, POLICY, NOW))


def restored(memory: Memory, **options: str) -> Memory:
    return after(memory, transitions.restore(memory, POLICY, NOW, **options))  # type: ignore[arg-type]


@pytest.mark.parametrize(("type", "state"), LEAVING)
@pytest.mark.parametrize("before", HERE)
def test_leaving_and_coming_back_returns_the_state(type: EventType, state: str, before: str) -> None:
    """DESIGN 3.9: never destroy; retire, archive and decay are reversible."""
    gone = left(specimen(state=before), type)
    assert (gone.state, gone.phase, gone.previous_state) == (state, "gone", before)
    assert (gone.retired_at == NOW) is (state == "retired")
    back = restored(gone)
    assert (back.state, back.previous_state, back.retired_at) == (before, None, None)


@pytest.mark.parametrize(("type", "state"), LEAVING)
def test_leaving_twice_changes_nothing(type: EventType, state: str) -> None:
    assert transitions.leave(specimen(state=state), type, POLICY, NOW) == []


@pytest.mark.parametrize("state", ["retired", "archived", "rejected", "superseded"])
def test_what_is_gone_cannot_go_again_another_way(state: str) -> None:
    """Our choice: the state to return to would be lost."""
    for type, target in LEAVING:
        if target != state:
            with pytest.raises(Refused, match=f"is {state} and cannot be {target}"):
                transitions.leave(specimen(state=state), type, POLICY, NOW)


def test_what_decayed_may_still_be_retired_and_comes_back_to_where_it_stood() -> None:
    gone = left(specimen(state="decayed", previous_state="stable"), EventType.RETIRED)
    assert gone.state == "retired"
    assert restored(gone).state == "stable"


@pytest.mark.parametrize("times", [1, 2])
def test_leaving_from_under_review_remembers_the_state_before_it(times: int) -> None:
    held = specimen(state="under_review", previous_state="stable", times_held=times)
    assert restored(left(held, EventType.ARCHIVED)).state == "stable"


def test_restoring_does_not_get_round_the_third_review() -> None:
    """geas: the third time may only end in supersede, archive or reject; brought back, it is still under review."""
    held = specimen(state="under_review", previous_state="stable", times_held=3)
    back = restored(left(held, EventType.ARCHIVED))
    assert (back.state, back.phase, back.previous_state) == ("under_review", "held", "stable")


@pytest.mark.parametrize("state", [*HERE, "under_review"])
def test_restoring_what_is_here_changes_nothing(state: str) -> None:
    assert transitions.restore(specimen(state=state), POLICY, NOW) == []


def test_unarchive_is_for_archived_memories_only() -> None:
    """claude-memory: `--unarchive` and `--restore` are two commands."""
    with pytest.raises(Refused, match="is retired, not archived"):
        restored(specimen(state="retired", previous_state="stable"), only_from="archived")
    assert restored(specimen(state="archived", previous_state="stable"), only_from="archived").state == "stable"


@pytest.mark.parametrize(
    "fading",
    [
        specimen(confidence=10),
        specimen(review_after=NOW - days(1)),
        specimen(evidence_count=1, run_mark=0),
        specimen(contradiction_count=3),
    ],
    ids=["confidence", "review date", "runs", "contradictions"],
)
def test_what_was_restored_from_decay_survives_the_next_sweep(fading: Memory) -> None:
    """Our choice, as for reinstating: a person's decision is not undone by the next sweep."""
    gone = after(fading, decay.decay(fading, POLICY, NOW, runs_now=10))
    assert gone.state == "decayed"
    back = after(gone, transitions.restore(gone, POLICY, NOW, runs_now=10))
    assert back.state == "provisional"
    assert decay.decay(back, POLICY, NOW, runs_now=10) == []


def test_a_successor_and_the_memory_it_replaces_know_each_other() -> None:
    old, new = specimen(id="m-1"), specimen(id="m-2")
    gone, took = transitions.supersede(old, new, POLICY, NOW)
    assert after(old, gone).superseded_by == "m-2"
    assert after(old, gone).state == "superseded"
    assert after(new, took).supersedes == ("m-1",)
    assert (gone[0].detail, took[0].detail) == ({"from": "provisional", "to": "superseded"}, {"old": "m-1"})


def test_superseding_twice_by_the_same_changes_nothing() -> None:
    assert transitions.supersede(specimen(superseded_by="m-2"), specimen(id="m-2"), POLICY, NOW) == ([], [])


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (specimen(id="m-1"), specimen(id="m-1"), "cannot supersede itself"),
        (specimen(id="m-1"), specimen(id="m-2", state="retired"), "cannot take the place"),
        (specimen(id="m-1", state="superseded", superseded_by="m-3"), specimen(id="m-2"), "superseded by m-3 already"),
    ],
    ids=["itself", "gone", "twice"],
)
def test_a_supersession_that_makes_no_sense_is_refused(old: Memory, new: Memory, message: str) -> None:
    """Our choice: one memory has at most one successor, and a successor is there."""
    with pytest.raises(Refused, match=message):
        transitions.supersede(old, new, POLICY, NOW)


@pytest.mark.parametrize("state", ["retired", "archived", "rejected", "decayed"])
def test_what_is_gone_may_still_get_a_successor_and_remembers_where_it_stood(state: str) -> None:
    old = specimen(id="m-1", state=state, previous_state="stable")
    gone, _ = transitions.supersede(old, specimen(id="m-2"), POLICY, NOW)
    assert after(old, gone).previous_state == "stable"


def test_the_third_review_may_end_in_a_successor() -> None:
    held = specimen(id="m-1", state="under_review", previous_state="stable", times_held=3)
    gone, _ = transitions.supersede(held, specimen(id="m-2"), POLICY, NOW)
    assert after(held, gone).state == "superseded"


def test_restoring_what_was_superseded_names_the_way() -> None:
    with pytest.raises(Refused) as refusal:
        restored(specimen(state="superseded", superseded_by="m-2", previous_state="stable"))
    assert "tenure undo" in refusal.value.hint


def test_a_restored_memory_can_be_held_again() -> None:
    memory = restored(left(specimen(failed_reuses=1, confidence=80), EventType.ARCHIVED))
    assert after(memory, use_counts.apply(memory, "negative", POLICY, NOW)).state == "under_review"


def test_what_left_while_under_review_comes_back_reinstated() -> None:
    """Issue 2: reinstating resets the failures; else the next sweep or use would take it away again."""
    left = specimen(state="archived", previous_state="provisional", failed_reuses=2, confidence=20, times_held=1)
    back = after(left, transitions.restore(left, POLICY, NOW))
    assert (back.state, back.signals.failed_reuses, back.signals.confidence) == ("provisional", 0, 40)
    harmless = specimen(state="archived", previous_state="stable", failed_reuses=1, confidence=30)
    kept = after(harmless, transitions.restore(harmless, POLICY, NOW))
    assert (kept.signals.failed_reuses, kept.signals.confidence) == (1, 30)


@pytest.mark.parametrize(
    ("system", "type", "state", "dated"),
    [
        ("claude-memory", EventType.RETIRED, "retired", True),
        ("claude-memory", EventType.ARCHIVED, "archived", False),
        ("claude-memory", EventType.REJECTED, "retired", True),
        ("archeflow", EventType.RETIRED, "archived", True),
        ("archeflow", EventType.REJECTED, "archived", False),
        ("geas", EventType.RETIRED, "archived", True),
        ("geas", EventType.REJECTED, "rejected", False),
        ("tenure", EventType.REJECTED, "rejected", False),
    ],
)
def test_a_system_without_the_state_puts_a_memory_where_it_retires(
    system: str, type: EventType, state: str, dated: bool
) -> None:
    """The systems' own tables of states: claude-memory knows no "rejected", ArcheFlow only an archive."""
    rules = policies.load(system)[0]
    memory = specimen(state="active", phase="live")
    (event,) = transitions.leave(memory, type, rules, NOW)
    gone = after(memory, [event])
    assert (gone.state, gone.phase, gone.retired_at == NOW) == (state, "gone", dated)
    assert event.detail == {"from": "active", "to": state}


def test_what_an_agent_changed_waits_as_a_proposal_without_its_approvals() -> None:
    """GUARANTEES S2: an agent's edit is a candidate; approvals were given to other words."""
    fields = transitions.as_proposed(specimen(state="stable"), POLICY)
    assert fields == {"state": "candidate", "phase": "pending", "previous_state": None, "approvals": []}
    assert transitions.as_proposed(specimen(), policies.load("claude-memory")[0]) == {}


def test_what_was_rejected_for_good_is_not_restored() -> None:
    """geas: rejected is final."""
    gone = specimen(state="rejected", previous_state="stable")
    with pytest.raises(Refused, match="was rejected for good"):
        transitions.restore(gone, policies.load("geas")[0], NOW)


def test_a_memory_that_never_was_in_use_comes_back_as_a_candidate() -> None:
    """Our choice: what other files hold retired has no state from before."""
    (event,) = transitions.restore(specimen(state="retired", previous_state=None), POLICY, NOW)
    assert event.set["state"] == "candidate"
    assert event.detail == {"from": "retired", "to": "candidate"}


def test_a_candidate_comes_back_as_one_however_often_it_was_under_review() -> None:
    """geas: the third review bars the way into use, and a candidate is not in use."""
    back = restored(specimen(state="retired", previous_state="candidate", times_held=3))
    assert (back.state, back.previous_state) == ("candidate", None)


def test_whoever_restores_may_set_more() -> None:
    """An agent's restore is a proposal: the fields of `as_proposed` go along."""
    gone = specimen(state="retired", previous_state="stable")
    (event,) = transitions.restore(gone, POLICY, NOW, set=transitions.as_proposed(gone, POLICY))
    assert after(gone, [event]).state == "candidate"


@pytest.mark.parametrize(
    ("failures", "confidence", "again"), [(1, 30, False), (2, 90, True), (0, 29, True), (2, 29, True)]
)
def test_what_would_be_held_at_once_starts_fresh(failures: int, confidence: int, again: bool) -> None:
    """geas's two limits, 2 failures or confidence below 0.3: either is enough."""
    gone = specimen(state="retired", previous_state="stable", failed_reuses=failures, confidence=confidence)
    back = restored(gone).signals
    expected = (0, max(confidence, 40)) if again else (failures, confidence)
    assert (back.failed_reuses, back.confidence) == expected


@pytest.mark.parametrize(
    ("hold", "failures", "again"),
    [({"failures": 0}, 9, False), ({"failures": 1}, 1, True), ({"failures": 1}, 0, False), ({"state": ""}, 9, False)],
)
def test_a_policy_that_holds_nothing_forgives_nothing_either(
    hold: dict[str, object], failures: int, again: bool
) -> None:
    """`promotion.hold.failures = 0` and systems without a state for reviews."""
    gone = specimen(state="retired", previous_state="stable", failed_reuses=failures, confidence=80)
    rules = policy(promotion={"hold": hold})
    back = after(gone, transitions.restore(gone, rules, NOW))
    assert back.signals.failed_reuses == (0 if again else failures)


@pytest.mark.parametrize(("limit", "count", "left"), [(3, 9, 2), (3, 1, 1), (1, 9, 0), (0, 9, 0)])
def test_a_fresh_start_stays_below_the_contradictions_that_decay(limit: int, count: int, left: int) -> None:
    """Our choice: as many stay as the next sweep tolerates."""
    rules = policy(decay={"contradictions": limit})
    assert transitions.fresh_start(specimen(contradiction_count=count), rules)["contradiction_count"] == left


def test_a_memory_that_comes_back_is_seen_now() -> None:
    """ArcheFlow: the runs in which it was gone are not runs without it."""
    gone = specimen(state="retired", previous_state="stable", run_mark=3)
    assert after(gone, transitions.restore(gone, POLICY, NOW)).run_mark == 3
    assert after(gone, transitions.restore(gone, POLICY, NOW, runs_now=9)).run_mark == 9
    unseen = specimen(state="retired", previous_state="stable", run_mark=0)
    assert after(unseen, transitions.restore(unseen, POLICY, NOW)).run_mark == 0
