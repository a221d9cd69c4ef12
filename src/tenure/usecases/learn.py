"""Learning from agents' sessions: what the person said becomes memories, and what was cited gets its outcome.

What becomes of a suggestion depends on the system's own rules, so `learn` asks the system. Every session goes through
`learn_session`, whether a file, `--agent` or the worker brings it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

import msgspec

from tenure.capture import kept_sessions, own_words, session_formats
from tenure.capture.cited_outcomes import Outcome
from tenure.capture.cited_outcomes import outcomes as read_outcomes
from tenure.capture.session_builder import Session
from tenure.files import locate
from tenure.model.errors import Refused
from tenure.model.events import EventType
from tenure.model.memory import Memory
from tenure.rules import use_counts
from tenure.rules.consolidate import Decision
from tenure.store import opencode
from tenure.systems.api import System
from tenure.text.suspicion import suspicious
from tenure.text.words import folded, one_line
from tenure.usecases import (
    capture,
    doubted_verdicts,
    intake,
    learned_lately,
    remember,
    retire,
    same_meaning,
    session_drafts,
    user_store,
)
from tenure.usecases import effect as measuring
from tenure.usecases.answers import Progress
from tenure.usecases.answers.captured import Captured, Learned, LearnedPast
from tenure.usecases.batch import Batch
from tenure.usecases.project import Project
from tenure.usecases.session_suggestions import Suggestion, suggestions

# Keyed hashes of what the person typed in the last sessions, by which copies and templates are known.
SEEN_TURNS, SEEN_SESSIONS = "session_turns", 100
# Why a sentence was taken for a rule, the strongest signs first.
SIGNS, MOST_SIGNS = "signs: ", 2
# What an outcome says of the surface it was read from.
SURFACE = "outcome"


def learn(
    project: Project,
    system: System,
    *,
    session: str,
    host: str,
    transcript: str,
    journal: Sequence[Mapping[str, Any]] = (),
    declined: Iterable[str] = (),
    dry_run: bool = False,
) -> Learned:
    """Return what became of the proposals and which memories an outcome changed; both are safe to repeat.

    `declined` are texts that the person was shown and does not want to keep.
    """
    held = session_drafts.read(session, host, transcript)._replace(declined=frozenset(map(folded, declined)))
    found = learn_session(project, system, held, dry_run=dry_run)
    shown = {id for line in journal for id in line.get("shown") or () if isinstance(id, str)}
    shown |= {id for past in project.store.activity.shown(run=session) for id in past.ids}
    told = read_outcomes(journal, held.turns, shown)
    changed = record_outcomes(project, told, session=session, by=host) if told and not dry_run else []
    joined: list[str] = []
    if project.store.exists and not dry_run:
        measuring.conclude(project, held, journal)
        joined = same_meaning.join_learned(project, system, found.decisions)
    return Learned(
        decisions=found.decisions,
        outcomes=told,
        changed=[memory.id for memory in changed],
        notes=[*found.notes, *joined, *system.take_notes()],
    )


def learn_session(project: Project, system: System, session: Session, *, dry_run: bool = False) -> Captured:
    """Return what a session taught; `remember`'s open quotes are checked against it as well."""
    if not session.turns:
        return Captured()
    # A file that an agent hands in is no proof of what a person said: the agent may have written it.
    unproved = dry_run or project.actor.is_agent
    # First, so that the session's words are not proposed once more beside what they prove.
    proved = [] if unproved else remember.prove_waiting(project, system, session)
    last = learned_lately.last_entry(project.store)
    found = system.learn(project, session, dry_run=dry_run)
    if dry_run:
        return found
    # Also what rose by evidence alone: whoever wrote the session's file, the person has to know of it.
    learned_lately.note_risen(project, [decision.id for decision in found.decisions], last)
    taken = _taken_back(project, system, session)
    notes = [*found.notes, *system.take_notes()]
    return Captured(decisions=[*proved, *found.decisions, *taken], notes=notes)


