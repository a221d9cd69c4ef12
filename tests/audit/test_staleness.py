"""The seed's formula and table, against the recorded rows."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tenure.audit import staleness

CASES = Path(__file__).parent / "cases"
ROWS = json.loads((CASES / "staleness.json").read_text("utf-8"))["rows"]
MODIFIERS = json.loads((CASES / "deep-modifiers.json").read_text("utf-8"))


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row['type']}-{row['age_days']}")
def test_a_recorded_row(row: dict[str, Any]) -> None:
    """Recorded with the clock frozen: score to six decimals, action, number of reasons."""
    score = staleness.score(row["type"], row["age_days"])
    assert round(score, 6) == row["score6"]
    assert staleness.half_life(row["type"]) == row["half_life"]
    assert staleness.action(score) == row["action"]
    assert len(staleness.reasons(row["type"], row["age_days"])) == row["reasons"]


@pytest.mark.parametrize("row", MODIFIERS["rows"], ids=lambda row: str(row["failed_claims"]))
def test_recorded_modifiers_count_once_per_kind(row: dict[str, Any]) -> None:
    """Seed, deep verification modifiers, read as once per kind."""
    failed = [kind for kind, times in row["failed_claims"].items() for _ in range(times)]
    score = staleness.with_failures(row["base"], failed)
    assert (score, staleness.action(score)) == (row["per_kind"]["score"], row["per_kind"]["action"])


def test_a_date_in_the_future_is_today() -> None:
    """Recorded, and GUARANTEES section 3: the raw formula gives minus millions or overflows."""
    future = MODIFIERS["future_mtime"]
    score = staleness.score(future["type"], future["age_days"])
    assert (int(score), staleness.action(score)) == (future["int_score"], future["action"])


@given(
    st.sampled_from(["value", "project", "unknown", "anything"]),
    st.floats(allow_nan=False),
    st.floats(0, 1e6),
)
def test_the_score_is_in_range_and_never_falls_with_age(kind: str, age: float, more: float) -> None:
    """GUARANTEES R11: monotone and in range whatever the clocks say."""
    assert 0.0 <= staleness.score(kind, age) <= staleness.score(kind, age + more) <= 100.0


def test_instructions_do_not_decay() -> None:
    """Our choice: CLAUDE.md and its like are kept by hand; only broken claims speak against them."""
    assert staleness.score(staleness.INSTRUCTIONS, 5000) == 0.0
