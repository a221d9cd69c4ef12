"""Learning from sessions of agents: what was said becomes proposals, what was cited gets its outcome."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from tenure.capture import hosts, past
from tenure.capture.corrections import corrections
from tenure.capture.outcomes import outcomes as read_outcomes
from tenure.capture.transcripts import Turn
from tenure.redact import redact
from tenure.store import opencode
from tenure.text import jaccard, words

if TYPE_CHECKING:
    from tenure.workspace import Workspace

# A rule whose words a draft has already is not proposed a second time.
SAME_SHARE = 0.6


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
    turns = list(hosts.turns(host, transcript, rows)) if transcript or rows else []
    found = proposals(workspace, turns, session=session, host=host, transcript=transcript)
    decisions = workspace.capture(found, run=session, dry_run=dry_run) if found else []
    shown = {id for line in journal for id in line.get("shown") or () if isinstance(id, str)}
    shown |= workspace.store.shown_in(session)
    told = read_outcomes(journal, turns, shown)
    changed = workspace.outcomes(told, session=session, by=host) if told and not dry_run else []
    return {"decisions": decisions, "outcomes": told, "changed": [memory.id for memory in changed]}


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


def proposals(
    workspace: Workspace, turns: Sequence[Turn], *, session: str, host: str, transcript: str
) -> list[dict[str, Any]]:
    """Return what a session suggests: verified drafts, and the rules the person stated that no draft holds."""
    from tenure.workspace import sessions  # start-up: most commands learn from no session

    kinds = workspace.customs.kinds
    drafts, _ = sessions.drafts(transcript, workspace.policy, kinds, run=session, turns=turns)
    known = [set(words(str(draft["text"]))) for draft in drafts]
    rules = [
        {
            "kind": rule.kind if rule.kind in kinds else workspace.customs.default_kind,
            "text": redact(rule.text)[0],
            "source": f"agent:{host}",
            "evidence": [f"session:{session}"],
        }
        for rule in corrections(turns)
        if not any(jaccard(set(words(rule.text)), others) >= SAME_SHARE for others in known)
    ]
    return [*drafts, *rules]
