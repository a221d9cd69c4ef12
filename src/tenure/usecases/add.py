"""`add`: what the user states directly."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from tenure.model.memory import Memory
from tenure.rules import review
from tenure.rules.consolidate import Proposal, is_repeat
from tenure.rules.contradict import contradictions
from tenure.text.words import one_line
from tenure.usecases import intake, new_memory
from tenure.usecases.batch import Batch


def add(
    batch: Batch,
    text: str,
    *,
    kind: str = "",
    title: str = "",
    description: str = "",
    id: str = "",
    tags: Sequence[str] = (),
    files: Sequence[str] = (),
    scope: str = "project",
    source: str = "",
    content: Mapping[str, Any] | None = None,
    run: str = "",
    proved: bool = False,
) -> tuple[Memory, list[str]]:
    """Return the memory written and what the user should know about it.

    `proved` says that the person's own words were found, so that it is theirs whoever writes it down.
    """
    content = dict(content or {})
    if batch.system.described:
        content |= {"description": one_line(description)} if description else {}
    raw = {
        "kind": kind or batch.system.default_kind,
        "title": title or ("" if batch.system.described else description),
        "text": text,
        "content": content,
        "tags": list(tags),
        "files": list(files),
        "scope": scope,
        "source": source or ("agent" if batch.actor.is_agent else "user"),
        "run": run,
    }
    proposal = intake.proposal(raw, batch.policy, known_kinds=batch.system.kinds)
    proposal, notes = batch.system.shape(batch, proposal)
    trust = intake.trust_of(proposal.source, batch.policy, otherwise="user")
    if batch.actor.is_agent and not proved:
        # An agent cannot speak as the user by naming them.
        trust = intake.least(trust, intake.trust_of("agent", batch.policy, otherwise="model"))
    if id:
        chosen = new_memory.check_new_id(batch, intake.check_id(batch.system.own_id(id)))
    else:
        chosen = batch.system.new_id(batch, proposal)
    memory = new_memory.draft(batch, proposal, id=chosen, trust=trust, stated=trust == "user")
    memory = batch.system.finish(batch, proposal, memory)
    similar = new_memory.same_and_similar(batch, proposal)
    opposite = contradictions(memory, similar, batch.policy)
    if not id and (known := _repeated(proposal, similar, opposite)):
        after = new_memory.strengthen(batch, known, proposal, "stated again", stated=trust == "user")
        if trust == "user" and after.phase == "pending":
            # What the user says directly needs no further evidence, whoever said it first.
            after = batch.record(after, review.decide(after, "approve", batch.policy, batch.now, by="user")) or after
        return after, [f"{known.id} says the same already; this counts as evidence for it."]
    if lost := intake.beyond_cap(tags, batch.policy):
        notes = [*notes, f"At most {batch.policy.write.tags_cap} tags are kept; left out: {', '.join(lost)}."]
    written, more = new_memory.create(batch, memory, similar, opposite)
    return written, [*notes, *more]


def say_again(batch: Batch, known: Memory, *, run: str, source: str) -> Memory:
    """Count one more run in which a memory was stated, in whatever words."""
    raw = {"kind": known.kind, "text": known.text, "run": run, "source": source}
    proposal = intake.proposal(raw, batch.policy, known_kinds=batch.system.kinds)
    return new_memory.strengthen(batch, known, proposal, "stated again", stated=True)


def _repeated(proposal: Proposal, similar: Sequence[Memory], opposite: Collection[str]) -> Memory | None:
    for memory in similar:
        fits = memory.kind == proposal.kind and memory.phase != "gone" and memory.id not in opposite
        if fits and is_repeat(proposal, memory):
            return memory
    return None
