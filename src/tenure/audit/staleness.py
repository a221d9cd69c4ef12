"""How far a memory has decayed by age, and what its failed claims add: the seed's formula and table.

Ages are clamped, so that a date in the future or a clock wrong by decades changes nothing but the age.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from datetime import datetime
from functools import cache
from importlib import resources
from typing import Literal

import msgspec

from tenure import clock

Action = Literal["keep", "review", "prune"]
INSTRUCTIONS = "instructions"
MAX_SCORE = 100.0


class Bands(msgspec.Struct, frozen=True):
    """The thresholds of the policy that this module needs."""

    half_life_days: dict[str, float]
    review_from: int
    prune_from: int
    overdue_half_lives: int
    modifiers: dict[str, int]


class Dated(msgspec.Struct, frozen=True):
    """A memory's date and where it was read: header, review, git or file."""

    moment: datetime
    source: Literal["header", "review", "git", "file"]


@cache
def bands(policy: str = "claude-code") -> Bands:
    """Return the thresholds as the policy file states them."""
    text = (resources.files("tenure") / "policies" / f"{policy}.toml").read_text("utf-8")
    data = tomllib.loads(text)
    decay = data["decay"]
    return Bands(
        decay["half_life_days"],
        decay["review_from"],
        decay["prune_from"],
        decay["overdue_half_lives"],
        data["claims"]["modifiers"],
    )


def half_life(kind: str) -> float:
    """Return the half-life in days; a kind that is not listed has that of unknown."""
    table = bands().half_life_days
    return table.get(kind, table["unknown"])


def score(kind: str, age_days: float) -> float:
    """Return 0-100: how far a memory has decayed by age alone. Instructions are kept by hand and do not."""
    if kind == INSTRUCTIONS:
        return 0.0
    age = min(max(age_days, 0.0), clock.MAX_AGE.days)
    # The same as 100 * (1 - exp(-age * ln 2 / half_life)), and exact at whole half-lives.
    return 100.0 * (1.0 - float(0.5 ** (age / half_life(kind))))


def with_failures(base: float, failed_kinds: Iterable[str]) -> float:
    """Return the score with the modifier of each kind that failed, once per kind, capped at 100."""
    table = bands().modifiers
    return min(base + sum(table.get(kind, 0) for kind in set(failed_kinds)), MAX_SCORE)


def action(value: float) -> Action:
    """Return what to do at this score: the truncated integer decides, so 50 is review and 75 is prune."""
    whole = int(min(max(value, 0.0), MAX_SCORE))
    if whole < bands().review_from:
        return "keep"
    return "review" if whole < bands().prune_from else "prune"


def reasons(kind: str, age_days: float) -> list[str]:
    """Return why age alone speaks against the memory: past its half-life, and past three of them."""
    if kind == INSTRUCTIONS:
        return []
    limit = half_life(kind)
    found = []
    if age_days > limit:
        found.append(f"older than the half-life of {kind} ({limit:g} days)")
    if age_days > limit * bands().overdue_half_lives:
        found.append(f"older than {bands().overdue_half_lives} half-lives")
    return found
