"""`capture`: proposals become memories, evidence, retirements or nothing, each with its reasons.

Proposals come as JSON Lines: every bad line is named, and nothing is used unless all are good or it is asked for.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, Any

import msgspec

from tenure.files import strict_json
from tenure.hosts import agent_detection
from tenure.model.errors import InvalidInput, Refused
from tenure.model.events import EventType
from tenure.model.kinds import content_words
from tenure.model.memory import Trust
from tenure.model.policy import Policy
from tenure.rules.consolidate import Decision, Proposal, decide, reversed_by
from tenure.rules.contradict import contradictions
from tenure.rules.transitions import leave, restore
from tenure.systems.api import System
from tenure.text.suspicion import suspicious
from tenure.text.words import one_line
from tenure.usecases import doubted_verdicts, intake, new_memory, queue_limit
from tenure.usecases.answers.captured import Captured, Skipped
from tenure.usecases.batch import Batch
from tenure.usecases.project import Project

MAX_LINE_BYTES = 4 * 1024 * 1024
# How many bad lines a refusal names, and after how many without a good one a file is no list of proposals.
NAMED_LINES, HOPELESS_LINES = 5, 1000


def capture(
    project: Project,
    system: System,
    proposed: Sequence[Mapping[str, Any]],
    *,
    run: str = "",
    known_run: bool = False,
    dry_run: bool = False,
) -> Captured:
    """Consolidate proposals into memories, and return what became of each.

    With `known_run` the run is a session that was read here. Any other name is whatever was typed, so all that an
    agent gives in one session of its own are one run.
    """
    notes: list[str] = []
    if not known_run and project.actor.is_agent and (run or proposed):
        run = agent_detection.run()
        notes.append("Beside a coding agent all runs of its session count as one.")
        from tenure.usecases import sessions_here  # start-up: a person's words come from no session

        repeats = sessions_here.repeated(project)
        said = [str(item.get("text") or item.get("title") or "") for item in proposed]
        proposed = [
            {**item, "source": intake.REPEATED} if repeats(text) else item
            for item, text in zip(proposed, said, strict=True)
        ]
    with project.changing(dry_run=dry_run) as batch:
        batch.of_session = known_run
        decisions, said = consolidate(system, batch, proposed, run=run)
        notes += said
    full = queue_limit.reason(project.policy.write.waiting_per_run)
    if left := sum(full in decision.reasons for decision in decisions):
        notes.append(f"{left} of {len(decisions)} were left out: {full} {queue_limit.HINT}")
    decisions = [
        msgspec.structs.replace(decision, text=one_line(intake.safe(str(item.get("text") or item.get("title") or ""))))
        for decision, item in zip(decisions, proposed, strict=True)
    ]
    return Captured(decisions=decisions, notes=[*system.take_notes(), *notes])


def consolidate(
    system: System, batch: Batch, raw: Sequence[Mapping[str, Any]], *, run: str = ""
) -> tuple[list[Decision], list[str]]:
    """Consolidate proposals in order, so that later ones see what earlier ones made."""
    given = [intake.proposal(item, batch.policy, known_kinds=system.kinds) for item in raw]
    proposals = [_with_run(batch, _without_graph(proposal), run) for proposal in given]
    decisions: list[Decision] = []
    notes: list[str] = []
    # Counted first: what is seen now is seen in this run, not in the one before.
    for seen in _runs(batch, raw, proposals, run):
        batch.store.activity.record_run(seen, batch.now)
    for proposal in proposals:
        decision, said = _consolidate(system, batch, proposal)
        decisions.append(decision)
        notes += said
        batch.write()
    return decisions, notes


def _without_graph(proposal: Proposal) -> Proposal:
    """Leave out what only the reference server's tools write: agents would read it, and its reviewer would not."""
    content = {name: value for name, value in proposal.content.items() if name != "graph"}
    return msgspec.structs.replace(proposal, content=content)


def uncaptured(kind: str) -> str:
    """Say why a proposal of a kind is left out."""
    return f"{kind} is not captured by itself here"


def _runs(batch: Batch, raw: Sequence[Mapping[str, Any]], proposals: Sequence[Proposal], run: str) -> list[str]:
    """Return the runs these proposals come from; those that name none come from one run together.

    Counting each of them would age every other memory by as many runs as a file has lines.
    """
    named = [proposal.run for proposal, item in zip(proposals, raw, strict=True) if run or item.get("run")]
    unnamed = sorted(
        {proposal.run for proposal, item in zip(proposals, raw, strict=True) if not (run or item.get("run"))}
    )
    together = [_named(batch, "\n".join(unnamed))] if unnamed else []
    return [*dict.fromkeys(named), *together]


def _with_run(batch: Batch, proposal: Proposal, run: str) -> Proposal:
    """Name the run a proposal counts for: given, its own, its first evidence, or the proposal itself.

    A proposal is one piece of evidence, however many references it lists: they are strings its writer supplies.
    """
    named = run or proposal.run or (proposal.evidence[0] if proposal.evidence else "")
    if not named:
        named = _named(batch, msgspec.json.encode(proposal).decode())
    return msgspec.structs.replace(proposal, run=one_line(intake.safe(named), 200))


def _named(batch: Batch, text: str) -> str:
    """Return the name of a run that has none: always the same for a text, and telling nothing about it."""
    return f"capture-{batch.store.mark(text).hex()[:12]}"