def consolidate(project: Project, system: System, session: Session, *, dry_run: bool) -> Captured:
    """Keep what the person asked to be kept, and consolidate everything else the session suggests."""
    found, notes = suggestions(project, system, session)
    there = project.store.exists
    if not (found or there) or (dry_run and not there):
        # Nothing is made for a session that teaches nothing.
        run, repeated = session.id, list[str]()
    else:
        # Nor does it make the person's own sessions repetitions of itself.
        run, repeated = _run(project, session, dry_run=dry_run or project.actor.is_agent)
    found = [one for one in found if not any(folded(one.quote) in known for known in repeated)]
    decisions: list[Decision] = []
    by_agent = project.actor.is_agent
    asked = [one for one in found if _asked_for(one) and not by_agent]
    if plain := [one for one in found if one not in asked]:
        made = capture.capture(
            project, system, [one.proposal for one in plain], run=run, known_run=not by_agent, dry_run=dry_run
        )
        decisions += [_told(decision, one) for decision, one in zip(made.decisions, plain, strict=True)]
        notes += made.notes
        for decision in decisions if not dry_run else ():
            if decision.action in ("create", "update") and decision.quote:
                project.store.keep(f"quote:{decision.id}", decision.quote)
    decisions += [_told(_kept(project, system, one, run, dry_run=dry_run), one) for one in asked]
    return Captured(decisions=decisions, notes=notes)


def learn_past(
    project: Project,
    system: System,
    agent: str,
    since: datetime,
    *,
    declined: Sequence[str] = (),
    dry_run: bool = False,
    progress: Progress | None = None,
) -> LearnedPast:
    """Learn from the sessions an agent still has of this project; return how many and what became of them.

    `declined` are texts that the person was shown and does not want to keep.
    """
    rows = opencode.sessions(session_formats.opencode_database()) if agent == "opencode" else ()
    waiting = kept_sessions.sessions(agent, project.place.project, since, rows)
    decisions: list[Decision] = []
    notes: list[str] = []
    for number, found in enumerate(waiting, start=1):
        told = learn(
            project, system, session=found.id, host=agent, transcript=found.path, declined=declined, dry_run=dry_run
        )
        decisions += told.decisions
        notes += told.notes
        if progress:
            progress(number, len(waiting))
    known = learned_lately.from_sessions(project, {found.id for found in waiting})
    return LearnedPast(sessions=len(waiting), decisions=decisions, known=known, notes=notes)


def suggested_only(project: Project, system: System, session: Session, why: str = "") -> Captured:
    """Return what a session suggests without keeping it anywhere, and why."""
    found, notes = suggestions(project, system, session)
    left = [
        Decision(
            action="noop",
            id="",
            kind=str(one.proposal["kind"]),
            reasons=(why,),
            text=str(one.proposal["text"]),
            quote=one.quote,
        )
        for one in found
    ]
    return Captured(decisions=left, notes=notes)


def suggest(project: Project, system: System, session: Session, *, dry_run: bool) -> Captured:
    """Let what a session suggests wait beside a system's folder, which gets no live file that nobody kept."""
    from tenure.usecases import suggested  # start-up: only two systems keep suggestions apart

    found, notes = suggestions(project, system, session)
    decisions = []
    if not found or (dry_run and not project.store.exists):
        return suggested_only(project, system, session, suggested.WAITS)
    run, repeated = _run(project, session, dry_run=dry_run)
    for one in found:
        if flags := suspicious(f"{one.proposal['text']}\n{one.quote}"):
            why = f"reads like an instruction: {', '.join(flags)}"
            decisions.append(Decision(action="noop", id="", kind=str(one.proposal["kind"]), reasons=(why,)))
        elif not any(folded(one.quote) in known for known in repeated):
            decisions.append(suggested.put(project, one.proposal, one.quote, run, dry_run=dry_run))
    return Captured(decisions=decisions, notes=notes)


def _asked_for(one: Suggestion) -> bool:
    return one.explicit and not suspicious(f"{one.proposal['text']}\n{one.quote}")


def _kept(project: Project, system: System, one: Suggestion, run: str, *, dry_run: bool) -> Decision:
    """Write down, as the person's word, what they asked to be kept."""
    kind = str(one.proposal["kind"])
    try:
        return remember.keep(project, system, one.proposal, quote=one.quote, run=run, dry_run=dry_run)
    except Refused as refusal:
        return Decision(action="noop", id="", kind=kind, reasons=(refusal.message,))


