"""Findings that were fixed in the previous run and are back in this one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from tenure.systems.archeflow.match import Index, keywords
from tenure.systems.archeflow.rules import Rules


class Regression(NamedTuple):
    """A fixed finding and the first finding that repeats it."""

    fixed: str
    current: str


def regressions(fixed: Iterable[str], current: Iterable[str], rules: Rules) -> list[Regression]:
    """Return each fixed finding that reappeared, once; findings of several lines are compared by line."""
    now = _lines(current)
    index = Index()
    for position, line in enumerate(now):
        index.add(position, keywords(line, rules.word_chars))
    found = ((line, index.first(keywords(line, rules.word_chars), rules.regression_percent)) for line in _lines(fixed))
    return [Regression(line, now[position]) for line, position in found if position is not None]


def _lines(texts: Iterable[str]) -> list[str]:
    return [line for text in texts for line in text.split("\n") if line]
