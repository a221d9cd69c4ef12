"""What an application did to a memory: its effect, the follow-up, and the signals afterwards.

Confidence is counted in hundredths: with binary fractions 0.4 + 0.1 + 0.1 - 0.2 - 0.1 ends below 0.3, and the
memory would decay for a rounding error.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from tenure.dialects.geas import tables as policy
from tenure.dialects.geas.artifacts import EFFECTS
from tenure.dialects.geas.tables import Tables
from tenure.errors import InvalidInput

# How a task ended, in geas's words and its verdicts', and whether that is a success, a failure or neither.
PASSED = frozenset({"passed", "pass", "shipped", "approved"})
FAILED = frozenset({"failed", "fail", "iterate", "blocked", "block", "escalated"})


class Application(msgspec.Struct, frozen=True):
    """What is written into an application log."""

    effect: str
    followup: str
    contradiction: bool


def hundredths(confidence: float) -> int:
    """Return the confidence as a whole number from 0 to 100."""
    return min(100, max(0, round(confidence * 100)))


def application(
    outcome: str,
    *,
    relevant: bool | None,
    contradicted: bool = False,
    signals: Mapping[str, Any] | None = None,
    tables: Tables,
) -> Application:
    """Return the effect of a memory on a task that ended so.

    `relevant` says whether the memory speaks about the area of the success or failure; None means nobody can
    tell. With the memory's `signals`, a failure that makes its reuse harmful asks for a review.
    """
    if contradicted:
        return Application("negative", "weaken", True)
    if outcome in PASSED:
        effect = "positive" if relevant else "neutral"
    elif outcome in FAILED:
        effect = "negative" if relevant else "neutral"
    else:
        effect = "unknown"
    return Application(effect, followup(effect, signals or {}, tables), False)


def followup(effect: str, signals: Mapping[str, Any], tables: Tables) -> str:
    """Return what should follow an effect, given the signals before it."""
    failures = signals.get("failed_reuses", 0) + _rule(effect, tables).counters.count("failed_reuses")
    harmful = failures > signals.get("failed_reuses", 0) and failures >= tables.effects.harmful_failures
    return "review_required" if harmful else "none"


def applied(signals: Mapping[str, Any], effect: str, tables: Tables, *, contradiction: bool = False) -> dict[str, Any]:
    """Return the signals after one application; confidence stays between 0 and 1."""
    rule = _rule(effect, tables)
    after = dict(signals)
    for counter in rule.counters:
        after[counter] += 1
    change = round(rule.confidence * 100)
    if contradiction:
        after["contradiction_count"] += 1
        change += round(tables.effects.contradiction * 100)
    # A confidence nobody touched keeps the digits it was read with.
    if change:
        after["confidence"] = min(100, max(0, hundredths(after["confidence"]) + change)) / 100
    return after


def harmful(signals: Mapping[str, Any], tables: Tables) -> bool:
    """Return whether reusing the memory has failed so often that it must be reviewed."""
    return bool(signals["failed_reuses"] >= tables.effects.harmful_failures)


def log_key(log: Mapping[str, Any]) -> tuple[str, str, str]:
    """Return what makes an application the same one: task, memory and agent (contradiction 15)."""
    return log["task_id"], log["memory_id"], log["applied_by_type"]


def _rule(effect: str, tables: Tables) -> policy.Effect:
    if effect not in EFFECTS:
        raise InvalidInput(f"{effect!r} is not an effect; expected one of {', '.join(EFFECTS)}.", field="effect")
    rule: policy.Effect = getattr(tables.effects, effect)
    return rule
