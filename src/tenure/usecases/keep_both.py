"""Settling a contradiction by letting both memories stand: a person says why they do not exclude each other."""

from __future__ import annotations

from tenure.model.errors import BadRequest
from tenure.model.events import EventType
from tenure.model.evolve import change
from tenure.systems.api import System
from tenure.text.words import one_line
from tenure.usecases import intake
from tenure.usecases.answers import Written, written
from tenure.usecases.project import Project

MOST_REASON = 500


def keep_both(project: Project, system: System, left: str, right: str, *, by: str, reason: str) -> Written:
    """Take the mark of contradiction off both memories; raise `BadRequest` when they carry none."""
    if not reason.strip():
        raise BadRequest("Say why both are right.", field="reason")
    project.needs_person("review")
    with project.changing(makes=False) as batch:
        pair = [batch.get(project.resolve(id)) for id in (left, right)]
        assert pair[0] is not None and pair[1] is not None
        first = pair[0]
        marked = [(memory, other) for memory, other in zip(pair, reversed(pair), strict=True) if memory and other]
        if not any(other.id in memory.conflicts for memory, other in marked):
            raise BadRequest(f"{pair[0].id} and {pair[1].id} do not contradict each other.")
        for memory, other in marked:
            event = change(
                memory,
                EventType.RECONCILED,
                batch.now,
                set={"conflicts": [id for id in memory.conflicts if id != other.id]},
                actor=one_line(intake.safe(by), 100),
                reason=one_line(intake.safe(reason), MOST_REASON),
                detail={"with": other.id},
            )
            after = batch.record(memory, [event]) or memory
            first = after if memory is pair[0] else first
    return written(first, system.take_notes())
