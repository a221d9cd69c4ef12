"""`retire`, `archive` and `restore`: taking a memory out of use, and bringing it back."""

from __future__ import annotations

from tenure.model.events import EventType
from tenure.model.memory import Memory
from tenure.rules import transitions
from tenure.systems.api import System
from tenure.usecases import doubted_verdicts, intake
from tenure.usecases.answers import Written, written
from tenure.usecases.batch import Batch
from tenure.usecases.project import Project


def retire(project: Project, system: System, id: str, *, reason: str) -> Written:
    """Take a memory out of use, also on a full disk; `restore` brings it back until `gc` removes it."""
    with project.store.health.despite_a_full_disk() as do:
        return do(lambda: _leave(project, system, id, EventType.RETIRED, reason))


def archive(project: Project, system: System, id: str, *, reason: str = "") -> Written:
    """Archive a memory: kept for good, never shown."""
    return _leave(project, system, id, EventType.ARCHIVED, reason)


def restore(project: Project, system: System, id: str, *, only_from: str | None = None) -> Written:
    """Bring back a memory that is gone, to the state it had."""

    def back(batch: Batch, memory: Memory) -> Memory | None:
        events = transitions.restore(
            memory,
            batch.policy,
            batch.now,
            only_from=only_from,
            runs_now=batch.store.runs(),
            actor="user",
            # What an agent brings back waits as a proposal.
            set=system.restored(batch, memory)
            | (transitions.as_proposed(memory, batch.policy) if batch.actor.is_agent else {}),
        )
        return batch.record(memory, events)

    return written(project.change(id, back), system.take_notes())


def _leave(project: Project, system: System, id: str, type: EventType, reason: str) -> Written:
    said = intake.safe(reason)

    def leave(batch: Batch, memory: Memory) -> Memory | None:
        doubted_verdicts.keep_from_agents(project, memory, "retire" if type == EventType.RETIRED else "archive")
        return batch.record(memory, transitions.leave(memory, type, batch.policy, batch.now, reason=said, actor="user"))

    return written(project.change(id, leave), system.take_notes())
