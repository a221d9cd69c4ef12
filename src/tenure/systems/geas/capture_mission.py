"""`capture` on geas: what the retrospectives, reviews and records of a mission teach.

A pattern that repeats is counted over the whole folder, but becomes a candidate only when one of its occurrences is
among what is captured. Evidence for a memory that is gone is added and shown, and brings nothing back.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec

from tenure.capture.session_builder import Session
from tenure.files import sha256
from tenure.model.errors import InvalidInput, Refused
from tenure.model.events import EventType
from tenure.model.evolve import born, change
from tenure.model.memory import Memory
from tenure.rules.confidence import after_evidence, from_evidence
from tenure.rules.consolidate import Action, Decision, Proposal
from tenure.rules.contradict import contradictions
from tenure.systems.api import System
from tenure.systems.geas import changes, collect, extract, memories, similar, triggers
from tenure.systems.geas.codec import Document
from tenure.systems.geas.collect import Collected
from tenure.systems.geas.memory_files import MemoryFiles
from tenure.systems.geas.paths import safe_id
from tenure.systems.geas.tables import Tables
from tenure.usecases import intake, new_memory, session_suggestions
from tenure.usecases.answers.captured import Captured, Skipped
from tenure.usecases.batch import Batch
from tenure.usecases.project import Project

# Marks, in `extra`, a memory that is gone and got evidence since.
NEW_EVIDENCE = "new_evidence"
PROPOSALS = (".jsonl", ".ndjson")


def capture(
    project: Project, given: Sequence[Path], *, files: MemoryFiles, tables: Tables, keep_going: bool, dry_run: bool
) -> Captured:
    """Learn from geas's artifacts."""
    collected = collect.collect(given)
    _refuse_unusable(collected, given, keep_going)
    with project.changing(dry_run=dry_run) as batch:
        found = _documents(batch, collected, _everything(collected, files), tables)
        decisions = [_consolidate(batch, document, by_title) for document, by_title in found]
    skipped = [Skipped(path=str(left.path), why=left.reason) for left in collected.skipped]
    return Captured(decisions=decisions, skipped=skipped)


def learn(project: Project, system: System, session: Session, *, tables: Tables, dry_run: bool) -> Captured:
    """Treat what a session suggests as the sentences of a retrospective: typed, compared and kept as candidates."""
    found, refused, notes = session_suggestions.lessons(project, system, session)
    if not found:
        return Captured(decisions=refused, notes=notes)
    task = _task(session.id)
    with project.changing(dry_run=dry_run) as batch:
        made = extract.candidates(
            {"task_id": task, "memory_candidates": [intake.safe(str(item["text"])) for item in found]},
            source=f"session:{task}",
            taken=set(batch.store.ids()),
            confidence=from_evidence(1, batch.policy) / 100,
            now=batch.now,
            tables=tables,
        )
        # Evidence is the session, however many of its sentences say the same.
        said = [
            {**one, "evidence_refs": [f"session-{task}"], "candidate_reason": f"Said in session {task}"} for one in made
        ]
        decisions = [_consolidate(batch, document, by_title=False) for document in said]
    return Captured(decisions=[*decisions, *refused], notes=notes)


def _task(session: str) -> str:
    """Return a session's id as it may be part of a memory's id."""
    try:
        return safe_id(session)
    except InvalidInput:
        return f"session-{sha256(session.encode('utf-8', 'replace')).hexdigest()[:16]}"


def _refuse_unusable(collected: Collected, given: Sequence[Path], keep_going: bool) -> None:
    bad = [left for left in collected.skipped if left.path in given]
    if bad and not keep_going:
        raise InvalidInput(
            "; ".join(f"{left.path}: {left.reason}" for left in bad[:5]),
            hint="Nothing was captured. Correct the path, or use what is good with --keep-going.",
        )


def _everything(collected: Collected, files: MemoryFiles) -> Collected:
    """Return all artifacts of the folder when something in it is captured, else just what is captured."""
    root = files.folder.root.resolve()
    inside = any(artifact.path.resolve().is_relative_to(root) for artifact in collected.artifacts)
    return collect.collect([root]) if inside else collected


