"""From what happened to a memory to what geas expects in its folder: logs, reviews and event lines.

Pure: a revision goes in, documents come out. Where they are put is `memory_files`' business.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from tenure.model import clock
from tenure.model.events import Event, EventType, Revision
from tenure.systems.geas import documents
from tenure.systems.geas.artifacts import AGENT_TYPES, DECISIONS, SURFACES
from tenure.systems.geas.codec import Document
from tenure.systems.geas.documents import ORCHESTRATOR

# In the detail of events: the review file a verdict came from, and the task a candidate was extracted from.
REVIEW_FILE = "review"
EXTRACTED_FROM = "extracted_from"
TASK_PACKET = "task_packet"
NO_TASK = "no-task"


def logs(revision: Revision) -> list[Document]:
    """Return an application log for each use in the revision."""
    followers = [*revision.events[1:], None]
    return [
        _log(event, follower)
        for event, follower in zip(revision.events, followers, strict=True)
        if event.type == EventType.APPLIED
    ]


def _log(event: Event, follower: Event | None) -> Document:
    detail = event.detail
    # The skill's words for a contradiction; a use that put the memory under review asks for that review.
    followup = "weaken" if detail.get("contradiction") else "none"
    if followup == "none" and follower is not None and follower.type == EventType.HELD:
        followup = "review_required"
    surface = detail.get("surface")
    return documents.application_log(
        memory_id=event.memory_id,
        task_id=event.task or NO_TASK,
        applied_by=event.actor if event.actor in AGENT_TYPES else ORCHESTRATOR,
        effect=detail["effect"],
        now=event.at,
        surface=surface if surface in SURFACES else TASK_PACKET,
        notes=detail.get("notes", ""),
        followup=followup,
    )


def reviews(revision: Revision) -> list[Document]:
    """Return a review for each verdict in the revision that does not come from a review file itself."""
    found = []
    for event in revision.events:
        decision = event.detail.get("decision")
        if decision == "approve":
            decision = next((f"promote_{item['to']}" for item in event.add.get("approvals", ())), None)
        if decision not in DECISIONS or event.actor not in AGENT_TYPES or REVIEW_FILE in event.detail:
            continue
        found.append(
            documents.review(
                memory_id=event.memory_id,
                reviewer=event.actor,
                decision=decision,
                rationale=event.reason or decision,
                now=event.at,
                required_followup=_followup(event),
                supersedes=[event.memory_id] if decision == "supersede" else [],
            )
        )
    return found


def _followup(event: Event) -> list[str]:
    successor = event.set.get("superseded_by")
    return [f"Use {successor} instead"] if successor else []


def takes_back(revision: Revision, review: Mapping[str, Any]) -> bool:
    """Tell whether the revision undoes the verdict that this review was written for."""
    return any(
        event.type == EventType.UNDONE
        and event.detail.get("by") == review["reviewer_type"]
        and event.detail.get("at") == review["meta"]["created_at"]
        and event.detail.get("decision") in (review["decision"], "approve")
        for event in revision.events
    )


def undoes(revision: Revision) -> bool:
    """Tell whether the revision reverses anything."""
    return any(event.type == EventType.UNDONE for event in revision.events)


def lines(revisions: Iterable[Revision], now: datetime, *, batch: bool) -> list[Document]:
    """Return the event lines of a command; a batch of promotions is closed by a line of its own."""
    found: list[Document] = []
    extracted: dict[str, list[str]] = {}
    ended: dict[str, list[str]] = {EventType.PROMOTED: [], EventType.REJECTED: [], EventType.DECAYED: []}
    for revision in revisions:
        for event in revision.events:
            if event.type in ended:
                ended[event.type].append(event.memory_id)
            if event.type == EventType.PROMOTED:
                states = event.detail["from"], event.detail["to"]
                found.append(documents.memory_promoted(event.memory_id, *states, event.at))
            elif event.type == EventType.DECAYED:
                found.append(documents.memory_decayed(event.memory_id, event.reason, event.at))
            elif task := event.detail.get(EXTRACTED_FROM):
                extracted.setdefault(task, []).append(event.memory_id)
    found += [documents.memory_extraction(task, ids, now) for task, ids in extracted.items()]
    if batch and any(ended.values()):
        promoted, rejected, decayed = ended.values()
        found.append(documents.memory_promotion_batch(promoted, rejected, decayed, now))
    return found


def key(log: Mapping[str, Any]) -> str:
    """Return what makes a log the same one for its memory, as `Memory.applied` spells it."""
    return f"{log['task_id']}/{log['applied_by_type']}"


def moment(revisions: Iterable[Revision]) -> datetime:
    """Return when the newest of these changes happened."""
    return max((event.at for revision in revisions for event in revision.events), default=clock.now())
