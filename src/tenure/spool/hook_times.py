"""How long prompt hooks took on a store and how often they stayed silent, from the lines they leave (`hooks.prompt`).

A line is a time, milliseconds and what came of it. The milliseconds are those of the whole process: the processor's
time until our first line of code, and the clock's from there on.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from tenure.files import at_once
from tenure.files.trust import times_of

MOST_BYTES = 512 * 1024
# What is left of a file that became too long.
BEFORE = ".before"
_LINE = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\S*Z) (\d{1,9}) ([01-])")


class HookTime(NamedTuple):
    """One prompt: when, how long its hook took, and whether a memory was shown; None when the hook gave up."""

    at: str
    milliseconds: int
    shown: bool | None


def read(database: str) -> list[HookTime]:
    """Return the prompts of a store, oldest first; a torn line is left out."""
    path = times_of(database)
    return [*_lines(path + BEFORE), *_lines(path)]


def percentile(values: list[int], share: float) -> int | None:
    """Return the value that so large a share of all does not exceed; None without values."""
    if not values:
        return None
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


def _lines(path: str) -> Iterator[HookTime]:
    try:
        with open(path, encoding="ascii", errors="replace", opener=at_once) as file:
            lines = file.read(MOST_BYTES).splitlines()
    except OSError:
        return
    for line in lines:
        if found := _LINE.fullmatch(line):
            at, time, outcome = found.groups()
            yield HookTime(at, int(time), {"1": True, "0": False}.get(outcome))
