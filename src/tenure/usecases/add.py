"""`add`: what the user states directly."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from tenure.hosts import marks
from tenure.model.memory import Memory
from tenure.rules.consolidate import Proposal, is_repeat, is_same_rule
from tenure.rules.contradict import contradictions
from tenure.systems.api import System
from tenure.text.words import one_line
from tenure.usecases import intake, new_memory
from tenure.usecases.answers import Written, written
from tenure.usecases.batch import Batch
from tenure.usecases.project import Project


def add(
    project: Project,
    system: System,
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
    dry_run: bool = False,
) -> Written:
    """Write down what the user states; a repetition of a memory strengthens that one.

    `proved` says that the person's own words were found, so that it is theirs whoever writes it down.
    """
    content = dict(content or {})
    if system.described:
        content |= {"description": one_line(description)} if description else {}
    raw = {
        "kind": kind or system.default_kind,
        "title": title or ("" if system.described else description),
        "text": text,
        "content": content,
        "tags": list(tags),
        "files": list(files),
        "scope": scope,
        "source": source or ("agent" if project.actor.is_agent else "user"),
        # What an agent says twice in a session is said once, by whatever command.
        "run": run or (marks.run() if project.actor.is_agent and not proved else ""),
    }
    proposal = intake.proposal(raw, project.policy, known_kinds=system.kinds)
    with project.changing(dry_run=dry_run) as batch:
        memory, notes = _write(system, batch, proposal, id, given=tags, proved=proved)
    return written(memory, [*system.take_notes(), *notes])


def _write(
    system: System, batch: Batch, proposal: Proposal, id: str, *, given: Sequence[str], proved: bool
) -> tuple[Memory, list[str]]:
    proposal, notes = system.shape(batch, proposal)
    trust = intake.trust_of(proposal.source, batch.policy, otherwise="user")
    if batch.actor.is_agent and not proved:
        # An agent cannot speak as the user by naming them.
        trust = intake.least(trust, intake.trust_of("agent", batch.policy, otherwise="model"))
    if id:
        chosen = new_memory.check_new_id(batch, intake.check_id(system.own_id(id)))
    else:
        chosen = system.new_id(batch, proposal)
    memory = new_memory.draft(batch, proposal, id=chosen, trust=trust, stated=trust == "user")
    memory = system.finish(batch, proposal, memory)
    similar = new_memory.same_and_similar(batch, proposal)
    opposite = contradictions(memory, similar, batch.policy)
    if not id and (known := _repeated(proposal, similar, opposite)):
        after = new_memory.strengthen(system, batch, known, proposal, "stated again", stated=trust == "user")
        if trust == "user" and after.phase == "pending" and not batch.reviewed:
            from tenure.rules import review  # start-up: most of what is added is new

            # What the user says directly needs no further evidence, whoever said it first.
            after = batch.record(after, review.decide(after, "approve", batch.policy, batch.now, by="user")) or after
        return after, [f"{known.id} says the same already; this counts as evidence for it."]
    if lost := intake.tags_left_out(given, batch.policy):
        notes = [*notes, lost]
    made, more = new_memory.create(batch, memory, similar, opposite)
    return made, [*notes, *more]


def add_again(project: Project, system: System, id: str, *, run: str) -> Memory | None:
    """Count one more run in which a memory was stated, in whatever words; None when it is gone."""
    with project.changing(makes=False) as batch:
        known = batch.get(project.resolve(id))
        if known is None or known.phase == "gone":
            return None
        raw = {"kind": known.kind, "text": known.text, "run": run, "source": "user"}
        proposal = intake.proposal(raw, batch.policy, known_kinds=system.kinds)
        return new_memory.strengthen(system, batch, known, proposal, "stated again", stated=True)


def _repeated(proposal: Proposal, similar: Sequence[Memory], opposite: Collection[str]) -> Memory | None:
    for memory in similar:
        fits = memory.kind == proposal.kind and memory.phase != "gone" and memory.id not in opposite
        if fits and (is_repeat(proposal, memory) or is_same_rule(proposal, memory)):
            return memory
    return None
