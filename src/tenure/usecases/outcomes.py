"""Recording what came of memories in a session: each outcome once, however often the session is read."""

from __future__ import annotations

from collections.abc import Iterable

from tenure.capture.outcomes import Outcome
from tenure.model.events import EventType
from tenure.model.memory import Memory
from tenure.rules import effect
from tenure.text.words import one_line
from tenure.usecases import intake
from tenure.usecases.batch import Batch

SURFACE = "outcome"


def record(batch: Batch, outcomes: Iterable[Outcome], *, session: str, by: str) -> list[Memory]:
    """Apply the outcomes a session had and return the memories that changed; one told before changes nothing."""
    changed = []
    task = one_line(intake.safe(session), 200)
    for outcome in outcomes:
        memory = batch.get(outcome.memory_id)
        if memory is None or _told(batch, memory, task):
            continue
        events = effect.apply(
            memory,
            outcome.effect,
            batch.policy,
            batch.now,
            task=task,
            by=one_line(intake.safe(by), 100),
            run_mark=batch.store.activity.runs(),
            detail={"surface": f"{SURFACE}:{outcome.sign}", "notes": intake.safe(outcome.notes)},
        )
        after = batch.record(memory, events)
        if after:
            changed.append(batch.settle(after))
    return changed


def _told(batch: Batch, memory: Memory, task: str) -> bool:
    return any(
        entry.event.type == EventType.APPLIED
        and entry.event.task == task
        and str(entry.event.detail.get("surface", "")).startswith(f"{SURFACE}:")
        for entry in batch.store.history(memory.id)
    )
