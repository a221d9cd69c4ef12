"""What loses its place."""

from __future__ import annotations

from datetime import datetime, timedelta

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tenure.model.events import EventType
from tenure.model.guard import Guard, GuardState
from tenure.model.memory import Memory
from tenure.rules import consolidate
from tenure.rules import decay as rules
from tests.specimens import NOW, POLICY, after, days, policy, specimen

DUE = NOW + days(30)
MOMENTS = st.datetimes(datetime(1990, 1, 1), datetime(2100, 1, 1)).map(lambda moment: moment.replace(tzinfo=NOW.tzinfo))


def swept(memory: Memory, now: datetime = NOW, *, runs_now: int = 0) -> str:
    return after(memory, rules.decay(memory, POLICY, now, runs_now=runs_now)).state


@pytest.mark.parametrize("state", ["provisional", "stable", "canonical"])
def test_a_memory_unused_past_its_review_date_decays(state: str) -> None:
    """geas: review_after passed and not used since it was set."""
    assert swept(specimen(state=state), DUE + timedelta(seconds=1)) == "decayed"


@pytest.mark.parametrize(
    ("state", "until", "found"),
    [
        ("on", DUE + days(60), "provisional"),
        ("on", None, "provisional"),
        ("on", DUE + timedelta(seconds=1), "decayed"),
        ("off", DUE + days(60), "decayed"),
    ],
)
def test_a_memory_whose_guard_is_at_work_does_not_decay(state: GuardState, until: datetime | None, found: str) -> None:
    """Issue 19: a guard lasts 90 days; it is in use at every call, whether its memory is shown or not."""
    guarded = msgspec.structs.replace(specimen(), guard=Guard(state=state, until=until))
    assert swept(guarded, DUE + timedelta(seconds=1)) == found


@pytest.mark.parametrize("now", [NOW, DUE - timedelta(seconds=1), DUE])
def test_a_memory_before_its_review_date_stays(now: datetime) -> None:
    """geas: passed means passed; on the date itself it stays."""
    assert swept(specimen(), now) == "provisional"


@pytest.mark.parametrize(
    ("used_at", "state"),
    [
        (NOW - days(1), "decayed"),
        (NOW, "provisional"),
        (NOW + days(1), "provisional"),
        (DUE + days(1), "provisional"),
    ],
)
def test_a_use_after_the_review_date_was_set_keeps_the_memory(used_at: datetime, state: str) -> None:
    """Issue 2: not used since the date was set. Such a memory comes up for review instead."""
    assert swept(specimen(used_at=used_at), DUE + days(2)) == state


@pytest.mark.parametrize(("count", "state"), [(2, "provisional"), (3, "decayed"), (9, "decayed")])
def test_three_contradictions_decay(count: int, state: str) -> None:
    """geas: contradiction_count >= 3."""
    assert swept(specimen(contradiction_count=count, confidence=90)) == state


@pytest.mark.parametrize(("confidence", "state"), [(29, "decayed"), (30, "provisional"), (31, "provisional")])
def test_confidence_below_three_tenths_decays_in_a_sweep(confidence: int, state: str) -> None:
    """geas: confidence < 0.3; 0.3 itself stays."""
    assert swept(specimen(confidence=confidence)) == state


@pytest.mark.parametrize("state", ["candidate", "under_review", "superseded", "retired", "archived", "rejected"])
def test_only_live_memories_decay(state: str) -> None:
    """geas: provisional, stable or canonical."""
    memory = specimen(state=state, confidence=0, contradiction_count=9, review_after=NOW - days(999))
    assert rules.decay(memory, POLICY, NOW + days(999), runs_now=999) == []


@pytest.mark.parametrize(("runs_now", "count"), [(9, 3), (10, 2), (19, 2), (100, 2)])
def test_a_memory_unseen_for_ten_runs_loses_one_piece_of_evidence(runs_now: int, count: int) -> None:
    """ArcheFlow: frequency falls by one for every ten runs unseen; at most one step per sweep (GUARANTEES R11)."""
    memory = specimen(evidence_count=3, confidence=80)
    assert after(memory, rules.decay(memory, POLICY, NOW, runs_now=runs_now)).signals.evidence_count == count


def test_lost_evidence_takes_its_confidence_along() -> None:
    memory = specimen(evidence_count=3, confidence=90)
    faded = after(memory, rules.decay(memory, POLICY, NOW, runs_now=10))
    assert (faded.signals.evidence_count, faded.signals.confidence, faded.run_mark) == (2, 70, 10)
    assert rules.decay(faded, POLICY, NOW, runs_now=19) == []


def test_at_no_evidence_left_it_decays() -> None:
    """ArcheFlow: at 0 it is archived; ours decays, and says so in its counter."""
    memory = specimen(evidence_count=1)
    gone = after(memory, rules.decay(memory, POLICY, NOW, runs_now=10))
    assert (gone.state, gone.signals.evidence_count) == ("decayed", 0)


def test_repeated_sweeps_fade_step_by_step() -> None:
    memory, states = specimen(evidence_count=3, confidence=90), []
    for _ in range(3):
        memory = after(memory, rules.decay(memory, POLICY, NOW, runs_now=100))
        states.append((memory.signals.evidence_count, memory.state))
    assert states == [(2, "provisional"), (1, "provisional"), (0, "decayed")]


