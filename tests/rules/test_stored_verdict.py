"""What the policy says of a memory, stored with it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tenure.model.kinds import indexed
from tenure.rules.stored_verdict import fingerprint, line, verdict
from tests.specimens import POLICY, policy, specimen


@pytest.mark.parametrize("state", POLICY.states)
def test_only_live_memories_are_eligible(state: str) -> None:
    """DESIGN 1: pending may not influence, held waits, gone is out."""
    assert verdict(specimen(state=state), POLICY).eligible is (POLICY.phase(state) == "live")


def test_more_trust_weighs_more() -> None:
    weights = [verdict(specimen(state=s), POLICY).weight for s in ("candidate", "provisional", "stable", "canonical")]
    assert weights == sorted(set(weights))


@given(st.sampled_from(sorted(POLICY.states)), st.integers(0, 100))
def test_a_weight_is_a_share(state: str, confidence: int) -> None:
    assert 0 <= verdict(specimen(state=state, confidence=confidence), POLICY).weight <= 100


def test_time_changes_the_verdict_at_the_review_date_of_a_live_memory_only() -> None:
    memory = specimen()
    assert verdict(memory, POLICY).due_at == memory.review_after
    assert verdict(specimen(state="archived"), POLICY).due_at is None
    assert verdict(memory, policy(decay={"by_review_date": False})).due_at is None


@given(st.text(), st.text())
def test_a_line_is_one_line_within_its_limit(title: str, text: str) -> None:
    """GUARANTEES S5: one-line fields."""
    shown = line(specimen(title=title, text=text), 80)
    assert len(shown) <= 80
    assert len(shown.splitlines()) <= 1


def test_a_line_does_not_say_the_title_twice() -> None:
    assert line(specimen(title="Use tabs", text="Use tabs in Go"), 80) == "Use tabs in Go"
    assert line(specimen(title="Indentation", text="Use tabs"), 80) == "Indentation: Use tabs"


def test_the_fingerprint_ignores_case_and_punctuation_but_not_kind_or_order() -> None:
    assert fingerprint("lesson", "Use Tabs!") == fingerprint("lesson", "use tabs")
    assert fingerprint("lesson", "use tabs") != fingerprint("decision", "use tabs")
    assert fingerprint("lesson", "alpha beta") != fingerprint("lesson", "beta alpha")


def test_the_index_holds_title_tags_text_and_the_words_of_the_content() -> None:
    memory = specimen(title="T", tags=("a", "b"), text="X", content={"steps": ["one", {"deep": "two"}], "n": 3})
    assert indexed(memory) == ("T", "a b", "X", "one\ntwo", "")


@pytest.mark.parametrize(
    ("state", "confidence", "weight"),
    [
        ("candidate", 41, 20),
        ("provisional", 40, 50),
        ("stable", 81, 80),
        ("canonical", 100, 100),
        ("archived", 100, 50),
        ("odd", 41, 20),
    ],
)
def test_a_weight_is_the_mean_of_what_the_state_and_the_confidence_say(
    state: str, confidence: int, weight: int
) -> None:
    """`inject.weight`: 60, 80, 100; a state that has none, or is not in use, weighs by its confidence alone."""
    odd = policy(states={"odd": "live"})
    memory = specimen(state=state, confidence=confidence, phase=odd.phase(state))
    assert verdict(memory, odd).weight == weight


def test_fingerprints_that_are_stored_stay_valid() -> None:
    """Stores hold them in a signed column of eight bytes: another hash would find no duplicate of an older memory."""
    assert fingerprint("lesson", "Use tabs") == -7569748601690577241


def test_a_line_without_a_text_is_the_title_and_a_cut_title_is_not_said_twice() -> None:
    assert line(specimen(title="Use tabs", text=""), 80) == "Use tabs"
    assert line(specimen(title="Use tabs in…", text="Use tabs in Go"), 80) == "Use tabs in Go"
    assert line(specimen(title="Use tabs", text="Use tabs"), 80) == "Use tabs"
    assert line(specimen(title="Plan X", text="Plan Y is next"), 80) == "Plan X: Plan Y is next"
