"""`add`: what the user states directly."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from msgspec import structs

from tenure.hosts import agent_detection
from tenure.model.errors import NeedsPerson, Refused
from tenure.model.events import BY_QUOTE, PROVED_BY
from tenure.model.memory import Memory
from tenure.rules.consolidate import Proposal, is_repeat, is_same_rule
from tenure.systems.api import System
from tenure.text.redact import REDACTED
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
    proved = proved and not project.is_agents_role
    by_agent = project.actor.is_agent and not proved
    if by_agent:
        from tenure.usecases import sessions_here  # start-up: a person's words come from no session

        # Whoever says it: it comes from a file, a page or an output of the session.
        source = intake.REPEATED if sessions_here.repeated(project)(text) else source
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
        "run": run or (agent_detection.run() if by_agent else ""),
    }
    proposal = intake.proposal(raw, project.policy, known_kinds=system.kinds)
    with project.changing(dry_run=dry_run) as batch:
        memory, notes = _write(system, batch, proposal, id, given=tags, proved=proved)
        waits = memory.phase == "pending" and _means_it(batch, proposal, id, proved) and batch.version(memory.id) > 0
    if waits and not dry_run:
        memory = _agree(project, system, memory, notes)
    if REDACTED in proposal.text and REDACTED not in text:
        notes.append("a secret was taken out before this was stored; write where to find it instead")
    return written(memory, [*system.take_notes(), *notes])


def _means_it(batch: Batch, proposal: Proposal, id: str, proved: bool) -> bool:
    """Tell whether the user says it directly: that needs no further evidence, whoever said it first."""
    trust = intake.trust_of(proposal.source, batch.policy, otherwise="user")
    return not id and trust == "user" and not batch.reviewed and (proved or not batch.actor.is_agent)


def _agree(project: Project, system: System, memory: Memory, notes: list[str]) -> Memory:
    """Let what waited be agreed to by the person who says it too; without one it goes on waiting."""
    try:
        if not system.agents_judge:
            project.needs_person("add of what waits already")
    except NeedsPerson:
        notes.append(f"It waits for you to agree: tenure review {memory.id} --keep")
        return memory
    return project.change(memory.id, lambda batch, known: approve(batch, known))


def approve(batch: Batch, memory: Memory, *, proved: bool = False) -> Memory:
    """Let a person's word take a memory to its next state; `proved`: by words that were found, nobody was asked."""
    from tenure.rules import verdicts  # start-up: most of what is added is new

    events = verdicts.decide(memory, "approve", batch.policy, batch.now, by="user")
    if proved:
        events = [structs.replace(event, detail={**event.detail, PROVED_BY: BY_QUOTE}) for event in events]
    return batch.record(memory, events) or memory


def _opposite(memory: Memory, similar: Sequence[Memory], batch: Batch) -> dict[str, str]:
    if not similar:
        return {}
    from tenure.rules.contradict import contradictions  # start-up: most of what is added resembles nothing

    return contradictions(memory, similar, batch.policy)


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
    if proposal.source == intake.REPEATED and memory.phase == "live":
        # Where everything that is written is in use at once, such a text has nowhere to wait for a person.
        raise Refused("It repeats what a tool brought back, and only a person may write that here.")
    similar = new_memory.same_and_similar(batch, proposal)
    opposite = _opposite(memory, similar, batch)
    if not id and (known := _repeated(proposal, similar, opposite)):
        after = new_memory.strengthen(system, batch, known, proposal, "stated again", stated=trust == "user")
        if after.phase == "pending" and _means_it(batch, proposal, id, proved) and (proved or batch.actor.present):
            after = approve(batch, after, proved=proved and not batch.actor.present)
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
