"""A candidate or entry as a memory, and back.

A file owns what its schema has a field for. What it cannot hold (tags and body of a candidate, why an entry was once
a candidate, the state before a review) is the companion's, so a document is always made over the one that lies there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

from tenure.files.json_values import as_texts
from tenure.model import clock
from tenure.model.errors import InvalidInput
from tenure.model.memory import Memory, Signals
from tenure.model.policy import Policy
from tenure.systems.geas import documents
from tenure.systems.geas.artifacts import COUNTERS
from tenure.systems.geas.codec import Document
from tenure.systems.geas.effect import hundredths

# What the application logs of a memory say about it.
FROM_LOGS = frozenset({"tasks", "applied", "used_at", "helped_at"})
CANDIDATE_OWNS = frozenset(
    {"kind", "title", "text", "state", "scope", "evidence", "confidence", *COUNTERS, *FROM_LOGS},
)
ENTRY_OWNS = CANDIDATE_OWNS | {"content", "tags", "review_after", "supersedes", "superseded_by"}
# What only a candidate's file holds; kept in `extra` for the day an undone promotion needs it.
CANDIDATE_ONLY = ("candidate_reason", "source_artifacts")
CANDIDATE = "memory-candidate"
ENTRY = "memory-entry"


def memory(
    document: Mapping[str, Any],
    logs: Sequence[Mapping[str, Any]],
    policy: Policy,
    *,
    extra: Mapping[str, Any] | None = None,
    promoted_to: str | None = None,
) -> Memory:
    """Return the memory a candidate or entry is, given its application logs, oldest first.

    `extra` are fields its schema does not know; `promoted_to` is the last state it was promoted to.
    """
    meta, signals, state = document["meta"], document["signals"], document["state"]
    created = clock.parse(meta["created_at"])
    phase = policy.phase(state)
    kept = {name: document[name] for name in CANDIDATE_ONLY if name in document}
    body = document.get("body")
    return Memory(
        id=document["memory_id"],
        kind=document["memory_type"],
        title=document["title"],
        text=document["summary"],
        content={"body": list(body)} if body else {},
        state=state,
        phase=phase,
        scope=document["scope"],
        tags=tuple(document.get("tags", ())),
        evidence=tuple(document["evidence_refs"]),
        runs=tuple(dict.fromkeys(document["evidence_refs"])),
        signals=Signals(
            confidence=hundredths(signals["confidence"]), **{name: int(signals[name]) for name in COUNTERS}
        ),
        created_at=created,
        updated_at=max(created, clock.parse(meta.get("updated_at", meta["created_at"]))),
        supersedes=tuple(document.get("supersedes", ())),
        superseded_by=document.get("superseded_by"),
        previous_state=promoted_to if phase in ("held", "gone") else None,
        times_held=1 if phase == "held" else 0,
        extra={**(extra or {}), **kept},
        **_review_date(document, policy),
        **used(logs),
    )


def used(logs: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return what a memory's application logs say about it."""
    times = [clock.parse(log["meta"]["created_at"]) for log in logs]
    helped = [time for time, log in zip(times, logs, strict=True) if log["effect"] == "positive"]
    return {
        "tasks": tuple(dict.fromkeys(log["task_id"] for log in logs if log["effect"] == "positive")),
        "applied": tuple(dict.fromkeys(f"{log['task_id']}/{log['applied_by_type']}" for log in logs)),
        "used_at": max(times, default=None),
        "helped_at": max(helped, default=None),
    }


def _review_date(document: Mapping[str, Any], policy: Policy) -> dict[str, Any]:
    """Return the review date and when it was set: as long before as the memory's state gives it."""
    if "review_after" not in document:
        return {}
    due = clock.parse(document["review_after"])
    step = policy.step_to(document["state"])
    return {"review_after": due, "review_set_at": due - timedelta(days=step.review_days) if step else due}


def artifact(memory: Memory, base: Mapping[str, Any] | None) -> str:
    """Return what the memory's file must be; an entry may call itself a candidate when geas wrote it so."""
    stays = base is not None and "review_after" in base and base["state"] == "candidate"
    return ENTRY if stays or memory.state != "candidate" else CANDIDATE


def document(memory: Memory, base: Mapping[str, Any] | None) -> Document:
    """Return the document of a memory, made over the one that is there; equal to it when nothing changed."""
    wanted = _entry(memory, base) if artifact(memory, base) == ENTRY else _candidate(memory, base)
    if base is None:
        return wanted
    order = [*(name for name in base if name in wanted), *(name for name in wanted if name not in base)]
    made = {name: wanted[name] for name in order}
    if made == dict(base):
        return made
    return {**made, "meta": {**made["meta"], "updated_at": clock.stamp(memory.updated_at)}}


def _candidate(memory: Memory, base: Mapping[str, Any] | None) -> Document:
    there = base or {}
    made = documents.candidate(
        **_shared(memory),
        confidence=0.0,
        reason=there.get("candidate_reason") or memory.extra.get("candidate_reason") or f"Stated by {memory.source}",
        sources=(),
        now=memory.created_at,
    )
    sources = list(there.get("source_artifacts", ()))
    sources += [text for text in as_texts(memory.extra.get("source_artifacts")) if text and text not in sources]
    made |= {"evidence_refs": _references(memory), "source_artifacts": sources or _references(memory)}
    return {**made, **_kept(memory, base, "memory_candidate")}


def _entry(memory: Memory, base: Mapping[str, Any] | None) -> Document:
    if set(memory.content) - {"body"}:
        raise InvalidInput("content: a geas entry holds nothing but `body`, a list of texts.", field="content")
    due = memory.review_after or memory.created_at + timedelta(days=documents.CANDIDATE_REVIEW_DAYS)
    made = documents.entry(
        **_shared(memory),
        state=memory.state,
        signals={},
        review_after=due,
        now=memory.created_at,
        supersedes=memory.supersedes,
        superseded_by=memory.superseded_by,
        tags=memory.tags,
        body=as_texts(memory.content.get("body")),
    )
    return {**made, **_kept(memory, base, "memory_entry")}


def _shared(memory: Memory) -> dict[str, Any]:
    return {
        "memory_id": memory.id,
        "memory_type": memory.kind,
        "title": memory.title,
        "summary": memory.text,
        "scope": memory.scope,
        "evidence_refs": _references(memory),
    }


def _references(memory: Memory) -> list[str]:
    return list(memory.evidence) or [f"statement-{memory.id}"]


def _kept(memory: Memory, base: Mapping[str, Any] | None, artifact_type: str) -> Document:
    """Return metadata and signals; a head that is there stays, and so do digits of a confidence nobody touched."""
    signals = {name: getattr(memory.signals, name) for name in COUNTERS}
    there = base["signals"]["confidence"] if base else None
    untouched = there is not None and hundredths(there) == memory.signals.confidence
    signals["confidence"] = there if untouched else memory.signals.confidence / 100
    if base is None:
        return {"signals": signals}
    # The order of the file is kept, so that a file without changes stays as it is.
    ordered = {name: signals[name] for name in base["signals"]}
    return {"signals": ordered, "meta": {**base["meta"], "artifact_type": artifact_type}}
