"""Deduplication: evidence instead of a second memory."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tenure.systems.geas import similar
from tenure.systems.geas.artifacts import STATES
from tenure.text.words import jaccard

from . import samples


def new(**changes: Any) -> dict[str, Any]:
    return samples.candidate("mem-task-002-1", **{"evidence_refs": ["retro-task-002"], **changes})


def test_a_lesson_learned_again_is_evidence_for_the_one_we_have() -> None:
    """Spec 1.2: add the retrospective, no new candidate."""
    decision = similar.consolidate(new(), [samples.candidate()], least=0.70)
    assert (decision.action, decision.memory_id) == ("update", "mem-task-001-1")
    assert decision.fresh == ("retro-task-002",)


def test_the_same_retrospective_counts_once() -> None:
    """GUARANTEES R12: effect once; capturing a task again changes nothing."""
    again = new(evidence_refs=["retro-task-001"])
    decision = similar.consolidate(again, [samples.candidate()], least=0.70)
    assert (decision.action, decision.fresh) == ("noop", ())


@pytest.mark.parametrize("state", STATES)
def test_memories_of_every_state_are_compared_and_none_is_revived(state: str) -> None:
    """Contradiction 23: add evidence, say that it is gone, do not revive."""
    decision = similar.consolidate(new(), [samples.memory(state=state, evidence_refs=["a"])], least=0.70)
    assert decision.action == "update"
    assert ("stays so" in decision.reason) is (state in ("decayed", "superseded", "archived", "rejected"))


def test_another_type_is_another_lesson() -> None:
    """Seed: similar means the same memory_type."""
    assert similar.consolidate(new(memory_type="risk_pattern"), [samples.candidate()], least=0.70).action == "create"


@pytest.mark.parametrize(
    ("shared", "own", "action"),
    [(7, 3, "update"), (69, 31, "create"), (70, 30, "update"), (0, 1, "create"), (1, 0, "update")],
)
def test_seven_words_in_ten_are_enough(shared: int, own: int, action: str) -> None:
    """Spec 1.7: Jaccard of at least 0.70."""
    common = " ".join(f"w{number}" for number in range(shared)) or "x"
    longer = f"{common} " + " ".join(f"o{number}" for number in range(own)) if shared else "y"
    old = samples.candidate(title=common, summary=common)
    assert similar.consolidate(new(title=longer, summary=longer), [old], least=0.70).action == action


def test_the_most_similar_memory_gets_the_evidence_and_a_live_one_before_a_dead_one() -> None:
    """A choice of ours."""
    dead = samples.memory("mem-z", state="rejected")
    live = samples.memory("mem-a", state="stable")
    assert similar.consolidate(new(), [dead, live], least=0.70).memory_id == "mem-a"


@given(left=st.frozensets(st.sampled_from("abcdef")), right=st.frozensets(st.sampled_from("abcdef")))
def test_similarity_is_symmetric_and_between_nothing_and_one(left: frozenset[str], right: frozenset[str]) -> None:
    """Laws of the Jaccard index."""
    value = jaccard(left, right)
    assert value == jaccard(right, left)
    assert 0 <= value <= 1
    assert (value == 1) is (left == right and bool(left))
