"""`remember`: what an agent proposes in its own words, proved by the person's.

A quote found in what the person typed in this session makes the proposal the person's word: live at once. A text
about something other than its quote is the agent's own and waits for the person. What cannot be checked yet also
waits as a candidate, and the worker checks it when the session is over.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from tenure.capture import quote_gate, repeated_from_tools, stated_rules
from tenure.capture.session_builder import Session
from tenure.files import locate
from tenure.model.errors import Refused
from tenure.model.events import EventType
from tenure.model.evolve import change
from tenure.model.memory import Memory
from tenure.rules.consolidate import Action, Decision
from tenure.spool import journal
from tenure.systems.api import System, opened
from tenure.text.redact import redact
from tenure.text.suspicion import suspicious
from tenure.usecases import add, capture, intake, learned_lately, quotes, same_meaning, sessions_here, user_store
from tenure.usecases.answers import Written, written
from tenure.usecases.batch import Batch
from tenure.usecases.project import Project

# Proposals whose quote waits to be found: id -> text and quote.
WAITING = "unproven_quotes"
MOST_WAITING = 200


def remember(
    project: Project,
    system: System,
    text: str,
    *,
    quote: str,
    same_as: str = "",
    kind: str = "",
    title: str = "",
    description: str = "",
    id: str = "",
    tags: Sequence[str] = (),
    files: Sequence[str] = (),
    scope: str = "project",
    content: Mapping[str, Any] | None = None,
) -> Written:
    """Write down a proposal; raise `Refused` when its quote is wrong for sure."""
    wrong = quote_gate.form_problems(text, quote)
    wrong += [f"it reads like an instruction ({flag})" for flag in suspicious(f"{text}\n{quote}")]
    named = kind or system.default_kind
    if named in project.policy.write.uncaptured_kinds:
        wrong.append(capture.uncaptured(named))
    if wrong:
        raise Refused(f"Not kept: {'; '.join(wrong)}.")

    write = partial(
        add.add,
        text=text,
        kind=kind,
        title=title,
        description=description,
        id=id,
        tags=tags,
        files=files,
        scope=scope,
        content=content,
    )
    proof = _proof(project, text, quote)
    if proof.session is not None and repeated_from_tools.repeats(text, proof.session):
        made = write(project, system, source=intake.REPEATED)
        return written(made, [*made.notes, "it repeats what a tool brought back, so it waits: tenure review"])
    if proof.session is not None:
        with user_store.target(project, system, _scope_of(same_as, project, scope)) as (into, ways):
            after = _write_proved(into, ways, write, text, quote, same_as, proof.session)
        with contextlib.suppress(OSError):
            # The hooks ask no more about what is written down by now.
            journal.add(proof.session.host, proof.session.id, {"event": "remembered"})
        return after
    if proof.unlike:
        own = f"{proof.unlike}, so it waits for the person as the agent's own: tenure review"
        made = write(project, system, source="agent:quote")
        return written(made, [*made.notes, own])
    if proof.missing:
        # A session was there to look at, and none of its turns holds the quote.
        hint = "Quote the user's own words of this session, letter for letter."
        raise Refused(f"Not kept: {proof.missing}.", hint=hint)
    known = set(project.store.ids()) if project.store.exists else set()
    made = write(project, system, source="agent:quote")
    if made.phase != "live":
        _wait(project, made.id, text, quote, same_as)
    near = same_meaning.nearest(project, text, made.id) if made.id not in known and not same_as else []
    why = "no session of this folder could be read yet; it is checked when one ends"
    return written(made, [*made.notes, why, *same_meaning.notes(near)], near)


class _Proof(NamedTuple):
    """The session in which the person's own words say what the text says, or why there is none.

    `missing`: a session was looked at and lacks the quote; `unlike`: one has it, and it says something else.
    """

    session: Session | None = None
    missing: str = ""
    unlike: str = ""


def _proof(project: Project, text: str, quote: str) -> _Proof:
    """Return what the sessions that go on here prove of a proposal; nothing where there is none to look at."""
    missing = unlike = ""
    for session in sessions_here.sessions_here(project):
        if problems := quote_gate.source_problems(text, quote, session):
            missing = missing or problems[0]
        elif other := quote_gate.unlike(text, quote, session):
            unlike = other
        else:
            return _Proof(session)
    return _Proof(None, missing, unlike)


def _write_proved(
    into: Project,
    ways: System,
    write: Callable[..., Written],
    text: str,
    quote: str,
    same_as: str,
    session: Session,
) -> Written:
    """Write down a proposal as the person's word, or as a repetition of the memory that says it already."""
    again, why = None, ""
    if same_as:
        proves = partial(_proves, quote, session)
        again, why = same_meaning.join(into, ways, same_as, text, run=session.id, proves=proves)
    known = set(into.store.ids()) if into.store.exists else set()
    made = written(again) if again else write(into, ways, source="user", run=session.id, proved=True)
    memory = _kept(into, made, quote)
    near = same_meaning.nearest(into, text, memory.id) if made.id not in known and not same_as else []
    return written(memory, [*filter(None, [why]), *made.notes, *same_meaning.notes(near)], near)