def test_a_run_mark_from_another_store_does_not_count_backwards() -> None:
    """Two clocks differ: an imported mark may lie ahead of this store's runs."""
    assert rules.decay(specimen(run_mark=500), POLICY, NOW, runs_now=3) == []


@pytest.mark.parametrize(
    ("kind", "trust", "state"),
    [
        ("preference", "user", "provisional"),
        ("preference", "model", "decayed"),
        ("lesson", "user", "decayed"),
    ],
)
def test_preferences_the_user_stated_do_not_decay_by_disuse(kind: str, trust: str, state: str) -> None:
    """ArcheFlow: preferences do not fade. Ours only when the user said them."""
    memory = specimen(kind=kind, trust=trust)
    assert swept(memory, DUE + days(1)) == state
    assert swept(memory, runs_now=10) == state


def test_a_spared_preference_still_decays_on_contradictions_and_lost_confidence() -> None:
    """Issue 2: only disuse is forgiven."""
    assert swept(specimen(kind="preference", trust="user", contradiction_count=3)) == "decayed"
    assert swept(specimen(kind="preference", trust="user", confidence=10)) == "decayed"


def test_a_decayed_memory_remembers_where_it_stood_and_why() -> None:
    (event,) = rules.decay(specimen(state="stable", contradiction_count=3), POLICY, NOW)
    assert (event.type, event.set["previous_state"], event.reason) == (EventType.DECAYED, "stable", "3 contradictions")
    assert event.detail == {"from": "stable", "to": "decayed"}


def test_a_policy_may_switch_each_clock_off() -> None:
    still = policy(decay={"by_review_date": False, "unseen_runs": 0})
    assert rules.decay(specimen(), still, NOW + days(9999), runs_now=9999) == []


@given(MOMENTS, MOMENTS, st.none() | MOMENTS, st.integers(0, 200), st.integers(0, 200), st.integers(0, 5))
def test_whatever_the_clocks_say_a_sweep_takes_at_most_one_step(
    now: datetime, set_at: datetime, used_at: datetime | None, runs_now: int, mark: int, evidence: int
) -> None:
    """GUARANTEES R11: clocks may jump; no decay storm."""
    memory = specimen(
        review_set_at=set_at, review_after=set_at + days(30), used_at=used_at, run_mark=mark, evidence_count=evidence
    )
    events = rules.decay(memory, POLICY, now, runs_now=runs_now)
    assert len(events) <= 1
    gone = after(memory, events)
    assert memory.signals.evidence_count - gone.signals.evidence_count in (0, 1)
    assert gone.signals.evidence_count >= 0
    assert gone.state in ("provisional", "decayed")


@pytest.mark.parametrize(("left", "comes_back"), [(0, True), (1, False), (3, False)])
def test_where_people_put_memories_aside_too_only_what_has_no_evidence_left_has_faded(
    left: int, comes_back: bool
) -> None:
    """ArcheFlow's archive holds both: what faded to nothing comes back when seen again, what somebody retired stays."""
    shared = policy(decay={"state": "archived"}, retention={"retired_state": "archived"})
    memory = specimen(state="archived", phase="gone", evidence_count=left, confidence=80)
    assert consolidate.faded(memory, shared) is comes_back


@pytest.mark.parametrize("left", [0, 3])
def test_where_decay_has_a_state_of_its_own_evidence_does_not_tell(left: int) -> None:
    """Ours: nobody but a sweep puts a memory into "decayed", so that it came there says enough."""
    assert consolidate.faded(specimen(state="decayed", phase="gone", evidence_count=left, confidence=80), POLICY)


@pytest.mark.parametrize(("limit", "count", "state"), [(1, 0, "provisional"), (1, 1, "decayed"), (0, 9, "provisional")])
def test_a_policy_says_how_many_contradictions_are_too_many(limit: int, count: int, state: str) -> None:
    """geas has 3; `decay.contradictions = 0` means never."""
    memory = specimen(contradiction_count=count)
    assert after(memory, rules.decay(memory, policy(decay={"contradictions": limit}), NOW)).state == state


@pytest.mark.parametrize(("age", "state"), [(4.9, "provisional"), (5, "retired"), (50, "retired")])
def test_a_kind_that_is_kept_for_days_is_retired_when_nobody_changed_it(age: float, state: str) -> None:
    """claude-memory's retention: counted from the last change; a kind without a limit never expires."""
    short = policy(retention={"expire_days": {"lesson": 5}})
    memory, decision = specimen(review_after=None), specimen(kind="decision", review_after=None)
    events = rules.decay(memory, short, NOW + days(age))
    assert after(memory, events).state == state
    assert [event.reason for event in events] == [f"not changed for {age} days, kept for 5"] * (state == "retired")
    assert rules.decay(decision, short, NOW + days(age)) == []


def test_a_use_counts_where_nobody_knows_when_the_review_date_was_set() -> None:
    """Our choice: other systems' files have a date and not when it was set; a use is then a use."""
    assert rules.used_in_time(specimen(review_set_at=None, used_at=NOW - days(99)), POLICY)
    assert not rules.used_in_time(specimen(review_set_at=None, used_at=None), POLICY)


def test_a_sweep_that_knows_of_no_runs_fades_nothing() -> None:
    """ArcheFlow counts runs; where nobody counted, none was missed."""
    assert rules.decay(specimen(), policy(decay={"unseen_runs": 1}), NOW) == []
