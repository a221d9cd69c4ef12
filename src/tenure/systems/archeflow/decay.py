"""Lessons that are no longer seen lose frequency and go to the archive.

One call is the end of one run. A lesson seen in that run is spared.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from tenure.systems.archeflow.lessons import Lesson, count, frequency, text
from tenure.systems.archeflow.rules import Rules


class Fate(NamedTuple):
    """What a run without the lesson does to it: spared, counted, decayed or archived."""

    change: str
    lesson: Lesson


def decay(
    lessons: Iterable[Lesson], rules: Rules, now: str, run: str = "", *, keep_lasting: bool = False
) -> list[Fate]:
    """Return each lesson's fate in order; without a `run` every lesson counts as unseen.

    `keep_lasting` exempts preferences, which the documents let fade like any lesson.
    """
    return [_fate(lesson, rules, now, run, keep_lasting) for lesson in lessons]


def _fate(lesson: Lesson, rules: Rules, now: str, run: str, keep_lasting: bool) -> Fate:
    if run and lesson.get("last_seen_run") == run:
        return Fate("spared", lesson)
    if keep_lasting and text(lesson.get("type")) in rules.lasting_types:
        return Fate("spared", lesson)
    unseen = count(lesson.get("runs_since_last_seen")) + 1
    left = frequency(lesson)
    if unseen < rules.unseen_runs:
        return Fate("counted", {**lesson, "frequency": left, "runs_since_last_seen": unseen})
    if left <= 1:
        # The archive keeps the counter the lesson came with, as the script does.
        return Fate("archived", {**lesson, "frequency": 0, "ts": now})
    return Fate("decayed", {**lesson, "frequency": left - 1, "runs_since_last_seen": 0})
