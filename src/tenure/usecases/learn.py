"""Learning from sessions of agents: what was said becomes proposals, what was cited gets its outcome.

What a session suggests is one thing, what becomes of it another: each system has its own rules for that, and `learn`
asks the workspace's system.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from tenure.capture import hosts, past
from tenure.capture.corrections import corrections
from tenure.capture.outcomes import outcomes as read_outcomes
from tenure.capture.transcripts import Turn
from tenure.rules.consolidate import Decision
from tenure.store import opencode
from tenure.text.redact import redact
from tenure.text.suspicion import suspicious
from tenure.text.words import jaccard, words

if TYPE_CHECKING:
    from tenure.workspace import Workspace

# A rule whose words a draft has already is not proposed a second time.
SAME_SHARE = 0.6
# A longer session is judged by its last part.
MAX_SPOKEN_CHARACTERS = 4_000_000


class Session(NamedTuple):
    """One session of an agent, and what was said in it."""

    id: str
    host: str
    transcript: str
    turns: list[Turn]


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
    rows = opencode.parts(transcript or hosts.opencode_database(), session) if host == "opencode" else ()
    turns = _last_part(hosts.turns(host, transcript, rows)) if transcript or rows else []
    held = Session(session, host, transcript, turns)
    decisions = workspace.system.learn(workspace, held, dry_run=dry_run) if turns else []
    shown = {id for line in journal for id in line.get("shown") or () if isinstance(id, str)}
    shown |= {id for past in workspace.store.activity.shown(run=session) for id in past.ids}
    told = read_outcomes(journal, turns, shown)
    changed = workspace.outcomes(told, session=session, by=host) if told and not dry_run else []
    return {"decisions": decisions, "outcomes": told, "changed": [memory.id for memory in changed]}


def native(workspace: Workspace, session: Session, *, dry_run: bool) -> list[Decision]:
    """Consolidate everything the session suggests."""
    found = proposals(workspace, session)
    return workspace.capture(found, run=session.id, dry_run=dry_run) if found else []


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
    """Return what a session suggests: verified drafts, and the rules the person stated that no draft holds."""
    from tenure.usecases import session_drafts  # start-up: most commands learn from no session

    kinds = workspace.system.kinds
    turns = session.turns
    drafts, left = session_drafts.drafts(session.transcript, workspace.policy, kinds, run=session.id, turns=turns)
    workspace.notes += [item["why"] for item in left if item["title"] == session_drafts.DRAFTER]
    known = [set(words(str(draft["text"]))) for draft in drafts]
    rules = [
        {
            "kind": rule.kind if rule.kind in kinds else workspace.system.default_kind,
            "text": redact(rule.text)[0],
            "source": f"agent:{session.host}",
            "evidence": [f"session:{session.id}"],
        }
        for rule in corrections(turns)
        if not any(jaccard(set(words(rule.text)), others) >= SAME_SHARE for others in known)
    ]
    return [*drafts, *rules]


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


def _last_part(turns: Iterable[Turn]) -> list[Turn]:
    """Return the last turns, as many as hold what a session may say."""
    kept: deque[Turn] = deque()
    weight = 0
    for turn in turns:
        kept.append(turn)
        weight += len(turn.text)
        while weight > MAX_SPOKEN_CHARACTERS and len(kept) > 1:
            weight -= len(kept.popleft().text)
    return list(kept)
