"""Learning from sessions of agents: what the person said becomes memories, what was cited gets its outcome.

What a session suggests is one thing, what becomes of it another: each system has its own rules for that, and `learn`
asks the workspace's system. A session comes through `learn_session` whether a file, `--agent`
or the worker brings it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from tenure.capture import hosts, own_words, past, sessions, stated
from tenure.capture.outcomes import outcomes as read_outcomes
from tenure.capture.reading import Session
from tenure.model.errors import Refused
from tenure.rules.consolidate import Decision
from tenure.store import opencode
from tenure.text.redact import redact
from tenure.text.suspicion import suspicious
from tenure.text.words import folded, jaccard, words

if TYPE_CHECKING:
    from tenure.workspace import Workspace

__all__ = ["Session", "learn", "learn_past", "learn_session", "lessons", "native", "proposals"]

# A rule whose words a draft has already is not proposed a second time.
SAME_SHARE = 0.6
# Keyed hashes of what the person typed in the last sessions, by which copies and templates are known.
SEEN_TURNS, SEEN_SESSIONS = "session_turns", 100
_TAKEN_BACK = re.compile(r"^\W*(?:please )?(?:forget|don'?t remember) (?:that|it|this)\b", re.IGNORECASE)


class Suggestion(NamedTuple):
    """What a session suggests: a proposal, the person's words, and whether they asked for it to be kept."""

    proposal: dict[str, Any]
    quote: str
    explicit: bool


def learn(
    workspace: Workspace,
    *,
    session: str,
    host: str,
    transcript: str,
    journal: Sequence[Mapping[str, Any]] = (),
    dry_run: bool = False,
) -> dict[str, Any]:
    """Return what became of the proposals and which memories an outcome changed; both are safe to repeat."""
    held = read(session, host, transcript)
    decisions = learn_session(workspace, held, dry_run=dry_run)
    shown = {id for line in journal for id in line.get("shown") or () if isinstance(id, str)}
    shown |= {id for past in workspace.store.activity.shown(run=session) for id in past.ids}
    told = read_outcomes(journal, held.turns, shown)
    changed = workspace.outcomes(told, session=session, by=host) if told and not dry_run else []
    return {"decisions": decisions, "outcomes": told, "changed": [memory.id for memory in changed]}


def read(session: str, host: str, transcript: str) -> Session:
    """Return one session as its file, or OpenCode's database, tells it; without turns when neither does."""
    stored = host == "opencode" and not transcript.endswith(".json")
    rows = opencode.parts(transcript or hosts.opencode_database(), session) if stored else ()
    found = sessions.read(transcript, host, rows) if transcript or rows else []
    held = found[-1] if found else Session(session, host, transcript, [], left_out=[])
    return held._replace(id=session or held.id, host=host or held.host)


def learn_session(workspace: Workspace, session: Session, *, dry_run: bool = False) -> list[Decision]:
    """Return what a session taught; `remember`'s open quotes are checked against it as well."""
    if not session.turns:
        return []
    from tenure.usecases import remember  # start-up: most commands learn from no session

    decisions = workspace.system.learn(workspace, session, dry_run=dry_run)
    if not dry_run:
        decisions = [*remember.prove_waiting(workspace, session), *decisions, *_taken_back(workspace, session)]
    return decisions


def native(workspace: Workspace, session: Session, *, dry_run: bool) -> list[Decision]:
    """Keep what the person asked to be kept, and consolidate everything else the session suggests."""
    found = suggestions(workspace, session)
    there = workspace.store.exists
    if not (found or there) or (dry_run and not there):
        # Nothing is made for a session that teaches nothing.
        run, repeated = session.id, list[str]()
    else:
        run, repeated = _run(workspace, session, dry_run=dry_run)
    found = [one for one in found if not any(folded(one.quote) in known for known in repeated)]
    decisions: list[Decision] = []
    if plain := [one for one in found if not _asked_for(one)]:
        made = workspace.capture([one.proposal for one in plain], run=run, dry_run=dry_run)
        decisions += [_told(decision, one) for decision, one in zip(made, plain, strict=True)]
    for one in found:
        if _asked_for(one):
            decisions.append(_told(_kept(workspace, one, run, dry_run=dry_run), one))
    if not dry_run:
        for decision in decisions:
            if decision.action in ("create", "update") and decision.quote:
                workspace.store.keep(f"quote:{decision.id}", decision.quote)
    return decisions


