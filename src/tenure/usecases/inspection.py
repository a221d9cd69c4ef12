"""Looking without touching: why a memory stands where it does, what waits, what is damaged."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

import msgspec

from tenure.model import clock
from tenure.model.errors import AmbiguousId, UnknownId
from tenure.model.memory import Memory
from tenure.model.policy import Policy
from tenure.rules import promote, review
from tenure.rules.staleness import staleness
from tenure.store import opening
from tenure.store.api import Store
from tenure.text.words import nearest, one_line
from tenure.usecases.locate import Place

# So many ids are named when a beginning could be any of them.
MOST_NAMED = 20


class Why(msgspec.Struct, frozen=True, kw_only=True):
    """Whether a memory may be injected, what it needs next, and what else should be known."""

    id: str
    state: str
    eligible: bool
    next_state: str | None
    reasons: list[promote.Need]
    staleness: float
    injections: list[dict[str, Any]]


def named(store: Store, id: str) -> str:
    """Return the full id that an id or its beginning names; say which ones it could be, or come near."""
    if store.get(id) is not None:
        return id
    found = store.ids(id, MOST_NAMED) if id else []
    if len(found) == 1:
        return found[0]
    shown = one_line(id, 60)
    if found:
        raise AmbiguousId(f"{shown!r} could be any of {', '.join(found)}.", hint="Give more of the id.")
    close = nearest(id, store.ids())
    hint = f"Did you mean {' or '.join(close)}?" if close else "`tenure list --all` shows what there is."
    raise UnknownId(f"There is no memory {shown!r}.", hint=hint)


def why(memory: Memory, policy: Policy, now: datetime, store: Store) -> Why:
    """Return the exact conditions a memory still misses, and its contradictions."""
    step = policy.step_from(memory.state)
    reasons = []
    if memory.phase == "pending" and step:
        reasons.append(promote.Need("pending", 0, 1, f"it is a {memory.state} and may not influence an agent yet"))
    if memory.phase == "held":
        times = f"under review ({memory.times_held} of {policy.promotion.hold.rounds} times)"
        reasons.append(promote.Need("held", memory.times_held, policy.promotion.hold.rounds, times))
    if memory.phase == "gone":
        after = f", superseded by {memory.superseded_by}" if memory.superseded_by else ""
        reasons.append(promote.Need("gone", 0, 1, f"it is {memory.state}{after}"))
    if step:
        reasons += [
            promote.Need(need.code, need.have, need.need, f"for {step.to}: {need.text}")
            for need in promote.needs(memory, policy)
        ]
    for other in memory.conflicts:
        row = store.get(other)
        if row and row.memory.phase != "gone":
            text = f"contradicts {other} ({row.memory.state}): {row.memory.title}"
            reasons.append(promote.Need("contradicts", 1, 0, text))
    return Why(
        id=memory.id,
        state=memory.state,
        eligible=memory.phase == "live",
        next_state=step.to if step else None,
        reasons=reasons,
        staleness=round(staleness(memory, policy, now), 1),
        injections=[shown.facts() for shown in store.activity.shown(5, id=memory.id)],
    )


def queue(
    store: Store, policy: Policy, now: datetime, reviewer: Callable[[Memory, Policy], str]
) -> list[dict[str, Any]]:
    """Return the memories someone should look at: held first, then overdue, then promotions waiting."""
    waiting = []
    rows = store.find(phases=("held", "live", "pending"))
    here = {row.memory.id for row in rows}
    for row in rows:
        memory = row.memory
        # A contradiction with what is gone is settled.
        memory = msgspec.structs.replace(memory, conflicts=tuple(id for id in memory.conflicts if id in here))
        if reasons := review.why_due(memory, policy, now):
            undecided = memory.phase == "held" or bool(memory.conflicts)
            needs = "a decision" if undecided else review.asked(memory, policy)
            waiting.append(
                {
                    "id": memory.id,
                    "title": memory.title,
                    "state": memory.state,
                    "needs": needs,
                    "reviewer": reviewer(memory, policy),
                    "why": "; ".join(reasons),
                }
            )
    order = {"a decision": 0}
    return sorted(waiting, key=lambda item: order.get(item["needs"], 1))


def status(store: Store, place: Place, policy: Policy, now: datetime) -> dict[str, Any]:
    """Return counts by state, what is due, sizes and where the store is."""
    states: dict[str, int] = {}
    kinds: dict[str, int] = {}
    for (_, state, kind), count in store.counts().items():
        states[state] = states.get(state, 0) + count
        kinds[kind] = kinds.get(kind, 0) + count
    size = place.path.stat().st_size if place.path.is_file() else 0
    return {
        "store": place.url,
        "chosen_by": place.origin,
        "policy": policy.name,
        "memories": sum(states.values()),
        "states": {state: states[state] for state in policy.states if state in states},
        "kinds": kinds,
        "due": len(store.find(phases=("live",), due=now)),
        "runs": store.activity.runs(),
        "bytes": size,
        "now": clock.stamp(now),
    }


def check(store: Store, policy: Policy, progress: Callable[[int, int], None] | None = None) -> list[dict[str, str]]:
    """Return every place where the store does not prove itself."""
    path = store.place
    return [
        {"path": path, "field": field, "message": message} for field, message in store.health.check(policy, progress)
    ]


def engine() -> str:
    """Return what the store runs on, with its version."""
    return opening.engine()
