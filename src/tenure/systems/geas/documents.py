"""New geas documents and event lines, with exactly the fields their schemas allow.

Facts the schemas forbid (the previous state, how often under review, conflicts) have no place here; they live
in the companion store.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any

from tenure.model import clock
from tenure.systems.geas.codec import Document

VERSION = "1.0"
ORCHESTRATOR = "orchestration_authority"
# Contradiction 12: the index wants a review date for candidates, which have none: their creation plus this.
CANDIDATE_REVIEW_DAYS = 30


def _meta(artifact_type: str, artifact_id: str, now: datetime, producer: str = ORCHESTRATOR) -> Document:
    return {
        "version": VERSION,
        "artifact_type": artifact_type,
        "artifact_id": artifact_id,
        "producer_type": producer,
        "created_at": clock.stamp(now),
    }


def signals(evidence_count: int, confidence: float) -> Document:
    """Return the signals of a memory nobody has used yet."""
    return {
        "evidence_count": evidence_count,
        "reuse_count": 0,
        "successful_reuses": 0,
        "failed_reuses": 0,
        "contradiction_count": 0,
        "confidence": confidence,
    }


def candidate(
    *,
    memory_id: str,
    memory_type: str,
    title: str,
    summary: str,
    scope: str,
    evidence_refs: Iterable[str],
    confidence: float,
    reason: str,
    sources: Iterable[str],
    now: datetime,
) -> Document:
    """Return a memory candidate as the skill's template prints it."""
    refs = list(dict.fromkeys(evidence_refs))
    return {
        "meta": _meta("memory_candidate", memory_id, now),
        "memory_id": memory_id,
        "memory_type": memory_type,
        "state": "candidate",
        "title": title,
        "summary": summary,
        "scope": scope,
        "evidence_refs": refs,
        "signals": signals(len(refs), confidence),
        "candidate_reason": reason,
        "source_artifacts": list(dict.fromkeys(sources)),
    }


def entry(
    *,
    memory_id: str,
    memory_type: str,
    state: str,
    title: str,
    summary: str,
    scope: str,
    evidence_refs: Iterable[str],
    signals: Mapping[str, Any],
    review_after: datetime,
    now: datetime,
    supersedes: Iterable[str] = (),
    superseded_by: str | None = None,
    tags: Iterable[str] = (),
    body: Iterable[str] = (),
) -> Document:
    """Return a memory entry with all fourteen fields."""
    return {
        "meta": _meta("memory_entry", memory_id, now),
        "memory_id": memory_id,
        "memory_type": memory_type,
        "state": state,
        "title": title,
        "summary": summary,
        "scope": scope,
        "evidence_refs": list(evidence_refs),
        "signals": dict(signals),
        "review_after": clock.stamp(review_after),
        "supersedes": list(dict.fromkeys(supersedes)),
        "superseded_by": superseded_by,
        "tags": list(dict.fromkeys(tags)),
        "body": list(body),
    }


def application_log(
    *,
    memory_id: str,
    task_id: str,
    applied_by: str,
    effect: str,
    now: datetime,
    surface: str = "task_packet",
    notes: str = "",
    followup: str = "none",
) -> Document:
    """Return the log of one application of a memory in a task."""
    return {
        "meta": _meta("memory_application_log", f"mal-{task_id}-{memory_id}", now),
        "memory_id": memory_id,
        "task_id": task_id,
        "applied_by_type": applied_by,
        "usage_surface": surface,
        "effect": effect,
        "notes": notes,
        "followup_action": followup,
    }


def review(
    *,
    memory_id: str,
    reviewer: str,
    decision: str,
    rationale: str,
    now: datetime,
    required_followup: Iterable[str] = (),
    supersedes: Iterable[str] = (),
) -> Document:
    """Return a review in the schema's form; `reviewer` is an agent type, not a slot."""
    return {
        "meta": _meta("memory_review", f"mr-{memory_id}", now, producer=reviewer),
        "memory_id": memory_id,
        "reviewer_type": reviewer,
        "decision": decision,
        "rationale": rationale,
        "required_followup": list(required_followup),
        "supersedes": list(dict.fromkeys(supersedes)),
    }


def index_row(document: Mapping[str, Any]) -> Document:
    """Return the index row of a candidate or entry."""
    review_after = document.get("review_after")
    if review_after is None:
        created = clock.parse(document["meta"]["created_at"], field="meta.created_at")
        review_after = clock.stamp(created + timedelta(days=CANDIDATE_REVIEW_DAYS))
    return {
        "memory_id": document["memory_id"],
        "memory_type": document["memory_type"],
        "state": document["state"],
        "confidence": float(document["signals"]["confidence"]),
        "tags": list(document.get("tags", [])),
        "review_after": review_after,
    }


def index(rows: Iterable[Mapping[str, Any]], now: datetime, meta: Mapping[str, Any] | None = None) -> Document:
    """Return the central index; `meta` of an index already there is kept and its `updated_at` set."""
    head = {**meta, "updated_at": clock.stamp(now)} if meta else _meta("memory_index", "mi-init", now)
    return {"meta": head, "entries": [dict(row) for row in rows]}


def packet(
    *,
    task_id: str | None,
    agent: str,
    applicable: Iterable[str],
    cautions: Iterable[str],
    suppressed: Iterable[str],
    now: datetime,
    pinned: Iterable[str] = (),
) -> Document:
    """Return the memory packet of one agent."""
    packet_id = f"mp-{task_id or 'session'}-{agent}"
    return {
        "meta": _meta("memory_packet", packet_id, now),
        "packet_id": packet_id,
        "target_agent_type": agent,
        "target_task_id": task_id,
        "pinned_items": list(pinned),
        "applicable_memory_ids": list(applicable),
        "caution_items": list(cautions),
        "suppressed_memory_ids": list(suppressed),
        "assembly_reason": f"Generated for {agent} working on {task_id or 'the session'}",
    }


def memory_promoted(memory_id: str, from_state: str, to_state: str, now: datetime) -> Document:
    """Return the event of a promotion."""
    return {
        "event": "memory_promoted",
        "memory_id": memory_id,
        "from_state": from_state,
        "to_state": to_state,
        "timestamp": clock.stamp(now),
    }


def memory_decayed(memory_id: str, reason: str, now: datetime) -> Document:
    """Return the event of a decay, with its reason."""
    return {
        "event": "memory_decayed",
        "memory_id": memory_id,
        "reason": reason,
        "timestamp": clock.stamp(now),
    }


def memory_extraction(task_id: str, candidates: Iterable[str], now: datetime) -> Document:
    """Return the event of an extraction: the task and the ids of its new candidates."""
    return {
        "event": "memory_extraction",
        "task_id": task_id,
        "candidates": list(candidates),
        "timestamp": clock.stamp(now),
    }


def memory_promotion_batch(
    promoted: Iterable[str], rejected: Iterable[str], decayed: Iterable[str], now: datetime
) -> Document:
    """Return the event that closes a batch of promotions."""
    return {
        "event": "memory_promotion_batch",
        "promoted": list(promoted),
        "rejected": list(rejected),
        "decayed": list(decayed),
        "timestamp": clock.stamp(now),
    }
