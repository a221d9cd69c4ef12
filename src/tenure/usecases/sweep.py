"""Sweeps: promotion and decay over many memories, with a limit of changes and a reason per line."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from tenure.model.events import Event, EventType
from tenure.model.memory import Memory
from tenure.rules import promote as ladder
from tenure.rules.verdict import verdict
from tenure.usecases.batch import Batch

Progress = Callable[[int, int], None]


class Sweep(msgspec.Struct, frozen=True, kw_only=True):
    """What a sweep changed, each with its reason, and how many memories it left alone."""

    changed: list[dict[str, str]]
    kept: int
    postponed: int = 0


def decay(batch: Batch, progress: Progress | None = None) -> Sweep:
    """Let go of what lost its place; what exceeds the sweep's limit waits for the next one."""
    return _sweep(batch, batch.system.decay(batch, ends_run=True), progress)


def upkeep(batch: Batch, progress: Progress | None = None) -> Sweep:
    """Do what is due: promotions earned, decay, and verdicts that a changed policy made stale."""
    decayed = batch.system.decay(batch, ends_run=False)

    def due(memory: Memory) -> list[Event]:
        earned = ladder.promotion(memory, batch.policy, batch.now, mode=batch.policy.promotion.upkeep_mode)
        return [earned] if earned else decayed(memory)

    result = _sweep(batch, due, progress)
    batch.write()
    batch.store.health.rejudge(lambda memory: verdict(memory, batch.policy))
    return result


def promote(batch: Batch, ids: Sequence[str], mode: str) -> tuple[list[dict[str, str]], list[dict[str, Any]]]:
    """Return what was promoted, and what each memory that was not still needs."""
    memories = (
        [batch.get(id) for id in ids] if ids else [row.memory for row in batch.store.find(phases=("pending", "live"))]
    )
    promoted, waiting = [], []
    for memory in filter(None, memories):
        event = ladder.promotion(memory, batch.policy, batch.now, mode=mode)
        if event is not None:
            batch.record(memory, [event])
            promoted.append({"id": memory.id, "from": memory.state, "to": event.detail["to"]})
        elif batch.policy.step_from(memory.state):
            needs = [need.text for need in ladder.needs(memory, batch.policy)] or ["a reviewer's approval (batch mode)"]
            waiting.append({"id": memory.id, "needs": needs})
    return promoted, waiting


def _sweep(batch: Batch, rule: Callable[[Memory], list[Event]], progress: Progress | None) -> Sweep:
    rows = batch.store.find(phases=("pending", "live"))
    changed: list[dict[str, str]] = []
    postponed = 0
    for done, row in enumerate(rows, start=1):
        if progress and done % 200 == 0:
            progress(done, len(rows))
        memory = row.memory
        events = rule(memory)
        if not events:
            continue
        if all(event.type == EventType.UNSEEN for event in events):
            # Counting a run moves nothing, so it is no change to report or to limit.
            batch.record(memory, events, version=row.version)
            continue
        if len(changed) >= batch.policy.decay.sweep_limit:
            postponed += 1
            continue
        after = batch.record(memory, events, version=row.version)
        assert after is not None
        changed.append({"id": memory.id, "from": memory.state, "to": after.state, "reason": events[-1].reason})
    return Sweep(changed=changed, kept=len(rows) - len(changed), postponed=postponed)
