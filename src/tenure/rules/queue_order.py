"""Who waits for a person's verdict, why, and in which order: first where a verdict is worth most.

The one ordering of the review queue; `tenure review`, its JSON and the web page all use it. There are no weights:
each criterion only breaks ties of the one before it, so a memory's place can be explained in words. It is decided
when the memory is written, except for time: a memory whose review date has not come yet is placed by that date.
"""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime

import msgspec

from tenure.model import clock
from tenure.model.memory import TRUST_ORDER, Memory, Queued
from tenure.model.policy import Policy
from tenure.rules import promote

# (whether something else can still go on, whose words they are, all the rest as a text that sorts)
Place = tuple[bool, int, str]
# To be raised when the order or the reasons change, so that old places do not count.
VERSION = 1
_MOST = 10**6 - 1
_MOST_MICROSECONDS = 10**17 - 1
_BEFORE_EVERYTHING = datetime.min.replace(tzinfo=UTC)
# Policies are frozen; the last one that was asked for, and the number of its rules.
_known: tuple[Policy, int] | None = None


def why_due(memory: Memory, policy: Policy, now: datetime) -> list[str]:
    """Return the reasons why someone should look at this memory now; empty when nobody needs to."""
    reasons = []
    if memory.phase == "held":
        times = f" for the {ordinal(memory.times_held)} time" if memory.times_held else ""
        reasons.append(f"under review{times}")
    if memory.phase == "pending":
        waits_for = {need.code: need.text.removeprefix("or else ") for need in promote.needs(memory, policy)}
        # Who has to be asked because of its origin need not be told that an approval is missing.
        reasons += [waits_for[code] for code in ("trust", "approvals") if code in waits_for][:1]
        step = policy.step_from(memory.state)
        if step and not promote.needs(memory, policy) and not policy.promotion.at_once:
            reasons.append(f"has the numbers for {step.to}, and waits for a promotion")
    if memory.phase == "live":
        if missing := promote.waits_for_approval(memory, policy):
            step = policy.step_from(memory.state)
            assert step
            reasons.append(f"has the numbers for {step.to}; needs {missing}")
        if overdue(memory, policy, now):
            assert memory.review_after
            reasons.append(f"its review date {memory.review_after:%Y-%m-%d} has passed")
    if memory.conflicts and memory.phase != "gone":
        reasons.append(f"contradicts {', '.join(memory.conflicts)}")
    return reasons


def overdue(memory: Memory, policy: Policy, now: datetime) -> bool:
    """Tell whether the review date of a live memory has passed."""
    return policy.decay.by_review_date and memory.review_after is not None and memory.review_after < now


def place(memory: Memory, *, quoted: bool = False) -> Place:
    """Return the sort key of a memory that waits, smallest first; `quoted` when a person's words are kept with it.

    1. Nothing can go on without a verdict: it is under review, or agents are given both sides of a contradiction.
    2. Who says it: a person in their own words, then each class of trust.
    3. More runs saw it. 4. It was used more often. 5. It is more certain. 6. It changed last.
    """
    said = 0 if quoted else TRUST_ORDER.index(memory.trust)
    signals = memory.signals
    counts = f"{_MOST - min(signals.evidence_count, _MOST):06}{_MOST - min(signals.reuse_count, _MOST):06}"
    changed = _MOST_MICROSECONDS - round(memory.updated_at.timestamp() * 1_000_000)
    return not is_stuck(memory), said, f"{counts}{999 - signals.confidence:03}{changed:017}{memory.id}"


def is_stuck(memory: Memory) -> bool:
    """Tell whether a memory is under review or contradicts another, so that only a verdict helps."""
    return memory.phase == "held" or bool(memory.conflicts)


def queued(memory: Memory, policy: Policy) -> Queued | None:
    """Return where a memory stands among what waits for a person; None for what is gone."""
    if memory.phase == "gone":
        return None
    rules, contested = rules_number(policy), bool(memory.conflicts)
    since = ""
    if not why_due(memory, policy, _BEFORE_EVERYTHING):
        if memory.phase != "live" or memory.review_after is None or not policy.decay.by_review_date:
            return Queued(contested, True, len(TRUST_ORDER), "", "", rules)
        since = clock.stamp(memory.review_after)
    free, said, rest = place(memory)
    return Queued(contested, free, said, rest, since, rules)


def rules_number(policy: Policy) -> int:
    """Return a number that is another one where another policy would place memories differently."""
    global _known
    if _known is None or _known[0] is not policy:
        decisive = (VERSION, policy.promotion, policy.decay.by_review_date, policy.states)
        digest = hashlib.sha256(msgspec.json.encode(decisive)).digest()
        _known = policy, int.from_bytes(digest[:6]) or 1
    return _known[1]


def ordinal(number: int) -> str:
    """Return the word for the place of a number in a row."""
    return {1: "first", 2: "second", 3: "third"}.get(number, f"{number}th")