def _proves(quote: str, session: Session, text: str) -> bool:
    """Tell whether a quote of a session proves this text as well."""
    return not (quote_gate.source_problems(text, quote, session) or quote_gate.unlike(text, quote, session))


def _scope_of(same_as: str, project: Project, scope: str) -> str:
    """Return the scope of the memory that says it already, where only the user's store has it."""
    if not same_as or scope == user_store.SCOPE or (project.store.exists and project.store.get(same_as)):
        return scope
    path = locate.users().path
    if not path.exists():
        return scope
    users, _ = opened(locate.users(), agent=project.agent, surface=project.surface)
    try:
        return user_store.SCOPE if users.store.get(same_as) else scope
    finally:
        users.store.close()


def keep(
    project: Project, system: System, proposal: Mapping[str, Any], *, quote: str, run: str, dry_run: bool = False
) -> Decision:
    """Write down what the person asked to be kept, once per run, with their words; return what became of it."""
    kind, scope = str(proposal["kind"]), str(proposal.get("scope") or "project")
    # A scope that was guessed does not send a rule into other projects; the person has to say so.
    where = user_store.SCOPE if stated_rules.everywhere(quote) else "project"
    with user_store.target(project, system, where) as (into, ways):
        known, last = set(into.store.ids()), learned_lately.last_entry(into.store)
        memory = add.add(
            into,
            ways,
            str(proposal["text"]),
            kind=kind if kind in ways.kinds else ways.default_kind,
            files=proposal.get("files") or (),
            scope=user_store.SCOPE if stated_rules.everywhere(quote) else scope,
            run=run,
            source="user",
            proved=True,
            dry_run=dry_run,
        )
        is_new = memory.id not in known
        if not dry_run and (is_new or not quotes.of(into.store, memory.id)):
            into.store.keep(f"quote:{memory.id}", quote)
        if not dry_run:
            learned_lately.note_risen(into, [memory.id], last)
    action: Action = "create" if is_new else "noop"
    return Decision(action=action, id=memory.id, kind=kind, reasons=("the person asked for it to be kept",))


def prove_waiting(project: Project, system: System, session: Session) -> list[Decision]:
    """Approve the candidates whose quote the person really typed in this session."""
    if project.is_agents_role:
        return []
    waiting = _waiting(project)
    decisions = []
    for id, (text, quote, *named) in list(waiting.items()):
        row = project.store.get(id)
        if row is None or row.memory.phase != "pending":
            del waiting[id]
        elif repeated_from_tools.repeats(text, session):
            del waiting[id]
            with project.changing(makes=False) as batch:
                facts = {"trust": "external", "source": intake.REPEATED}
                why = "it repeats what a tool brought back"
                batch.record(row.memory, [change(row.memory, EventType.EDITED, batch.now, set=facts, reason=why)])
        elif not quote_gate.problems(row.memory.text, quote, session):
            # What is proved are the words that would be used, not those noted beside them.
            del waiting[id]
            with project.changing(makes=False) as batch:
                _approve(batch, row.memory)
            project.store.keep(f"quote:{id}", redact(quote)[0])
            if named and named[0] and (known := project.store.get(named[0])) and known.memory.phase != "gone":
                proves = partial(_proves, quote, session)
                joined, _ = same_meaning.join(project, system, known.memory.id, text, run=session.id, proves=proves)
                if joined is not None:
                    same_meaning.give_way(project, row.memory, joined.id)
            reason = ("its quote stands in what the person typed",)
            decisions.append(
                Decision(action="update", id=id, kind=row.memory.kind, reasons=reason, text=text, quote=quote)
            )
    learned_lately.note(project, [decision.id for decision in decisions])
    if decisions or waiting != _waiting(project):
        project.store.keep(WAITING, json.dumps(waiting))
    return decisions


def _kept(project: Project, memory: Memory, quote: str) -> Memory:
    """Let a memory whose quote was found be the person's word, and keep the quote beside it."""
    if memory.phase == "pending" and not project.is_agents_role:
        with project.changing(makes=False) as batch:
            memory = _approve(batch, batch.get(memory.id) or memory)
    project.store.keep(f"quote:{memory.id}", redact(quote)[0])
    learned_lately.note(project, [memory.id])
    return memory


def _approve(batch: Batch, memory: Memory) -> Memory:
    return add.approve(batch, memory, proved=True)


def _wait(project: Project, id: str, text: str, quote: str, same_as: str) -> None:
    waiting = {**_waiting(project), id: [text, redact(quote)[0], same_as]}
    project.store.keep(WAITING, json.dumps(dict(list(waiting.items())[-MOST_WAITING:])))


def _waiting(project: Project) -> dict[str, list[str]]:
    try:
        found = json.loads(project.store.setting(WAITING) or "{}")
    except (ValueError, TypeError):
        return {}
    return found if isinstance(found, dict) else {}
