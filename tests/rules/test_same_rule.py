"""One rule in other words, told without a model."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tenure.rules.same_rule import same

PAIRS = Path(__file__).resolve().parents[2] / "scripts" / "data" / "learning"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Use pnpm, not npm", "we use pnpm here instead of npm"),
        ("Use pnpm, not npm", "This project uses pnpm, never npm."),
        ("Prefer tabs over spaces", "Use tabs rather than spaces"),
        ("Never push to main", "Don't push to main"),
        ("Always run the linter before a commit", "Please run the linter before a commit"),
    ],
)
def test_a_rule_in_other_words_is_one_rule(one: str, other: str) -> None:
    """Issue 16: normalised rules (never / don't / use X not Y) where there is no encoder."""
    assert same(one, other) and same(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Use pnpm, not npm", "Use npm, not pnpm"),
        ("Push to main", "Never push to main"),
        ("Run the linter before the tests", "Run the tests before the linter"),
        ("We don't want that", "We do not want that"),
        ("Copy from staging to production", "Copy from production to staging"),
    ],
)
def test_what_means_something_else_is_not(one: str, other: str) -> None:
    """Issue 16: "We don't want that" is no evidence for anything."""
    assert not same(one, other)


@pytest.mark.parametrize("half", ["tune", "score"])
def test_none_of_the_unlike_pairs_is_joined(half: str) -> None:
    """Issue 16: 0 of 200 unlike pairs joined; hand-judged sentences that look alike and mean different things."""
    pairs = json.loads((PAIRS / half / "pairs.json").read_text("utf-8"))["unlike"]
    assert len(pairs) >= 70
    assert [pair for pair in pairs if same(pair["a"], pair["b"])] == []
