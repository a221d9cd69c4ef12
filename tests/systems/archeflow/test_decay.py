"""Decay: document 1, "Decay Algorithm"."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tenure.systems.archeflow import rules
from tenure.systems.archeflow.decay import decay
from tenure.systems.archeflow.lessons import Lesson

RULES = rules.packaged()
NOW = "2026-04-05T00:00:00Z"


def lesson(frequency: object, unseen: object, **fields: Any) -> Lesson:
    return {"id": "m-001", "frequency": frequency, "runs_since_last_seen": unseen} | fields


@pytest.mark.parametrize(
    ("before", "change", "frequency", "unseen"),
    [
        (lesson(3, 0), "counted", 3, 1),
        (lesson(3, 8), "counted", 3, 9),
        (lesson(3, 9), "decayed", 2, 0),
        (lesson(3, 99), "decayed", 2, 0),
        (lesson(1, 9), "archived", 0, 9),
        (lesson(0, 9), "archived", 0, 9),
        (lesson(1, 9, type="preference"), "archived", 0, 9),
        (lesson(3, 9, last_seen_run="r1"), "spared", 3, 9),
        (lesson(3, 9, last_seen_run=""), "decayed", 2, 0),
        (lesson("2", "9"), "decayed", 1, 0),
        (lesson(2, None), "counted", 2, 1),
    ],
)
def test_a_lesson_fades_by_runs_that_did_not_see_it(before: Lesson, change: str, frequency: int, unseen: int) -> None:
    """Document 1, steps 1 to 3; the archive keeps the old counter and preferences fade, as in the script."""
    (fate,) = decay([before], RULES, NOW, "r1")
    assert (fate.change, fate.lesson["frequency"], fate.lesson["runs_since_last_seen"]) == (
        change,
        frequency,
        unseen,
    )


def test_without_a_known_run_every_lesson_counts() -> None:
    """Our contract: "without one every lesson counts"; an empty name is no run."""
    fates = decay([lesson(3, 0, last_seen_run="r1"), lesson(3, 0, last_seen_run="")], RULES, NOW)
    assert [fate.change for fate in fates] == ["counted", "counted"]


def test_preferences_can_be_exempt() -> None:
    """Ours, generic commands only: preferences do not fade by disuse."""
    (fate,) = decay([lesson(1, 9, type="preference")], RULES, NOW, keep_lasting=True)
    assert fate.change == "spared"


@given(st.integers(1, 6))
def test_a_lesson_seen_n_times_survives_ten_silent_runs_for_each(times: int) -> None:
    """Document 1: "seen 5 times … will survive 50 runs of non-triggering"."""
    one = lesson(times, 0)
    for run in range(1, 10 * times + 1):
        (fate,) = decay([one], RULES, NOW)
        assert (fate.change == "archived") == (run == 10 * times)
        one = fate.lesson
