"""Verdicts: who decided what about a memory, and what follows.

A verdict takes effect at once when everything else it needs is there; an approval that comes early is kept and counts
as soon as the numbers arrive.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import msgspec

from tenure.model.errors import BadRequest, Refused
from tenure.model.events import Event, EventType
from tenure.model.evolve import change, evolve
from tenure.model.memory import Approval, Memory
from tenure.model.policy import Policy, Step
from tenure.rules import promote
from tenure.rules.queue_order import ordinal
from tenure.rules.transitions import fresh_start, leave
from tenure.rules.use_counts import hold

# In an event's detail: what the reviewer must be told although the event stands.
REFUSED = "refused"
DECISIONS: dict[str, str] = {
    "approve": "agree to the next promotion",
    "promote_provisional": "agree to promote it to provisional",
    "promote_stable": "agree to promote it to stable",
    "promote_canonical": "agree to promote it to canonical",
    "keep": "reaffirm it; under review, reinstate it",
    "weaken": "put it back to provisional",
    "supersede": "let another memory take its place (--successor)",
    "reject": "it is wrong or useless",
    "archive": "put it aside, keep it",
    "request_review": "take it out of use until someone decides",
}


def decide(
    memory: Memory, decision: str, policy: Policy, now: datetime, *, by: str, user: str = "", rationale: str = ""
) -> list[Event]:
    """Return what a verdict other than `supersede` changes; the first event names the verdict.

    `by` is a label; `user` is who it was, where that is known.
    """
    events = _decided(memory, decision, policy, now, by=by, user=user, rationale=rationale)
    # What the rule does instead of the verdict is not the reviewer's.
    return events if any(REFUSED in event.detail for event in events) else named(events, decision)


def named(events: Sequence[Event], decision: str) -> list[Event]:
    """Return the events, the first of which now says by which verdict they came."""
    if not events:
        return []
    first, *rest = events
    return [msgspec.structs.replace(first, detail={**first.detail, "decision": decision}), *rest]


def _decided(
    memory: Memory, decision: str, policy: Policy, now: datetime, *, by: str, user: str, rationale: str
) -> list[Event]:
    facts: dict[str, Any] = {"actor": by, "reason": rationale or DECISIONS.get(decision, "")}
    if decision == "request_review":
        return _request(memory, policy, now, facts)
    if decision == "keep":
        return _keep(memory, policy, now, facts)
    if decision == "weaken":
        return _weaken(memory, policy, now, facts)
    if decision == "reject":
        return leave(memory, EventType.REJECTED, policy, now, **facts)
    if decision == "archive":
        return leave(memory, EventType.ARCHIVED, policy, now, **facts)
    named = decision.removeprefix("promote_") if decision.startswith("promote_") else ""
    if named in policy.states or (decision in DECISIONS and decision != "supersede"):
        return _approve(memory, decision, policy, now, user, facts)
    raise BadRequest(f"{decision!r} is not a decision; expected one of {', '.join(DECISIONS)}.", field="decision")


def awaited_verdict(memory: Memory, policy: Policy) -> str:
    """Return the verdict a memory that is due waits for: the next promotion when only that is missing, else keep."""
    step = policy.step_from(memory.state)
    ready = memory.phase == "pending" or all(need.code == "approvals" for need in promote.needs(memory, policy))
    return f"promote_{step.to}" if step and ready else "keep"


def choices(memory: Memory, policy: Policy) -> tuple[str, str]:
    """Return the verdicts that keep a memory and drop it; empty where there is no such verdict any more."""
    if memory.phase == "gone":
        return "", ""
    if memory.phase == "held":
        return ("" if exhausted(memory, policy) else "keep"), "reject"
    return awaited_verdict(memory, policy), "reject"


def exhausted(memory: Memory, policy: Policy) -> bool:
    """Tell whether the memory was under review so often that it may not be reinstated again."""
    return memory.times_held >= policy.promotion.hold.rounds


def _approve(
    memory: Memory, decision: str, policy: Policy, now: datetime, user: str, facts: dict[str, Any]
) -> list[Event]:
    step = policy.step_from(memory.state)
    wanted = step.to if step and decision == "approve" else decision.removeprefix("promote_")
    if step is None or step.to != wanted:
        can = f"its next state is {step.to}" if step else "there is no state above it"
        what = "promoted" if decision == "approve" else f"promoted to {wanted}"
        raise Refused(f"{memory.id} is {memory.state}: {can}, so it cannot be {what}.", hint=_instead(memory, policy))
    approval = Approval(by=facts["actor"], to=step.to, at=now, user=user)
    known = promote.identity(approval) in {promote.identity(each) for each in memory.approvals if each.to == step.to}
    reviewed = change(
        memory,
        EventType.REVIEWED,
        now,
        add={} if known else {"approvals": [approval]},
        **facts,
    )
    after = evolve(memory, reviewed)
    assert after
    raised = _raised(after, step, policy, now, facts)
    return [reviewed, raised] if raised else [reviewed]


def _instead(memory: Memory, policy: Policy) -> str:
    """Return what can be decided about a memory that has no next state, or another one."""
    if memory.phase == "gone":
        return f"Bring it back first: tenure restore {memory.id}"
    if memory.phase == "held":
        return "Decide supersede, archive or reject." if exhausted(memory, policy) else "Decide keep to reinstate it."
    return ""


def _raised(memory: Memory, step: Step, policy: Policy, now: datetime, facts: dict[str, Any]) -> Event | None:
    if promote.needs(memory, policy):
        return None
    return promote.raised(memory, step, policy, now, actor=facts["actor"])


def _keep(memory: Memory, policy: Policy, now: datetime, facts: dict[str, Any]) -> list[Event]:
    if memory.phase == "held" and exhausted(memory, policy) and policy.promotion.hold.exhausted == "archive":
        # The reviewer is told no, and what can no longer come back is put aside: a decision of the rule, not theirs.
        refusal = f"{_too_often(memory)} and cannot be reinstated; it was archived."
        reason = f"under review for the {ordinal(memory.times_held)} time"
        (gone,) = leave(memory, EventType.ARCHIVED, policy, now, reason=reason)
        return [msgspec.structs.replace(gone, detail={**gone.detail, REFUSED: refusal})]
    if memory.phase == "held":
        return [_reinstated(memory, policy, now, facts)]
    if memory.phase == "gone":
        raise Refused(f"{memory.id} is {memory.state}.", hint=f"Bring it back with: tenure restore {memory.id}")
    fields = {"verified_at": now}
    if memory.phase == "live":
        fields |= promote.review_date(now, promote.review_days(memory.state, policy))
    return [change(memory, EventType.KEPT, now, set=fields, **facts)]


def _reinstated(memory: Memory, policy: Policy, now: datetime, facts: dict[str, Any]) -> Event:
    if exhausted(memory, policy):
        raise Refused(f"{_too_often(memory)} and cannot be reinstated.", hint="Decide supersede, archive or reject.")
    back = memory.previous_state or policy.promotion.hold.weakened_to
    fields = {
        "state": back,
        "phase": policy.phase(back),
        "previous_state": None,
        "failed_reuses": 0,
        **fresh_start(memory, policy),
        **promote.review_date(now, promote.review_days(back, policy)),
    }
    return change(memory, EventType.REINSTATED, now, set=fields, detail={"to": back}, **facts)


def _weaken(memory: Memory, policy: Policy, now: datetime, facts: dict[str, Any]) -> list[Event]:
    to = policy.promotion.hold.weakened_to
    ladder = [step.to for step in policy.promotion.steps]
    current = memory.previous_state if memory.phase == "held" else memory.state
    if current not in ladder or ladder.index(current) <= ladder.index(to):
        raise Refused(f"{memory.id} is {memory.state}: there is no state between it and {to} to weaken it from.")
    if memory.phase == "held" and exhausted(memory, policy) and not policy.promotion.hold.weaken_exhausted:
        raise Refused(f"{_too_often(memory)}.", hint="Decide supersede, archive or reject.")
    fields = {
        "state": to,
        "phase": policy.phase(to),
        "previous_state": None,
        "failed_reuses": 0,
        # Approvals given for the higher state were given to something stronger.
        "approvals": [approval for approval in memory.approvals if approval.to == to],
        **promote.review_date(now, promote.review_days(to, policy)),
    }
    return [change(memory, EventType.WEAKENED, now, set=fields, detail={"from": current, "to": to}, **facts)]


def _request(memory: Memory, policy: Policy, now: datetime, facts: dict[str, Any]) -> list[Event]:
    if policy.promotion.hold.state not in policy.states:
        raise Refused(f"{policy.name} has no state for a memory under review.", hint="Retire or archive it instead.")
    if memory.phase == "held":
        return []
    also = policy.promotion.hold.also_from
    held = hold(memory, policy, now, reason=facts["reason"], actor=facts["actor"], also_from=also)
    if held is None:
        allowed = " or ".join(["live", *also])
        raise Refused(f"{memory.id} is {memory.state}; only a {allowed} memory can be taken under review.")
    return [held]


def _too_often(memory: Memory) -> str:
    return f"{memory.id} is under review for the {ordinal(memory.times_held)} time"
