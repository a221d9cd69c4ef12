"""Effects of applications and the exact arithmetic of signals."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tenure.dialects.geas import effect
from tenure.dialects.geas.artifacts import EFFECTS
from tenure.dialects.geas.tables import packaged
from tenure.errors import InvalidInput

from . import samples

TABLES = packaged()


@pytest.mark.parametrize("case", samples.cases("application"), ids=lambda case: case["name"])
def test_signals_follow_the_recorded_applications(case: dict[str, Any]) -> None:
    """Recorded cases; the states they also name are the engine's and checked with it."""
    signals = case["given"]["signals"]
    for step in case["steps"]:
        signals = effect.applied(signals, step["effect"], TABLES, contradiction=step["contradiction"])
        assert signals == step["signals"]


@pytest.mark.parametrize(
    ("outcome", "relevant", "contradicted", "expected"),
    [
        ("passed", True, False, ("positive", "none")),
        ("passed", False, False, ("neutral", "none")),
        ("passed", None, False, ("neutral", "none")),
        ("failed", True, False, ("negative", "none")),
        ("failed", False, False, ("neutral", "none")),
        ("iterate", True, False, ("negative", "none")),
        ("cancelled", True, False, ("unknown", "none")),
        ("passed", True, True, ("negative", "weaken")),
        ("failed", True, True, ("negative", "weaken")),
    ],
)
def test_the_effect_follows_from_outcome_and_relevance(
    outcome: str, relevant: bool | None, contradicted: bool, expected: tuple[str, str]
) -> None:
    """Spec 1.2, effect rule; contradiction 6 for cancelled tasks."""
    found = effect.application(outcome, relevant=relevant, contradicted=contradicted, tables=TABLES)
    assert (found.effect, found.followup) == expected
    assert found.contradiction is contradicted


@pytest.mark.parametrize(("failures", "followup"), [(0, "none"), (1, "review_required"), (2, "review_required")])
def test_the_failure_that_makes_reuse_harmful_asks_for_a_review(failures: int, followup: str) -> None:
    """Seed: failed_reuses >= 2 is harmful reuse."""
    signals = {**samples.SIGNALS, "failed_reuses": failures}
    found = effect.application("failed", relevant=True, signals=signals, tables=TABLES)
    assert found.followup == followup
    assert effect.harmful(effect.applied(signals, "negative", TABLES), TABLES) is (failures >= 1)


@pytest.mark.parametrize(
    ("kind", "counters", "confidence"),
    [
        ("positive", {"reuse_count", "successful_reuses"}, 0.7),
        ("negative", {"reuse_count", "failed_reuses"}, 0.5),
        ("neutral", {"reuse_count"}, 0.6),
        ("neutral_but_risky", {"reuse_count", "failed_reuses"}, 0.6),
        ("unknown", set(), 0.6),
    ],
)
def test_each_of_the_five_effects_moves_its_counters(kind: str, counters: set[str], confidence: float) -> None:
    """Seed for three of them; contradictions 5 and 6 for the others."""
    after = effect.applied(samples.SIGNALS, kind, TABLES)
    assert {name for name, value in after.items() if value == samples.SIGNALS[name] + 1} - {"confidence"} == counters
    assert after["confidence"] == confidence


def test_the_trap_of_binary_fractions_is_avoided() -> None:
    """Spec 1.6: 0.4 +0.1 +0.1 -0.2 -0.1 must be 0.3, which is not below 0.3."""
    signals: dict[str, Any] = {**samples.SIGNALS, "confidence": 0.4}
    for kind in ("positive", "positive"):
        signals = effect.applied(signals, kind, TABLES)
    signals = effect.applied(signals, "negative", TABLES, contradiction=True)
    assert signals["confidence"] == 0.3


@given(start=st.integers(0, 10), steps=st.lists(st.tuples(st.sampled_from(EFFECTS), st.booleans()), max_size=8))
def test_confidence_is_exact_for_any_sequence(start: int, steps: list[tuple[str, bool]]) -> None:
    """Spec 1.6: +0.1, -0.1, -0.2 in addition, between 0 and 1, counted here in fractions."""
    change = {"positive": Fraction(1, 10), "negative": Fraction(-1, 10)}
    expected = Fraction(start, 10)
    signals: dict[str, Any] = {**samples.SIGNALS, "confidence": start / 10}
    for kind, contradiction in steps:
        step = change.get(kind, Fraction(0)) - (Fraction(2, 10) if contradiction else 0)
        expected = min(Fraction(1), max(Fraction(0), expected + step))
        signals = effect.applied(signals, kind, TABLES, contradiction=contradiction)
        assert signals["confidence"] == float(expected)


def test_the_signals_given_are_not_changed() -> None:
    """STYLE: rules are pure."""
    before = dict(samples.SIGNALS)
    effect.applied(samples.SIGNALS, "positive", TABLES, contradiction=True)
    assert before == samples.SIGNALS


def test_an_unknown_effect_is_refused() -> None:
    """Spec 1.4: five effects."""
    with pytest.raises(InvalidInput, match="great"):
        effect.applied(samples.SIGNALS, "great", TABLES)
