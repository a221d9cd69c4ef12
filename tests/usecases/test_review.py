"""`review` and `log`, and what their answers say besides."""

from __future__ import annotations

import pytest

from tenure.workspace import Workspace


@pytest.mark.parametrize("way", ["retire", "archive"])
def test_a_use_of_a_memory_that_is_gone_is_recorded_and_said_to_be_of_no_effect(ws: Workspace, way: str) -> None:
    """Issue 14: `log` on a retired memory was taken silently."""
    memory = ws.add("Run the migrations before the tests")
    assert ws.log(memory.id, "positive", task="one").notes == ()
    getattr(ws, way)(memory.id, reason="the service is gone")
    after = ws.log(memory.id, "negative", task="two")
    assert (after.phase, after.signals.failed_reuses) == ("gone", 1)
    assert [f"tenure restore {memory.id}" in note for note in after.notes] == [True]


def test_a_verdict_answers_with_the_memory_and_its_notes(ws: Workspace) -> None:
    """HOUSE: what the user should know travels in the answer."""
    (decision,) = ws.capture([{"text": "Run the migrations before the tests"}]).decisions
    assert [item.id for item in ws.queue()] == [decision.id]
    after = ws.review(decision.id, "approve", by="alice")
    assert (after.state, after.notes) == ("provisional", ())
