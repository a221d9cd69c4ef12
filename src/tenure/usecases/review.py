"""Verdicts, uses and successors: what is asked of a memory, as rules for one batch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tenure.model.actor import Presence
from tenure.model.errors import BadRequest
from tenure.model.memory import Memory
from tenure.rules import effect, review, transitions
from tenure.systems.api import Usage
from tenure.usecases.batch import Batch

Rule = Callable[[Batch, Memory], Memory | None]


def verdict(decision: str, *, by: str, rationale: str, refused: list[str]) -> Rule:
    """Return the rule that a reviewer's decision is; where it takes another course, why goes to `refused`."""

    def judge(batch: Batch, memory: Memory) -> Memory | None:
        # In an unattended home a script speaks for several people, so there a name is all there is.
        user = batch.actor.user if batch.actor.presence is Presence.TERMINAL else ""
        events = review.decide(memory, decision, batch.policy, batch.now, by=by, user=user, rationale=rationale)
        refused.extend(event.detail[review.REFUSED] for event in events if review.REFUSED in event.detail)
        return batch.record(memory, events)

    return judge


def successor_of(named: str) -> str:
    """Return the id that takes a memory's place; raise when none was named."""
    if not named:
        raise BadRequest(
            "A supersede verdict needs the memory that takes the place.", hint="Add --successor ID.", field="successor"
        )
    return named


def use(used: Usage, *, notes: str, is_persons: bool) -> Rule:
    """Return the rule that records what came of using a memory; `is_persons` when a person says so."""
    detail = {"surface": used.surface, "notes": notes}

    def apply(batch: Batch, memory: Memory) -> Memory | None:
        events = effect.apply(
            memory,
            used.effect,
            batch.policy,
            batch.now,
            contradiction=used.contradiction,
            task=used.task,
            by=used.by,
            run_mark=batch.store.activity.runs(),
            is_report=not is_persons,
            detail={name: value for name, value in detail.items() if value},
        )
        after = batch.record(memory, events)
        return batch.settle(after) if after else None

    return apply


def as_spoken(batch: Batch, memory: Memory) -> dict[str, Any]:
    """Return what else changes because of who speaks: what an agent changes or brings back waits as a proposal."""
    return transitions.as_proposed(memory, batch.policy) if batch.actor.is_agent else {}


def supersede(batch: Batch, old: str, new: str, *, actor: str, reason: str, decision: str) -> Memory:
    """Let one memory take the place of another, and return the one that is gone."""
    first, second = batch.get(old), batch.get(new)
    assert first and second
    gone, took = transitions.supersede(first, second, batch.policy, batch.now, actor=actor, reason=reason)
    after = batch.record(first, review.named(gone, decision) if decision else gone)
    batch.record(second, took)
    return after or first
