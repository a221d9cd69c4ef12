"""The ladder: what a memory needs for the next state, and the step up once it has it.

A memory never skips a rung, and never rises while someone still has to look at it.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

import msgspec

from tenure.model import clock
from tenure.model.events import Event, EventType
from tenure.model.evolve import change
from tenure.model.memory import Approval, Memory
from tenure.model.policy import Policy, Step

# The name of the policy of Tenure's own store.
NATIVE = "tenure"


class Need(msgspec.Struct, frozen=True):
    """One condition a memory does not meet yet."""

    code: str
    have: int
    need: int
    text: str


def needs(memory: Memory, policy: Policy) -> list[Need]:
    """Return exactly what is missing for the next state; empty when nothing is, or when there is no next state."""
    step = policy.step_from(memory.state)
    if step is None:
        return []
    numbers, approvals = _numbers(memory, step, policy), _approvals(memory, step, policy)
    if step.either:
        return [] if not numbers or not approvals else [*numbers, *_alternatives(approvals)]
    return [*numbers, *approvals]


def waits_for_approval(memory: Memory, policy: Policy) -> str:
    """Return the approval that alone is missing for the next state, in words; empty when more is, or nothing."""
    step = policy.step_from(memory.state)
    # Of most memories this is asked in vain: what is missing need not be put into words for that.
    if step is None or memory.signals.successful_reuses < step.successes or len(memory.tasks) < step.tasks:
        return ""
    if memory.signals.evidence_count < step.evidence:
        return ""
    missing = needs(memory, policy)
    return missing[0].text if missing and all(need.code == "approvals" for need in missing) else ""


def promotion(memory: Memory, policy: Policy, now: datetime, *, mode: str = "inline", **facts: Any) -> Event | None:
    """Return the step up the memory has earned, or None.

    In `inline` mode numbers alone are enough where the policy allows it; in `batch` mode a reviewer must have agreed.
    """
    step = policy.step_from(memory.state)
    if step is None or needs(memory, policy):
        return None
    if mode == "batch" and _approvals(memory, step, policy):
        return None
    return raised(memory, step, policy, now, **facts)


def raised(memory: Memory, step: Step, policy: Policy, now: datetime, **facts: Any) -> Event:
    """Return the event that takes the memory up this step and sets its next review date."""
    facts.setdefault("reason", _earned(memory, step))
    return change(
        memory,
        EventType.PROMOTED,
        now,
        set={"state": step.to, "phase": policy.phase(step.to), **review_date(now, step.review_days)},
        detail={"from": step.source, "to": step.to},
        **facts,
    )


def review_date(now: datetime, days: int) -> dict[str, datetime]:
    """Return the fields that make the memory come up for review after so many days; none for no days."""
    return {"review_after": clock.after(now, days), "review_set_at": now} if days else {}


def review_days(state: str, policy: Policy) -> int:
    """Return the review interval of a state; a state outside the ladder has the first rung's, no ladder none."""
    step = policy.step_to(state) or next(iter(policy.promotion.steps), None)
    return step.review_days if step else 0


def approvers(memory: Memory, to: str) -> list[str]:
    """Return the reviewers whose consent to a promotion counts, by the names they gave."""
    named: dict[tuple[str, ...], str] = {}
    for approval in memory.approvals:
        if approval.to == to:
            named.setdefault(identity(approval), approval.by)
    return list(named.values())


def identity(approval: Approval) -> tuple[str, ...]:
    """Return whose consent it is: consents of one identity count once.

    Names are labels that anybody can type, so the user of the machine counts where it is known; one person alone
    agrees a second time on another day. Elsewhere a name in other letters is the same person.
    """
    if approval.user:
        return (approval.user, f"{approval.at:%Y-%m-%d}")
    return (approval.by.casefold(),)


def _numbers(memory: Memory, step: Step, policy: Policy) -> list[Need]:
    signals, missing = memory.signals, []
    if signals.evidence_count < step.evidence:
        text = f"evidence from {step.evidence} different runs, has {signals.evidence_count}"
        missing.append(Need("evidence", signals.evidence_count, step.evidence, text))
    if step.evidence and memory.trust not in policy.promotion.evidence_suffices_for:
        text = f"a reviewer, because its origin is {memory.trust}"
        missing.append(Need("trust", 0, 1, text))
    if signals.successful_reuses < step.successes:
        text = f"{step.successes} successful uses, has {signals.successful_reuses}"
        missing.append(Need("successes", signals.successful_reuses, step.successes, text))
    if len(memory.tasks) < step.tasks:
        text = f"success in {step.tasks} different tasks, has {len(memory.tasks)}"
        missing.append(Need("tasks", len(memory.tasks), step.tasks, text))
    if signals.contradiction_count and not step.contradictions_allowed:
        text = f"no contradictions, has {signals.contradiction_count}"
        missing.append(Need("contradictions", signals.contradiction_count, 0, text))
    return missing


def approval(policy: Policy) -> str:
    """Return whose yes a memory waits for; in the other systems a reviewer may be no person."""
    return "a person's approval in tenure review" if policy.name == NATIVE else "a reviewer's approval"


def _approvals(memory: Memory, step: Step, policy: Policy) -> list[Need]:
    have = len(approvers(memory, step.to))
    if have >= step.approvals:
        return []
    several = f"approval by {step.approvals} different reviewers, has {have}"
    text = approval(policy) if step.approvals == 1 else several
    return [Need("approvals", have, step.approvals, text)]


def _alternatives(approvals: list[Need]) -> list[Need]:
    return [Need(need.code, need.have, need.need, f"or else {need.text}") for need in approvals]


def _earned(memory: Memory, step: Step) -> str:
    parts = []
    if step.evidence and memory.signals.evidence_count >= step.evidence:
        parts.append(f"{memory.signals.evidence_count} pieces of evidence")
    if step.successes:
        parts.append(f"{memory.signals.successful_reuses} successful uses")
    if approved := approvers(memory, step.to):
        parts.append(f"approved by {', '.join(approved)}")
    return ", ".join(parts)
