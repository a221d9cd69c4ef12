"""Which memories fade: by review date, contradiction, lost confidence, or runs that no longer see them.

Two clocks run here. One counts days to the review date; a memory used since that date was set is not decayed but
comes up for review. The other counts runs; it costs one piece of evidence at a time.
"""

from __future__ import annotations

from datetime import datetime

from tenure.model import clock
from tenure.model.events import Event, EventType
from tenure.model.evolve import change
from tenure.model.memory import Memory
from tenure.model.policy import Policy
from tenure.rules.confidence import after_evidence
from tenure.rules.queue_order import overdue
from tenure.rules.transitions import leave


def decay(memory: Memory, policy: Policy, now: datetime, *, runs_now: int = 0) -> list[Event]:
    """Return what a sweep does to this memory: nothing, a lost piece of evidence, or decay."""
    if memory.phase != "live":
        return []
    rules, signals = policy.decay, memory.signals
    if expired := _expired(memory, policy, now):
        return expired
    if 0 < rules.contradictions <= signals.contradiction_count:
        return [_decayed(memory, policy, now, f"{signals.contradiction_count} contradictions")]
    if signals.confidence < rules.confidence_below:
        return [_decayed(memory, policy, now, f"confidence {signals.confidence / 100:g}")]
    if spared(memory, policy) or _guards(memory, now):
        return []
    if overdue(memory, policy, now) and not used_in_time(memory, policy):
        assert memory.review_after
        return [_decayed(memory, policy, now, f"not used by its review date {memory.review_after:%Y-%m-%d}")]
    return _fade(memory, policy, now, runs_now)


def used_in_time(memory: Memory, policy: Policy) -> bool:
    """Tell whether the memory was used since its review date was last set, or since that date itself."""
    since = memory.review_set_at if policy.decay.used_since == "set" else memory.review_after
    return bool(memory.used_at and (since is None or memory.used_at >= since))


def spared(memory: Memory, policy: Policy) -> bool:
    """Tell whether disuse does not count: a preference stays until the user changes their mind."""
    return memory.stated and memory.kind in policy.decay.kept_when_stated


def _guards(memory: Memory, now: datetime) -> bool:
    """Tell whether a guard acts for the memory: it is at work at every call, whether it is shown or not."""
    guard = memory.guard
    return guard is not None and guard.state == "on" and (guard.until is None or guard.until > now)


def _expired(memory: Memory, policy: Policy, now: datetime) -> list[Event]:
    """Return the retirement of a memory that nobody changed for as long as its kind is kept."""
    limit = policy.retention.expire_days.get(memory.kind, 0)
    days = clock.age(memory.updated_at, now).days
    if not limit or days < limit:
        return []
    return leave(memory, EventType.RETIRED, policy, now, reason=f"not changed for {days} days, kept for {limit}")


def _fade(memory: Memory, policy: Policy, now: datetime, runs_now: int) -> list[Event]:
    step = policy.decay.unseen_runs
    if not step or runs_now - memory.run_mark < step:
        return []
    count = memory.signals.evidence_count
    if count <= 1:
        reason = f"unseen for {runs_now - memory.run_mark} runs, no evidence left"
        return [_decayed(memory, policy, now, reason, evidence_count=0)]
    confidence = after_evidence(memory.signals.confidence, count, count - 1, policy)
    return [
        change(
            memory,
            EventType.FADED,
            now,
            # One step per sweep, however long nobody swept (docs/guarantees.md, R11).
            set={"evidence_count": count - 1, "confidence": confidence, "run_mark": memory.run_mark + step},
            reason=f"unseen for {runs_now - memory.run_mark} runs",
        )
    ]


def _decayed(memory: Memory, policy: Policy, now: datetime, reason: str, **signals: int) -> Event:
    to = policy.decay.state
    return change(
        memory,
        EventType.DECAYED,
        now,
        set={"state": to, "phase": policy.phase(to), "previous_state": memory.state, **signals},
        reason=reason,
        detail={"from": memory.state, "to": to},
    )