def _consolidate(system: System, batch: Batch, proposal: Proposal) -> tuple[Decision, list[str]]:
    if proposal.kind in batch.policy.write.uncaptured_kinds:
        return Decision(action="noop", id="", kind=proposal.kind, reasons=(uncaptured(proposal.kind),)), []
    try:
        proposal, _ = system.shape(batch, proposal)
    except Refused as refusal:
        return Decision(action="noop", id="", kind=proposal.kind, reasons=(refusal.message,)), []
    trust, notes = _trust(batch, proposal)
    new_id = system.new_id(batch, proposal)
    memory = new_memory.draft(batch, proposal, id=new_id, trust=trust, stated=False)
    memory = system.finish(batch, proposal, memory)
    similar = new_memory.same_and_similar(batch, proposal)
    opposite = {**contradictions(memory, similar, batch.policy), **reversed_by(proposal, similar, batch.policy)}
    decision = decide(proposal, similar, opposite, batch.policy)
    if decision.action == "retire" and trust not in batch.policy.promotion.evidence_suffices_for:
        why = f"{'; '.join(decision.reasons)}, but a source of trust {trust!r} may not end a memory"
        return msgspec.structs.replace(decision, action="noop", reasons=(why,)), notes
    known = batch.get(decision.id) if decision.id else None
    if decision.action == "retire" and known and doubted_verdicts.stays(batch.store, known):
        doubted_verdicts.put(batch.store, known.id, "a session says the opposite")
        why = f"{'; '.join(decision.reasons)}, but only a person may end what a person decided"
        return msgspec.structs.replace(decision, action="noop", reasons=(why,)), notes
    if decision.action == "update" and known:
        back = restore(
            known,
            batch.policy,
            batch.now,
            runs_now=batch.store.runs(),
            reason="seen again",
            set=system.restored(batch, known) if known.phase == "gone" else {},
        )
        known = batch.record(known, back) or known
        new_memory.strengthen(system, batch, known, proposal, "; ".join(decision.reasons))
    elif decision.action == "retire" and known:
        events = leave(
            known,
            EventType.RETIRED,
            batch.policy,
            batch.now,
            reason="; ".join(decision.reasons),
            run=proposal.run,
        )
        batch.record(known, events)
    elif decision.action == "create" and trust == "external" and memory.phase == "live":
        # Where everything that is written is in use at once, such a text has nowhere to wait for a person.
        why = "it comes from outside or reads like an instruction, and only a person may write that here"
        return Decision(action="noop", id="", kind=proposal.kind, reasons=(why,)), notes
    elif decision.action == "create":
        try:
            created, said = new_memory.create(batch, memory, similar, opposite)
        except Refused as refusal:
            reasons = tuple(filter(None, (refusal.message, refusal.hint)))
            return Decision(action="noop", id="", kind=proposal.kind, reasons=reasons), notes
        return msgspec.structs.replace(decision, id=created.id), [*notes, *said]
    return decision, notes


def _trust(batch: Batch, proposal: Proposal) -> tuple[Trust, list[str]]:
    """Return how far a proposal is trusted, and what the user should know about that.

    What reads like an instruction to an agent waits for a person, wherever it says it comes from.
    """
    if flags := suspicious(f"{proposal.title}\n{proposal.text}\n{content_words(proposal.content)}"):
        said = f"{proposal.title!r} reads like an instruction ({', '.join(flags)}) and needs a reviewer."
        return "external", [said]
    trust = intake.trust_of(proposal.source, batch.policy, otherwise="model")
    # Nobody speaks as the user through a file.
    return "model" if trust == "user" else trust, []


def read(
    paths: Sequence[str], policy: Policy, kinds: Sequence[str], *, keep_going: bool
) -> tuple[list[dict[str, Any]], list[Skipped]]:
    """Return the proposals of all files, and the lines left out because they cannot be used."""
    good: list[dict[str, Any]] = []
    bad: list[Skipped] = []
    for path in paths:
        with _opened(path) as file:
            # What is written while it is read stays out; a pipe has no size.
            end = 0 if path == "-" else os.fstat(file.fileno()).st_size
            for number, value in strict_json.lines(file, max_line_bytes=MAX_LINE_BYTES):
                try:
                    good.append(_proposal(value, policy, kinds))
                except InvalidInput as error:
                    why = error.message.removeprefix(f"Line {number}: ")
                    bad.append(Skipped(path=path, line=str(number), why=why))
                if len(bad) >= HOPELESS_LINES and not good:
                    raise _hopeless(path, bad)
                if 0 < end <= file.tell():
                    break
    if bad and not keep_going:
        shown = _named_lines(bad)
        more = f"\nand {len(bad) - NAMED_LINES} more" if len(bad) > NAMED_LINES else ""
        raise InvalidInput(
            f"{shown}{more}", hint="Nothing was captured. Correct the lines, or use the good ones with --keep-going."
        )
    return good, bad


def _named_lines(bad: Sequence[Skipped]) -> str:
    return "\n".join(f"{item.path}:{item.line}: {item.why}" for item in bad[:NAMED_LINES])


def _hopeless(path: str, bad: Sequence[Skipped]) -> InvalidInput:
    return InvalidInput(
        f"{_named_lines(bad)}\nReading stopped at line {bad[-1].line}, because no line before it can be used.",
        hint="`tenure capture` takes session files of agents, and JSON Lines with one proposal in each line.",
    )


def _proposal(value: object, policy: Policy, kinds: Sequence[str]) -> dict[str, Any]:
    if isinstance(value, InvalidInput):
        raise value
    if not isinstance(value, dict):
        raise InvalidInput(f"must be an object, found {value!r:.60}.")
    intake.proposal(value, policy, known_kinds=kinds)
    return value


@contextlib.contextmanager
def _opened(path: str) -> Iterator[IO[bytes]]:
    """Open a file, `-` for standard input; say which one cannot be read."""
    if path == "-":
        yield sys.stdin.buffer
        return
    try:
        with Path(os.path.expanduser(path)).open("rb") as file:
            yield file
    except OSError as error:
        raise InvalidInput(f"{path}: cannot be read: {error.strerror}.", hint="Check the path.") from None