def _documents(
    batch: Batch, collected: Collected, everything: Collected, tables: Tables
) -> list[tuple[Document, bool]]:
    """Return the candidates that what was captured makes; True for those a repeated pattern makes."""
    taken = set(batch.store.ids())
    found: list[tuple[Document, bool]] = []
    for artifact in collected.artifacts:
        if artifact.kind != "retrospective":
            continue
        sentences = artifact.document.get("memory_candidates")
        cleaned = {
            **artifact.document,
            "task_id": artifact.task_id,
            "memory_candidates": [intake.safe(text) if isinstance(text, str) else "" for text in sentences or ()]
            if isinstance(sentences, list | None)
            else sentences,
        }
        made = extract.candidates(
            cleaned,
            source=artifact.source,
            taken=taken,
            confidence=from_evidence(1, batch.policy) / 100,
            now=batch.now,
            tables=tables,
        )
        taken |= {document["memory_id"] for document in made}
        found += [(document, False) for document in made]
    mine = {(record.trigger, record.key.casefold()) for record in collect.records(collected, tables)}
    repeated = [
        msgspec.structs.replace(record, key=intake.safe(record.key))
        for record in collect.records(everything, tables)
        if (record.trigger, record.key.casefold()) in mine
    ]
    made = triggers.candidates(repeated, taken=taken, now=batch.now, tables=tables)
    return [*found, *((document, True) for document in made)]


def _consolidate(batch: Batch, document: Document, by_title: bool) -> Decision:
    """Write the candidate, or its evidence into the memory that says the same already."""
    batch.write()
    known = [_summary(row.memory) for row in batch.store.find(kind=document["memory_type"])]
    found = similar.consolidate(document, known, least=batch.policy.match.similar_overlap, by_title=by_title)
    kind = document["memory_type"]
    memory = batch.get(found.memory_id)
    if found.action == "create":
        try:
            return _create(batch, document)
        except Refused as refusal:
            return Decision(action="noop", id="", kind=kind, reasons=(refusal.message,))
    if found.action == "update" and memory:
        _add_evidence(batch, memory, document, found)
    action: Action = "update" if found.action == "update" else "noop"
    return Decision(action=action, id=found.memory_id, kind=kind, reasons=(found.reason,))


def _summary(memory: Memory) -> Document:
    """Return what is compared of a memory, in geas's words."""
    return {
        "memory_id": memory.id,
        "memory_type": memory.kind,
        "state": memory.state,
        "title": memory.title,
        "summary": memory.text,
        "evidence_refs": list(memory.evidence),
    }


def _create(batch: Batch, document: Document) -> Decision:
    task = document["memory_id"].removeprefix("mem-").rsplit("-", 1)[0]
    if batch.store.used_ids([document["memory_id"]]):
        # Ids of memories that were forgotten are not used again.
        document = _renamed(document, batch, task)
    memory = memories.memory(document, [], batch.policy)
    proposal = Proposal(kind=memory.kind, title=memory.title, text=memory.text)
    near = new_memory.same_and_similar(batch, proposal)
    new_memory.refuse_return(batch, memory, near)
    created = born(memory, run=task, detail={changes.EXTRACTED_FROM: task})
    batch.record(None, [created], version=0)
    new_memory.flag_contradictions(batch, memory, contradictions(memory, near, batch.policy))
    return Decision(action="create", id=memory.id, kind=memory.kind, reasons=(document["candidate_reason"],))


def _renamed(document: Document, batch: Batch, task: str) -> Document:
    number = 1
    while batch.store.used_ids([f"mem-{task}-{number}"]):
        number += 1
    id = f"mem-{task}-{number}"
    return {**document, "memory_id": id, "meta": {**document["meta"], "artifact_id": id}}


def _add_evidence(batch: Batch, memory: Memory, document: Document, found: similar.Consolidation) -> None:
    before = memory.signals.evidence_count
    count = before + len(found.fresh)
    extra = dict(memory.extra)
    if memory.state == "candidate":
        known = extra.get("source_artifacts", [])
        extra["source_artifacts"] = [*known, *(s for s in document["source_artifacts"] if s not in known)]
    if memory.phase == "gone":
        extra[NEW_EVIDENCE] = True
    event = change(
        memory,
        EventType.EVIDENCED,
        batch.now,
        set={
            "evidence_count": count,
            "confidence": after_evidence(memory.signals.confidence, before, count, batch.policy),
            "extra": extra,
        },
        add={"evidence": found.fresh, "runs": found.fresh},
        reason=found.reason,
        run=found.fresh[0],
    )
    batch.record(memory, [event])