def learn_past(
    workspace: Workspace,
    agent: str,
    since: datetime,
    *,
    dry_run: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> dict[str, Any]:
    """Learn from the sessions an agent still has of this project; return how many and what became of them."""
    rows = opencode.sessions(hosts.opencode_database()) if agent == "opencode" else ()
    waiting = past.sessions(agent, workspace.place.project, since, rows)
    decisions: list[Any] = []
    for number, found in enumerate(waiting, start=1):
        told = learn(workspace, session=found.id, host=agent, transcript=found.path, dry_run=dry_run)
        decisions += told["decisions"]
        if progress:
            progress(number, len(waiting))
    return {"sessions": len(waiting), "decisions": decisions}


def proposals(workspace: Workspace, session: Session) -> list[dict[str, Any]]:
    """Return what a session suggests, as proposals of the workspace's kinds."""
    return [one.proposal for one in suggestions(workspace, session)]


def suggestions(workspace: Workspace, session: Session) -> list[Suggestion]:
    """Return the rules the person stated, and drafts of what else they said in so many words."""
    from tenure.usecases import session_drafts  # start-up: most commands learn from no session

    kinds = workspace.system.kinds
    drafts, left = session_drafts.drafts(session, workspace.policy, kinds)
    workspace.notes += [item["why"] for item in left if item["title"] == session_drafts.DRAFTER]
    session.left_out.extend(left)
    rules = [
        Suggestion(
            {
                "kind": rule.kind if rule.kind in kinds else workspace.system.default_kind,
                "text": redact(rule.text)[0],
                "source": f"agent:{session.host}",
                "scope": rule.scope,
                "evidence": [f"session:{session.id}"],
            },
            redact(rule.quote)[0],
            rule.explicit,
        )
        for rule in stated.stated(session)
    ]
    known = [set(words(str(one.proposal["text"]))) for one in rules]
    fresh = [
        Suggestion(draft, str(draft["text"]), False)
        for draft in drafts
        if not any(jaccard(set(words(str(draft["text"]))), others) >= SAME_SHARE for others in known)
    ]
    return [*rules, *fresh]


def lessons(workspace: Workspace, session: Session) -> tuple[list[dict[str, Any]], list[Decision]]:
    """Return what a session suggests, and a refusal for what reads like an instruction to an agent.

    For systems that consolidate by rules of their own, where such a text could not wait for a person.
    """
    found = proposals(workspace, session)
    good, refused = [], []
    for item in found:
        if flags := suspicious(str(item["text"])):
            why = f"reads like an instruction: {', '.join(flags)}"
            refused.append(Decision(action="noop", id="", kind=str(item["kind"]), reasons=(why,)))
        else:
            good.append(item)
    return good, refused


def suggested_only(workspace: Workspace, session: Session, why: str = "") -> list[Decision]:
    """Return what a session suggests without writing it: a system's folder gets no live file that nobody kept."""
    said = why or "what a session suggests is not written here by itself; keep it with: tenure add"
    return [
        Decision(
            action="noop",
            id="",
            kind=str(one.proposal["kind"]),
            reasons=(said,),
            text=str(one.proposal["text"]),
            quote=one.quote,
        )
        for one in suggestions(workspace, session)
    ]


def _asked_for(one: Suggestion) -> bool:
    return one.explicit and not suspicious(f"{one.proposal['text']}\n{one.quote}")


def _kept(workspace: Workspace, one: Suggestion, run: str, *, dry_run: bool) -> Decision:
    """Write down, as the person's word, what they asked to be kept."""
    from tenure.usecases import remember

    kind = str(one.proposal["kind"])
    try:
        return remember.keep(workspace, one.proposal, run=run, dry_run=dry_run)
    except Refused as refusal:
        return Decision(action="noop", id="", kind=kind, reasons=(refusal.message,))


def _told(decision: Decision, one: Suggestion) -> Decision:
    return msgspec.structs.replace(decision, text=str(one.proposal["text"]), quote=one.quote)


def _run(workspace: Workspace, session: Session, *, dry_run: bool) -> tuple[str, list[str]]:
    """Return the run a session counts as, and the folded turns that stood word for word in another one."""
    store = workspace.store
    if not dry_run:
        # The store's key makes the hashes, so there has to be one.
        with workspace.changing():
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


def _taken_back(workspace: Workspace, session: Session) -> list[Decision]:
    """Retire what was learned last in this session when the person then said to forget it."""
    if not any(_TAKEN_BACK.match(turn.text) for turn in own_words.own_turns(session.turns)):
        return []
    mine = [memory for memory in workspace.memories(phase="live") if memory.runs[-1:] == (session.id,)]
    quoted = [memory for memory in mine if workspace.store.setting(f"quote:{memory.id}")]
    if not quoted:
        return []
    last = max(quoted, key=lambda memory: memory.created_at)
    workspace.retire(last.id, reason="the person said to forget it")
    why = "the person said to forget it"
    return [Decision(action="retire", id=last.id, kind=last.kind, reasons=(why,), text=last.text)]


def as_rows(decisions: Iterable[Decision]) -> list[dict[str, Any]]:
    """Return decisions as plain values, for surfaces."""
    return [msgspec.to_builtins(decision) for decision in decisions]
