"""Confidence: exact hundredths, never outside 0..100."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tenure.model import policy as policies
from tenure.model.memory import as_json
from tenure.rules import use_counts
from tenure.rules.confidence import after_evidence, clamp, from_evidence, reinstated
from tests.specimens import NOW, POLICY, after, specimen

GEAS = policies.load("geas")[0]
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
    events = use_counts.apply(specimen(confidence=50), effect_, POLICY, NOW, contradiction=contradiction)
    assert after(specimen(confidence=50), events).signals.confidence == hundredths


def test_all_sequences_of_six_uses_are_exact() -> None:
    """Our choice: hundredths as integers; with binary floats 0.4 - 0.1 is already below 0.3."""
    # A candidate, so that no review interrupts the sequence.
    reached = [(specimen(state="candidate", confidence=40), 40)]
    for _ in range(6):
        reached = [
            (
                after(memory, use_counts.apply(memory, effect_, POLICY, NOW, contradiction=contradiction)),
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
        memory = after(memory, use_counts.apply(memory, effect_, POLICY, NOW, contradiction=contradiction))
        assert 0 <= memory.signals.confidence <= 100


@given(st.integers(0, 100), st.integers(0, 6), st.integers(0, 6))
def test_new_evidence_keeps_what_uses_earned(confidence: int, before: int, then: int) -> None:
    """Our choice: evidence moves confidence by the difference of its table values and stays in range."""
    moved = after_evidence(confidence, before, then, POLICY)
    assert 0 <= moved <= 100
    assert moved == clamp(confidence + from_evidence(then, POLICY) - from_evidence(before, POLICY))
    assert moved >= confidence or then < before


@pytest.mark.parametrize(
    ("confidence", "before", "then", "found"),
    [(40, 1, 2, 60), (40, 2, 2, 40), (40, 2, 1, 40), (50, 1, 2, 50), (60, 2, 3, 60), (80, 3, 4, 80)],
)
def test_in_geas_new_evidence_raises_only_from_two_fifths_to_three(
    confidence: int, before: int, then: int, found: int
) -> None:
    """geas: a second piece of evidence raises 0.4 to 0.6; nothing else moves confidence, and nothing lowers it."""
    assert after_evidence(confidence, before, then, GEAS) == found


@pytest.mark.parametrize(
    ("confidence", "evidence", "found"), [(0, 2, 60), (29, 1, 40), (29, 3, 80), (30, 3, 30), (31, 3, 31), (90, 1, 90)]
)
def test_in_geas_only_what_the_next_sweep_would_take_is_raised_to_its_evidence(
    confidence: int, evidence: int, found: int
) -> None:
    """geas, contradiction 25: reinstated below 0.3 it would decay again; at 0.3 it stays as it is."""
    assert reinstated(confidence, evidence, GEAS) == found


@pytest.mark.parametrize(("confidence", "found"), [(0, 40), (39, 40), (40, 40), (41, 41)])
def test_ours_starts_again_at_four_tenths_at_least(confidence: int, found: int) -> None:
    """Our choice: `confidence.reinstated_floor`, whatever the evidence."""
    assert {reinstated(confidence, evidence, POLICY) for evidence in (0, 1, 5)} == {found}
