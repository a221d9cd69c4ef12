"""What came of a cited memory, by the table at the top of `capture.cited_outcomes`."""

from __future__ import annotations

from typing import Any

import pytest

from tenure.capture.cited_outcomes import outcomes
from tenure.capture.transcripts import Turn

SHOWN = {"event": "shown", "shown": ["m-1"]}
RED = {"event": "command", "what": "make test", "ok": False, "error": 1}
GREEN = {"event": "command", "what": "make test", "ok": True}
EDIT = {"event": "edit", "file": 1, "old": 2, "new": 3}
BACK = {"event": "edit", "file": 1, "old": 3, "new": 2}
LS_RED = {"event": "command", "what": "ls x", "ok": False, "error": 1}
LS = {"event": "command", "what": "ls x", "ok": True}
CITED = [Turn("user", "go"), Turn("assistant", "By m-1, done."), Turn("user", "thanks")]
REJECTED = [Turn("assistant", "By m-1, done."), Turn("user", "No, that's wrong")]


@pytest.mark.parametrize(
    ("journal", "turns", "effect", "sign"),
    [
        ([SHOWN], CITED, "neutral", "cited"),
        ([SHOWN, RED, GREEN], CITED, "positive", "red-to-green"),
        ([RED, SHOWN, GREEN], CITED, "positive", "red-to-green"),
        ([RED, GREEN, SHOWN], CITED, "neutral", "cited"),
        ([SHOWN, LS_RED, LS], CITED, "neutral", "cited"),
        ([SHOWN, RED, RED], CITED, "neutral_but_risky", "same-error"),
        ([SHOWN, RED, {**RED, "error": 2}], CITED, "neutral", "cited"),
        ([SHOWN, RED, RED, GREEN], CITED, "positive", "red-to-green"),
        ([SHOWN, EDIT, BACK], CITED, "negative", "reverted-edit"),
        ([EDIT, SHOWN, BACK], CITED, "neutral", "cited"),
        ([SHOWN, RED, GREEN], REJECTED, "negative", "correction"),
    ],
)
def test_the_strongest_sign_decides(journal: list[dict[str, Any]], turns: list[Turn], effect: str, sign: str) -> None:
    """Issue 8: corrections, reverted edits, the same error again, red to green, a cited id."""
    assert [(o.memory_id, o.effect, o.sign) for o in outcomes(journal, turns, {"m-1"})] == [("m-1", effect, sign)]


@pytest.mark.parametrize("text", ["nothing", "m-12", "am-1", "m-1-x"])
def test_what_was_not_cited_gets_no_outcome(text: str) -> None:
    """Only a memory that was cited is credited or blamed."""
    assert outcomes([SHOWN, RED, GREEN], [Turn("assistant", text)], {"m-1"}) == []


def test_an_id_that_was_never_shown_is_not_counted() -> None:
    """An agent cannot credit what it did not see."""
    assert outcomes([{"event": "turn", "cited": ["m-9"]}], [Turn("assistant", "m-9")], {"m-1"}) == []
