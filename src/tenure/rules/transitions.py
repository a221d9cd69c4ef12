"""Moves a person asks for: retire, archive, restore, supersede. All of them can be reversed."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from tenure.model.errors import Refused
from tenure.model.events import Event, EventType
from tenure.model.evolve import change
from tenure.model.memory import Memory
from tenure.model.policy import Policy
from tenure.rules.confidence import reinstated
from tenure.rules.promote import review_date, review_days

_PAST = {
    EventType.ARCHIVED: "archived",
    EventType.REJECTED: "rejected",
    EventType.SUPERSEDED: "superseded",
}


def leave(memory: Memory, type: EventType, policy: Policy, now: datetime, **facts: Any) -> list[Event]:
    """Return the event that retires, archives or rejects a memory; nothing when it is in that state already."""
    state = _state_after(type, policy)
    if memory.state == state:
        return []
    if memory.phase == "gone" and memory.state != policy.decay.state:
        raise Refused(
            f"{memory.id} is {memory.state} and cannot be {state}.",
            hint=f"Bring it back first: tenure restore {memory.id}",
        )
    return [_left(memory, type, state, policy, now, **facts)]


def _state_after(type: EventType, policy: Policy) -> str:
    """Return the state of that name, or where a system without it puts what is taken out of use."""
    named = _PAST.get(type, "")
    return named if named in policy.states else policy.retention.retired_state


def _left(memory: Memory, type: EventType, state: str, policy: Policy, now: datetime, **facts: Any) -> Event:
    fields: dict[str, Any] = {"state": state, "phase": policy.phase(state)}
    if memory.phase in ("pending", "live"):
        # Held or gone, the state to come back to is the one from before.
        fields["previous_state"] = memory.state
    if type is EventType.RETIRED or state == "retired":
        fields["retired_at"] = now
    fields.update(facts.pop("set", {}))
    return change(memory, type, now, set=fields, detail={"from": memory.state, "to": state}, **facts)


def as_proposed(memory: Memory, policy: Policy) -> dict[str, Any]:
    """Return the fields that make a memory a proposal again: what an agent changed or brought back waits as one.

    Where a system has no state to wait in, there are none.
    """
    start = policy.promotion.start
    if policy.phase(start) != "pending":
        return {}
    return {"state": start, "phase": "pending", "previous_state": None, "approvals": []}


def restore(
    memory: Memory, policy: Policy, now: datetime, *, only_from: str | None = None, runs_now: int = 0, **facts: Any
) -> list[Event]:
    """Return the event that brings a gone memory back to the state it had; nothing when it is not gone."""
    if memory.phase != "gone":
        return []
    if only_from and memory.state != only_from:
        raise Refused(
            f"{memory.id} is {memory.state}, not {only_from}.",
            hint=f"Bring it back with: tenure restore {memory.id}",
        )
    if memory.superseded_by:
        raise Refused(
            f"{memory.id} was superseded by {memory.superseded_by}.",
            hint="Undo the supersession with `tenure undo`.",
        )
    if memory.state in policy.retention.final_states:
        raise Refused(
            f"{memory.id} was {memory.state} for good.",
            hint="Write a new memory; a verdict given by mistake is reversed with `tenure undo`.",
        )
    back, before = memory.previous_state or policy.promotion.start, None
    if policy.phase(back) == "live" and memory.times_held >= policy.promotion.hold.rounds:
        # It left because it may not be reinstated again; coming back does not change that.
        back, before = policy.promotion.hold.state, back
    fields: dict[str, Any] = {
        "state": back,
        "phase": policy.phase(back),
        "previous_state": before,
        "retired_at": None,
        "superseded_by": None,
    }
    if policy.phase(back) == "live":
        fields |= {**review_date(now, review_days(back, policy)), "run_mark": max(memory.run_mark, runs_now)}
        if memory.state == policy.decay.state or _harmful(memory, policy):
            fields |= {**fresh_start(memory, policy), "failed_reuses": 0}
    fields.update(facts.pop("set", {}))
    return [change(memory, EventType.RESTORED, now, set=fields, detail={"from": memory.state, "to": back}, **facts)]


def _harmful(memory: Memory, policy: Policy) -> bool:
    """Tell whether a memory in use would be under review: it left from there, and a person brings it back."""
    hold, signals = policy.promotion.hold, memory.signals
    if hold.state not in policy.states:
        return False
    return 0 < hold.failures <= signals.failed_reuses or signals.confidence < hold.confidence_below


def fresh_start(memory: Memory, policy: Policy) -> dict[str, int]:
    """Return the signals of a memory that a person brings back: such that the next sweep does not undo it."""
    signals = memory.signals
    return {
        "confidence": reinstated(signals.confidence, signals.evidence_count, policy),
        "contradiction_count": min(signals.contradiction_count, max(0, policy.decay.contradictions - 1)),
    }


def supersede(old: Memory, new: Memory, policy: Policy, now: datetime, **facts: Any) -> tuple[list[Event], list[Event]]:
    """Return what happens to the old memory and to its successor."""
    if old.id == new.id:
        raise Refused(f"{old.id} cannot supersede itself.")
    if old.superseded_by == new.id:
        return [], []
    if old.superseded_by:
        raise Refused(f"{old.id} was superseded by {old.superseded_by} already.", hint="Undo that first: tenure undo")
    if new.phase == "gone":
        raise Refused(f"{new.id} is {new.state} and cannot take the place of {old.id}.")
    state = _state_after(EventType.SUPERSEDED, policy)
    gone = _left(old, EventType.SUPERSEDED, state, policy, now, set={"superseded_by": new.id}, **facts)
    took = change(new, EventType.SUCCEEDED, now, add={"supersedes": [old.id]}, detail={"old": old.id}, **facts)
    return [gone], [took]
