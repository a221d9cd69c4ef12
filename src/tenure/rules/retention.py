"""Which retired memories `usecases.gc` removes for good, and which session summaries leave the rolling window.

The native policy says 30 days (`systems/native/policy.toml`).
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from tenure.model import clock
from tenure.model.events import Event, EventType
from tenure.model.evolve import change
from tenure.model.memory import Memory
from tenure.model.policy import Policy
from tenure.text.words import words

# Share of an item's words that must stand elsewhere before the item counts as kept there.
_KEPT_ELSEWHERE = 0.6


def purgeable(memory: Memory, policy: Policy, now: datetime) -> bool:
    """Tell whether a memory's grace period is over; archived memories have none."""
    if memory.state not in policy.retention.purge_states:
        return False
    return clock.age(memory.retired_at or memory.updated_at, now) >= timedelta(days=policy.retention.grace_days)


def kept(memory: Memory, policy: Policy, now: datetime, *, reason: str) -> Event:
    """Return the event that archives a retired memory where others would purge it."""
    state = "archived"
    return change(
        memory,
        EventType.ARCHIVED,
        now,
        set={"state": state, "phase": policy.phase(state), "retired_at": None},
        reason=f"kept at gc; {reason}",
        detail={"from": memory.state, "to": state},
    )


def why_purged(policy: Policy) -> str:
    """Say why a retired memory is let go for good."""
    return f"retired for {policy.retention.grace_days} days"


def window(policy: Policy) -> int:
    """Return how many session summaries are kept."""
    return policy.write.session_window


def beyond_window(summaries: Sequence[Memory], policy: Policy, *, taken: int = 0) -> list[Memory]:
    """Return the session summaries that no longer fit the rolling window, oldest first; `taken` places are full."""
    ordered = sorted(summaries, key=lambda memory: (memory.created_at, memory.id))
    return ordered[: max(0, len(ordered) + taken - window(policy))]


def only_here(summary: Memory, others: Sequence[Memory]) -> list[str]:
    """Return what a session summary says that no other memory does."""
    known = [
        set(words(f"{memory.title} {memory.text} {memory.content}")) for memory in others if memory.id != summary.id
    ]
    items = [
        item
        for field in ("completed", "blockers", "next_actions")
        for item in summary.content.get(field, ())
        if isinstance(item, str)
    ] or [summary.title]
    unique = []
    for item in items:
        mine = set(words(item))
        if mine and not any(len(mine & theirs) / len(mine) >= _KEPT_ELSEWHERE for theirs in known):
            unique.append(item)
    return unique
