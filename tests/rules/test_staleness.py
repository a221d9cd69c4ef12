"""Staleness by age alone."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tenure.model.kinds import KINDS
from tenure.rules.staleness import staleness
from tests.specimens import NOW, POLICY, days, specimen

MOMENTS = st.datetimes(datetime(1, 1, 1), datetime(9999, 12, 31)).map(lambda moment: moment.replace(tzinfo=UTC))
HALF_LIVES = {
    "preference": 365,
    "constraint": 180,
    "decision": 180,
    "lesson": 90,
    "runbook": 90,
    "tech_debt": 60,
    "reference": 60,
    "session_summary": 14,
    "a dialect's own": 30,
}


@pytest.mark.parametrize(("kind", "half_life"), HALF_LIVES.items())
def test_after_its_half_life_a_memory_is_half_stale(kind: str, half_life: int) -> None:
    """Claude Code files: 100 * (1 - 0.5 ** (age / half-life)); kinds nobody named have 30 days."""
    memory = specimen(kind=kind)
    scores = [staleness(memory, POLICY, NOW + days(half_life * n)) for n in range(4)]
    assert scores == pytest.approx([0, 50, 75, 87.5])


def test_every_native_kind_has_a_half_life() -> None:
    assert set(KINDS) <= set(POLICY.decay.half_life_days)


def test_a_check_makes_a_memory_fresh_and_reading_does_not() -> None:
    """DESIGN 3.10: only verification resets age."""
    later = NOW + days(90)
    assert staleness(specimen(verified_at=later), POLICY, later) == 0
    assert staleness(specimen(used_at=later, helped_at=later), POLICY, later) == pytest.approx(50)


@pytest.mark.parametrize("state", ["candidate", "canonical", "under_review", "archived"])
def test_staleness_is_independent_of_state(state: str) -> None:
    assert staleness(specimen(state=state), POLICY, NOW + days(90)) == pytest.approx(50)


@given(MOMENTS, MOMENTS, st.sampled_from(sorted(HALF_LIVES)))
def test_staleness_stays_within_0_and_100_for_any_clock(created: datetime, now: datetime, kind: str) -> None:
    """GUARANTEES section 3: a future date gave -3.9e10 and a far one raised OverflowError in the original."""
    assert 0 <= staleness(specimen(kind=kind, created_at=created), POLICY, now) <= 100


@given(st.integers(0, 20000), st.integers(0, 20000))
def test_staleness_never_falls_as_time_passes(first: int, more: int) -> None:
    memory = specimen()
    one, two = NOW + timedelta(hours=first), NOW + timedelta(hours=first + more)
    assert staleness(memory, POLICY, one) <= staleness(memory, POLICY, two)
