"""Confidence: exact hundredths, never outside 0..100."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tenure.model.memory import as_json
from tenure.rules import effect
from tenure.rules.confidence import after_evidence, clamp, from_evidence
from tests.specimens import NOW, POLICY, after, specimen

MOVES = [("positive", False), ("negative", False), ("neutral", False), ("neutral", True), ("negative", True)]
DELTA = {
    ("positive", False): 10,
    ("negative", False): -10,
    ("neutral", False): 0,
    ("neutral", True): -20,
    ("negative", True): -30,
}


@pytest.mark.parametrize(("pieces", "hundredths"), [(0, 0), (1, 40), (2, 60), (3, 80), (4, 80), (1000, 80)])
def test_evidence_alone_gives_the_table_value(pieces: int, hundredths: int) -> None:
    """geas: 0.4, 0.6, 0.8 for 1, 2, 3 or more pieces of evidence."""
    assert from_evidence(pieces, POLICY) == hundredths


@pytest.mark.parametrize(
    ("effect_", "contradiction", "hundredths"),
    [
        ("positive", False, 60),
        ("negative", False, 40),
        ("neutral", False, 50),
        ("neutral_but_risky", False, 50),
        ("unknown", False, 50),
        ("negative", True, 20),
        ("neutral", True, 30),
        ("positive", True, 40),
    ],
)
def test_an_effect_moves_confidence_by_its_exact_step(effect_: str, contradiction: bool, hundredths: int) -> None:
    """geas: +0.1, -0.1, and 0.2 less for a contradiction, in addition to the effect it comes with."""
    events = effect.apply(specimen(confidence=50), effect_, POLICY, NOW, contradiction=contradiction)
    assert after(specimen(confidence=50), events).signals.confidence == hundredths


def test_all_sequences_of_six_uses_are_exact() -> None:
    """Our choice: hundredths as integers; with binary floats 0.4 - 0.1 is already below 0.3."""
    # A candidate, so that no review interrupts the sequence.
    reached = [(specimen(state="candidate", confidence=40), 40)]
    for _ in range(6):
        reached = [
            (
                after(memory, effect.apply(memory, effect_, POLICY, NOW, contradiction=contradiction)),
                max(0, min(100, expected + DELTA[effect_, contradiction])),
            )
            for memory, expected in reached
            for effect_, contradiction in MOVES
        ]
    assert len(reached) == len(MOVES) ** 6
    assert [memory.signals.confidence for memory, _ in reached] == [expected for _, expected in reached]
    assert {as_json(memory)["signals"]["confidence"] for memory, _ in reached} == {n / 10 for n in range(11)}


@given(st.integers(0, 100), st.lists(st.sampled_from(MOVES), max_size=30))
def test_confidence_never_leaves_its_range(start: int, sequence: list[tuple[str, bool]]) -> None:
    """geas: clamped to 0..1, whatever happens in whatever order."""
    memory = specimen(confidence=start)
    for effect_, contradiction in sequence:
        memory = after(memory, effect.apply(memory, effect_, POLICY, NOW, contradiction=contradiction))
        assert 0 <= memory.signals.confidence <= 100


@given(st.integers(0, 100), st.integers(0, 6), st.integers(0, 6))
def test_new_evidence_keeps_what_uses_earned(confidence: int, before: int, then: int) -> None:
    """Our choice: evidence moves confidence by the difference of its table values and stays in range."""
    moved = after_evidence(confidence, before, then, POLICY)
    assert 0 <= moved <= 100
    assert moved == clamp(confidence + from_evidence(then, POLICY) - from_evidence(before, POLICY))
    assert moved >= confidence or then < before