def _told(decision: Decision, one: Suggestion) -> Decision:
    signs = (f"{SIGNS}{'; '.join(one.signs[:MOST_SIGNS])}",) if one.signs else ()
    return msgspec.structs.replace(
        decision, text=str(one.proposal["text"]), quote=one.quote, reasons=(*decision.reasons, *signs)
    )


def _run(project: Project, session: Session, *, dry_run: bool) -> tuple[str, list[str]]:
    """Return the run a session counts as, and the folded turns that another one repeats word for word."""
    store = project.store
    if not dry_run:
        # The store's key makes the hashes, so there has to be one.
        with project.changing():
            pass
    long = [t.text for t in own_words.own_turns(session.turns) if len(t.text.split()) >= own_words.TEMPLATE_WORDS]
    mine = {store.mark(folded(text)).hex()[:16]: folded(text) for text in long}
    known: dict[str, list[str]] = _seen(store.setting(SEEN_TURNS))
    earlier = {id: turns for id, turns in known.items() if id != session.id}
    run = next((id for id, turns in earlier.items() if own_words.same_run(list(mine), turns)), session.id)
    others = {one for id, turns in earlier.items() if id != run for one in turns}
    if mine and not dry_run:
        kept = dict([*earlier.items(), (session.id, list(mine))][-SEEN_SESSIONS:])
        store.keep(SEEN_TURNS, json.dumps(kept))
    return run, [text for key, text in mine.items() if key in others]


def _seen(value: Any) -> dict[str, list[str]]:
    try:
        found = json.loads(value) if isinstance(value, str) else {}
    except ValueError:
        return {}
    return {id: turns for id, turns in found.items() if isinstance(turns, list)} if isinstance(found, dict) else {}


def _taken_back(project: Project, system: System, session: Session) -> list[Decision]:
    """Retire what was learned last when the person then said to forget it; ask about what a person decided."""
    why = "the person said to forget it"
    for scope in ("project", user_store.SCOPE):
        if scope == user_store.SCOPE and not locate.users().path.exists():
            break
        with user_store.target(project, system, scope) as (where, ways):
            if last := learned_lately.taken_back(where, session):
                if doubted_verdicts.stays(where.store, last):
                    doubted_verdicts.put(where.store, last.id, "a session said to forget it")
                    return []
                retire.retire(where, ways, last.id, reason=why)
                return [Decision(action="retire", id=last.id, kind=last.kind, reasons=(why,), text=last.text)]
    return []


def record_outcomes(project: Project, outcomes: Iterable[Outcome], *, session: str, by: str) -> list[Memory]:
    """Apply the outcomes a session had and return the memories that changed; one told before changes nothing."""
    with project.changing(makes=False) as batch:
        return _record(batch, outcomes, session=session, by=by)


def _record(batch: Batch, outcomes: Iterable[Outcome], *, session: str, by: str) -> list[Memory]:
    changed = []
    task = one_line(intake.safe(session), 200)
    for outcome in outcomes:
        memory = batch.get(outcome.memory_id)
        if memory is None or _was_told(batch, memory, task):
            continue
        events = use_counts.apply(
            memory,
            outcome.effect,
            batch.policy,
            batch.now,
            task=task,
            by=one_line(intake.safe(by), 100),
            run_mark=batch.store.runs(),
            is_guess=True,
            detail={"surface": f"{SURFACE}:{outcome.sign}", "notes": intake.safe(outcome.notes)},
        )
        after = batch.record(memory, events)
        if after:
            changed.append(batch.settle(after))
        if outcome.effect == "negative" and memory.guard_is_on:
            doubted_verdicts.put(batch.store, memory.id, "a session corrected an answer that cited it")
    return changed


def _was_told(batch: Batch, memory: Memory, task: str) -> bool:
    return any(
        entry.event.type == EventType.APPLIED
        and entry.event.task == task
        and str(entry.event.detail.get("surface", "")).startswith(f"{SURFACE}:")
        for entry in batch.store.history(memory.id)
    )
