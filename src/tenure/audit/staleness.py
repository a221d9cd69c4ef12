"""How far a memory has decayed by age, and what its failed claims add: the seed's formula and table.

Ages are clamped, so that a date in the future or a clock wrong by decades changes nothing but the age.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from functools import cache
from typing import Literal

import msgspec

from tenure.model import clock
from tenure.model import policy as policies
from tenure.model.policy import Policy

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


def of_policy(policy: Policy) -> Bands:
    """Return the thresholds as a policy states them."""
    actions = policy.own["actions"]
    return Bands(
        policy.decay.half_life_days,
        actions["review_from"],
        actions["prune_from"],
        actions["overdue_half_lives"],
        policy.claims.modifiers,
    )


@cache
def packaged() -> Bands:
    """Return the thresholds of the packaged policy, for callers without settings of their own."""
    return of_policy(policies.load("claude-code")[0])


def half_life(kind: str, bands: Bands | None = None) -> float:
    """Return the half-life in days; a kind that is not listed has that of unknown."""
    table = (bands or packaged()).half_life_days
    return table.get(kind, table["unknown"])


def score(kind: str, age_days: float, bands: Bands | None = None) -> float:
    """Return 0-100: how far a memory has decayed by age alone. Instructions are kept by hand and do not."""
    if kind == INSTRUCTIONS:
        return 0.0
    age = min(max(age_days, 0.0), clock.MAX_AGE.days)
    # The same as 100 * (1 - exp(-age * ln 2 / half_life)), and exact at whole half-lives.
    return 100.0 * (1.0 - float(0.5 ** (age / half_life(kind, bands))))


def with_failures(base: float, failed_kinds: Iterable[str], bands: Bands | None = None) -> float:
    """Return the score with the modifier of each kind that failed, once per kind, capped at 100."""
    table = (bands or packaged()).modifiers
    return min(base + sum(table.get(kind, 0) for kind in set(failed_kinds)), MAX_SCORE)


def action(value: float, bands: Bands | None = None) -> Action:
    """Return what to do at this score: the truncated integer decides, so 50 is review and 75 is prune."""
    by = bands or packaged()
    whole = int(min(max(value, 0.0), MAX_SCORE))
    if whole < by.review_from:
        return "keep"
    return "review" if whole < by.prune_from else "prune"


def reasons(kind: str, age_days: float, bands: Bands | None = None) -> list[str]:
    """Return why age alone speaks against the memory: past its half-life, and past three of them."""
    if kind == INSTRUCTIONS:
        return []
    limit, overdue = half_life(kind, bands), (bands or packaged()).overdue_half_lives
    found = []
    if age_days > limit:
        found.append(f"older than the half-life of {kind} ({limit:g} days)")
    if age_days > limit * overdue:
        found.append(f"older than {overdue} half-lives")
    return found
