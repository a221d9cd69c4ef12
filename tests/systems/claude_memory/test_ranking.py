"""How well an entry fits a text."""

from __future__ import annotations

import math

import pytest

from tenure.systems.claude_memory import ranking, wording


@pytest.mark.parametrize(
    ("category", "field"),
    [(category, name) for category, (main, others) in wording.MAIN.items() for name in (main, *(f for f, _ in others))],
)
def test_what_a_record_says_can_be_found_in_its_body(category: str, field: str) -> None:
    """Specification 1.10: 6.0 searches the fields of the content; whatever is shown of it is among them."""
    for value in ("okapi", ["a zebra", "okapi"]):
        assert "okapi" in ranking.body_text({"category": category, "content": {field: value}})
    assert ranking.body_text({"category": category, "content": "okapi"}) == ""
    assert ranking.body_text({"category": "unknown", "content": {field: "okapi"}}) == ""


def test_a_word_that_every_memory_has_still_counts_one_point() -> None:
    """Ours: in a store of one memory every word is in all of them, and a word in the body adds one point."""
    (alone,) = ranking.bm25(["queue"], [("queue", "")])
    assert alone == pytest.approx(1 + 0.1 * math.log1p(1 / 3))
    assert ranking.bm25(["okapi"], [("queue", "")]) == [0.0]
