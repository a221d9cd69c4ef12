"""What outcomes say, and the exact arithmetic of signals by geas's policy."""

from __future__ import annotations

from datetime import UTC, datetime
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tenure.model import policy as policies
from tenure.model.evolve import evolve
from tenure.model.memory import Memory
from tenure.rules import use_counts as uses
from tenure.rules.confidence import after_evidence, from_evidence
from tenure.systems.geas import memories
from tenure.systems.geas.artifacts import EFFECTS
from tenure.systems.geas.effect import effect, hundredths

from . import samples

POLICY, _ = policies.load("geas")
NOW = datetime(2026, 4, 10, 12, 0, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("said", "contradicted", "expected"),
    [
        ("passed", False, "positive"),
        ("shipped", False, "positive"),
        ("failed", False, "negative"),
        ("iterate", False, "negative"),
        ("escalated", False, "negative"),
        ("cancelled", False, "unknown"),
        ("passed", True, "negative"),
        ("neutral", False, "neutral"),
        ("nonsense", False, "nonsense"),
    ],
)
def test_the_effect_follows_from_the_outcome(said: str, contradicted: bool, expected: str) -> None:
    """Spec 1.2, effect rule; contradiction 6 for cancelled tasks."""
    assert effect(said, contradicted=contradicted) == expected


def applied(memory: Memory, kind: str, *, contradiction: bool = False, task: str = "") -> Memory:
    after: Memory | None = memory
    for event in uses.apply(memory, kind, POLICY, NOW, contradiction=contradiction, task=task):
        after = evolve(after, event)
    assert after is not None
    return after


def entry(**signals: Any) -> Memory:
    return memories.memory(samples.memory(signals=signals), [], POLICY)


@pytest.mark.parametrize(
    ("kind", "counters", "confidence"),
    [
        ("positive", {"reuse_count", "successful_reuses"}, 70),
        ("negative", {"reuse_count", "failed_reuses"}, 50),
        ("neutral", {"reuse_count"}, 60),
        ("neutral_but_risky", {"reuse_count", "failed_reuses"}, 60),
        ("unknown", set(), 60),
    ],
)
def test_each_of_the_five_effects_moves_its_counters(kind: str, counters: set[str], confidence: int) -> None:
    """Seed for three of them; contradictions 5 and 6 for the others."""
    before = entry()
    after = applied(before, kind).signals
    names = ("reuse_count", "successful_reuses", "failed_reuses", "contradiction_count", "evidence_count")
    assert {name for name in names if getattr(after, name) != getattr(before.signals, name)} == counters
    assert after.confidence == confidence


@given(start=st.integers(0, 10), steps=st.lists(st.tuples(st.sampled_from(EFFECTS), st.booleans()), max_size=8))
def test_confidence_is_exact_for_any_sequence(start: int, steps: list[tuple[str, bool]]) -> None:
    """Spec 1.6: +0.1, -0.1, -0.2 in addition, between 0 and 1, counted here in fractions."""
    change = {"positive": Fraction(1, 10), "negative": Fraction(-1, 10)}
    expected = Fraction(start, 10)
    memory = entry(confidence=start / 10)
    for kind, contradiction in steps:
        step = change.get(kind, Fraction(0)) - (Fraction(2, 10) if contradiction else 0)
        expected = min(Fraction(1), max(Fraction(0), expected + step))
        memory = applied(memory, kind, contradiction=contradiction)
        assert memory.signals.confidence == hundredths(float(expected))


def test_the_trap_of_binary_fractions_is_avoided() -> None:
    """Spec 1.6: 0.4 +0.1 +0.1 -0.2 -0.1 must be 0.3, which is not below 0.3."""
    memory = entry(confidence=0.4)
    for kind, contradiction in (("positive", False), ("positive", False), ("negative", True)):
        memory = applied(memory, kind, contradiction=contradiction)
    assert (memory.signals.confidence, memory.state) == (30, "provisional")


@pytest.mark.parametrize(("evidence", "confidence"), [(1, 40), (2, 60), (3, 80), (9, 80)])
def test_initial_confidence_follows_the_number_of_references(evidence: int, confidence: int) -> None:
    """Seed: 0.4, 0.6, 0.8."""
    assert from_evidence(evidence, POLICY) == confidence


@pytest.mark.parametrize(("before", "after"), [(30, 30), (40, 60), (50, 50), (60, 60), (80, 80)])
def test_new_evidence_raises_only_the_first_confidence(before: int, after: int) -> None:
    """Contradiction 18: only 0.4 -> 0.6 is written."""
    assert after_evidence(before, 1, 2, POLICY) == after
    assert after_evidence(before, 2, 3, POLICY) == after


@pytest.mark.parametrize(("given", "kept"), [(0.29999999999999993, 30), (1.0, 100), (1.7, 100), (-0.2, 0)])
def test_a_confidence_is_kept_within_its_bounds(given: float, kept: int) -> None:
    """Spec 1.5: from 0 to 1, whatever a file says."""
    assert hundredths(given) == kept
