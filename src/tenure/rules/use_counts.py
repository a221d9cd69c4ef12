"""What came of using a memory: counters, confidence, and going under review when it does harm."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from typing import Any

from tenure.model.errors import BadRequest
from tenure.model.events import Event, EventType
from tenure.model.evolve import change, evolve
from tenure.model.memory import Memory
from tenure.model.policy import Policy
from tenure.rules.confidence import clamp
from tenure.text.words import nearest

# geas's five: risky counts towards harm but costs no confidence, unknown counts nothing but the log itself.
EFFECTS = ("positive", "negative", "neutral", "neutral_but_risky", "unknown")


def apply(
    memory: Memory,
    effect: str,
    policy: Policy,
    now: datetime,
    *,
    contradiction: bool = False,
    task: str = "",
    by: str = "",
    run_mark: int | None = None,
    is_report: bool = False,
    is_guess: bool = False,
    detail: dict[str, Any] | None = None,
) -> list[Event]:
    """Return what using the memory with this effect changes; nothing when the policy counts this use already.

    `is_report`: nobody but an agent says so. Where the policy does not count reports, it is a use and no success, and
    a failure puts the memory under review without counting. `is_guess`: it is read from how a session went, and tests
    turn green in a third of all sessions whatever was cited, so a success is counted and not called help. A failure
    of a memory whose guard is on is a report then, because the agent may have written what is read.
    """
    if effect not in EFFECTS:
        close = nearest(effect, EFFECTS)
        raise BadRequest(
            f"{effect!r} is not an effect; expected one of {', '.join(EFFECTS)}.",
            hint=f"Did you mean {' or '.join(close)}?" if close else "",
            field="effect",
        )
    pair = f"{task}/{by}"
    if policy.confidence.once_per_task_and_agent and task and pair in memory.applied:
        return []
    rules, signals = policy.confidence, memory.signals
    harmed = effect in ("negative", "neutral_but_risky")
    if (is_report and not rules.count_reports) or (is_guess and harmed and memory.guard_is_on):
        return _reported(memory, effect, policy, now, contradiction=contradiction, task=task, by=by, detail=detail)
    delta = {"positive": rules.positive, "negative": rules.negative}.get(effect, 0)
    delta += rules.contradiction if contradiction else 0
    fields: dict[str, Any] = {
        "reuse_count": signals.reuse_count + (effect != "unknown"),
        "successful_reuses": signals.successful_reuses + (effect == "positive"),
        "failed_reuses": signals.failed_reuses + harmed,
        "contradiction_count": signals.contradiction_count + contradiction,
        "confidence": clamp(signals.confidence + delta),
        "used_at": now,
    }
    if effect == "positive" and not is_guess:
        fields["helped_at"] = now
    if run_mark is not None:
        fields["run_mark"] = max(memory.run_mark, run_mark)
    add: dict[str, list[Any]] = {}
    if effect == "positive" and task and task not in memory.tasks:
        add["tasks"] = [task]
    if task and pair not in memory.applied:
        add["applied"] = [pair]
    facts = {"effect": effect, **({"contradiction": True} if contradiction else {}), **(detail or {})}
    event = change(memory, EventType.APPLIED, now, set=fields, add=add, actor=by, task=task, detail=facts)
    after = evolve(memory, event)
    assert after is not None
    held = harm(after, policy, now)
    return [event, held] if held else [event]


def _reported(
    memory: Memory,
    effect: str,
    policy: Policy,
    now: datetime,
    *,
    contradiction: bool,
    task: str,
    by: str,
    detail: dict[str, Any] | None,
) -> list[Event]:
    fields = {"reuse_count": memory.signals.reuse_count + (effect != "unknown"), "used_at": now}
    facts = {"effect": effect, "report": True, **({"contradiction": True} if contradiction else {}), **(detail or {})}
    event = change(memory, EventType.APPLIED, now, set=fields, actor=by, task=task, detail=facts)
    after = evolve(memory, event)
    assert after is not None
    bad = effect in ("negative", "neutral_but_risky") or contradiction
    held = None
    # A report must not switch off a check that stops the one who reports; a person still reads it in the history.
    if bad and not memory.guard_is_on and policy.promotion.hold.state in policy.states:
        held = hold(after, policy, now, reason="an agent reports that it did harm")
    return [event, held] if held else [event]


def harm(memory: Memory, policy: Policy, now: datetime) -> Event | None:
    """Return the event that puts a live memory under review because it does harm, or None."""
    limits, signals = policy.promotion.hold, memory.signals
    if limits.state not in policy.states:
        return None
    if limits.failures and signals.failed_reuses >= limits.failures:
        return hold(memory, policy, now, reason=f"{signals.failed_reuses} uses failed")
    if signals.confidence < limits.confidence_below:
        return hold(memory, policy, now, reason=f"confidence fell to {signals.confidence / 100:g}")
    return None


def hold(
    memory: Memory, policy: Policy, now: datetime, *, reason: str, actor: str = "", also_from: Collection[str] = ()
) -> Event | None:
    """Return the event that takes a memory out of use until someone decides; None when it is not live."""
    if memory.phase != "live" and memory.state not in also_from:
        return None
    state = policy.promotion.hold.state
    return change(
        memory,
        EventType.HELD,
        now,
        set={
            "state": state,
            "phase": policy.phase(state),
            # What decayed goes back, if at all, to what it was before.
            "previous_state": memory.state if memory.phase == "live" else memory.previous_state,
            "times_held": memory.times_held + 1,
        },
        reason=reason,
        actor=actor,
        detail={"from": memory.state, "to": state},
    )
