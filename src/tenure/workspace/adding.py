"""`add`: what the user states directly."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tenure.lifecycle import review
from tenure.lifecycle.consolidate import Proposal, is_repeat
from tenure.memory import Memory
from tenure.workspace import intake, writing
from tenure.workspace.batch import Batch


def add(
    batch: Batch,
    text: str,
    *,
    kind: str = "lesson",
    title: str = "",
    description: str = "",
    id: str = "",
    tags: Sequence[str] = (),
    files: Sequence[str] = (),
    scope: str = "project",
    source: str = "",
    content: Mapping[str, Any] | None = None,
) -> tuple[Memory, list[str]]:
    """Return the memory written and what the user should know about it."""
    raw = {
        "kind": kind,
        "title": title or description,
        "text": text,
        "content": dict(content or {}),
        "tags": list(tags),
        "files": list(files),
        "scope": scope,
        "source": source or "user",
    }
    proposal = intake.proposal(raw, batch.policy)
    trust = intake.trust_of(proposal.source, batch.policy, otherwise="user")
    chosen = writing.check_new_id(batch, intake.check_id(id)) if id else writing.new_id(batch)
    memory = writing.draft(batch, proposal, id=chosen, trust=trust, stated=trust == "user")
    similar = writing.same_and_similar(batch, proposal)
    if not id and (known := _repeated(proposal, similar)):
        after = writing.strengthen(batch, known, proposal, "stated again", stated=trust == "user")
        if trust == "user" and after.phase == "pending":
            # What the user says directly needs no further evidence, whoever said it first.
            after = batch.record(after, review.decide(after, "approve", batch.policy, batch.now, by="user")) or after
        return after, [f"{known.id} says the same already; this counts as evidence for it."]
    return writing.create(batch, memory, similar)


def _repeated(proposal: Proposal, similar: Sequence[Memory]) -> Memory | None:
    return next(
        (
            memory
            for memory in similar
            if memory.phase != "gone" and memory.kind == proposal.kind and is_repeat(proposal, memory)
        ),
        None,
    )
