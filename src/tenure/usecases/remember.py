"""`remember`: what an agent proposes in its words, proved by the person's.

A quote that stands in what the person typed in this session makes the proposal the person's word: live at once. What
cannot be checked yet waits as a candidate, and the worker checks it when the session is over.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from tenure.capture import quote_gate
from tenure.capture.reading import Session
from tenure.model.errors import Refused
from tenure.model.memory import Memory
from tenure.rules import review
from tenure.rules.consolidate import Action, Decision
from tenure.spool import journal, pending
from tenure.text.redact import redact
from tenure.text.suspicion import suspicious
from tenure.usecases import add, learn
from tenure.usecases.batch import Batch

if TYPE_CHECKING:
    from tenure.workspace import Workspace

# Proposals whose quote waits to be found: id -> text and quote.
WAITING = "unproven_quotes"
MOST_WAITING = 200
# So many of this folder's latest sessions are looked at for a quote.
MOST_SESSIONS = 4


class Remembering(NamedTuple):
    """What became of a proposal: the memory, whether its quote was proved, and why not."""

    memory: Memory
    proved: bool
    problems: tuple[str, ...]


def remember(workspace: Workspace, text: str, *, quote: str, same_as: str = "", **fields: Any) -> Remembering:
    """Write down a proposal; raise `Refused` when its quote is wrong for sure."""
    wrong = quote_gate.form_problems(text, quote)
    wrong += [f"it reads like an instruction ({flag})" for flag in suspicious(f"{text}\n{quote}")]
    if wrong:
        raise Refused(f"Not kept: {'; '.join(wrong)}.")
    found: list[str] = []
    for session in sessions_here(workspace):
        problems = quote_gate.source_problems(text, quote, session)
        if not problems:
            return Remembering(_proved(workspace, text, quote, session, same_as, fields), True, ())
        found.append(problems[0])
    if found:
        # A session was there to look at, and none of its turns holds the quote.
        raise Refused(f"Not kept: {found[0]}.", hint="Quote the user's own words of this session, letter for letter.")
    fields.pop("source", None)
    memory = workspace.add(text, source="agent:quote", **fields)
    if memory.phase != "live":
        _wait(workspace, memory.id, text, quote)
    return Remembering(memory, False, ("no session of this folder could be read yet; it is checked when one ends",))


def keep(workspace: Workspace, proposal: Mapping[str, Any], *, run: str, dry_run: bool = False) -> Decision:
    """Write down what the person asked to be kept, once per run; return what became of it."""
    kind = str(proposal["kind"])
    with workspace.changing(dry_run=dry_run) as batch:
        known = set(batch.store.ids())
        memory, _ = add.add(
            batch,
            str(proposal["text"]),
            kind=kind,
            scope=str(proposal.get("scope") or "project"),
            run=run,
            source="user",
            proved=True,
        )
    action: Action = "create" if memory.id not in known else "noop"
    return Decision(action=action, id=memory.id, kind=kind, reasons=("the person asked for it to be kept",))


def prove_waiting(workspace: Workspace, session: Session) -> list[Decision]:
    """Approve the candidates whose quote the person really typed in this session."""
    waiting = _waiting(workspace)
    decisions = []
    for id, (text, quote) in list(waiting.items()):
        row = workspace.store.get(id)
        if row is None or row.memory.phase != "pending":
            del waiting[id]
        elif not quote_gate.problems(text, quote, session):
            del waiting[id]
            with workspace.changing(makes=False) as batch:
                _approve(batch, row.memory)
            workspace.store.keep(f"quote:{id}", redact(quote)[0])
            reason = ("its quote stands in what the person typed",)
            decisions.append(
                Decision(action="update", id=id, kind=row.memory.kind, reasons=reason, text=text, quote=quote)
            )
    if decisions or waiting != _waiting(workspace):
        workspace.store.keep(WAITING, json.dumps(waiting))
    return decisions


def sessions_here(workspace: Workspace) -> Iterator[Session]:
    """Yield the sessions that go on in this project, the latest first, as the hooks' journals name them."""
    root = os.path.realpath(workspace.place.project)
    for path in _journals():
        facts: dict[str, str] = {}
        for line in journal.lines(path):
            facts |= {key: value for key, value in line.items() if isinstance(value, str) and value}
        folder = os.path.realpath(facts.get("folder", ""))
        if not facts.get("session") or not (folder == root or folder.startswith(root + os.sep)):
            continue
        session = learn.read(facts["session"], facts.get("host", ""), facts.get("transcript", ""))
        if session.turns:
            yield session


def _journals() -> list[str]:
    try:
        names = [name for name in os.listdir(journal.folder()) if name.endswith((".jsonl", pending.TAKEN))]
    except OSError:
        return []
    paths = [os.path.join(journal.folder(), name) for name in names]
    return sorted(paths, key=lambda path: -os.path.getmtime(path) if os.path.exists(path) else 0.0)[:MOST_SESSIONS]


def _proved(
    workspace: Workspace, text: str, quote: str, session: Session, same_as: str, fields: dict[str, Any]
) -> Memory:
    fields = {**fields, "source": "user", "proved": True}
    with workspace.changing() as batch:
        known = batch.get(workspace.resolve(same_as)) if same_as else None
        if known is not None and known.phase != "gone":
            memory = add.say_again(batch, known, run=session.id, source="user")
        else:
            memory, notes = add.add(batch, text, run=session.id, **fields)
            workspace.notes += notes
        if memory.phase == "pending":
            memory = _approve(batch, memory)
    workspace.store.keep(f"quote:{memory.id}", redact(quote)[0])
    return memory


def _approve(batch: Batch, memory: Memory) -> Memory:
    return batch.record(memory, review.decide(memory, "approve", batch.policy, batch.now, by="user")) or memory


def _wait(workspace: Workspace, id: str, text: str, quote: str) -> None:
    waiting = {**_waiting(workspace), id: [text, redact(quote)[0]]}
    workspace.store.keep(WAITING, json.dumps(dict(list(waiting.items())[-MOST_WAITING:])))


def _waiting(workspace: Workspace) -> dict[str, list[str]]:
    try:
        found = json.loads(workspace.store.setting(WAITING) or "{}")
    except (ValueError, TypeError):
        return {}
    return found if isinstance(found, dict) else {}
