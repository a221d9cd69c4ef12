"""Learning from one session: what the person corrected becomes proposals, what was cited gets its outcome."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tenure.capture import hosts
from tenure.capture.corrections import corrections
from tenure.capture.outcomes import outcomes as read_outcomes

if TYPE_CHECKING:
    from tenure.workspace import Workspace


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
    turns = list(hosts.turns(host, transcript, session)) if transcript or host == "opencode" else []
    proposals = [
        {
            "kind": found.kind if found.kind in workspace.customs.kinds else workspace.customs.default_kind,
            "text": found.text,
            "source": f"agent:{host}",
            "evidence": [f"session:{session}"],
        }
        for found in corrections(turns)
    ]
    decisions = workspace.capture(proposals, run=session, dry_run=dry_run) if proposals else []
    shown = {id for line in journal for id in line.get("shown") or () if isinstance(id, str)}
    shown |= workspace.store.shown_in(session)
    found = read_outcomes(journal, turns, shown)
    changed = workspace.outcomes(found, session=session, by=host) if found and not dry_run else []
    return {"decisions": decisions, "outcomes": found, "changed": [memory.id for memory in changed]}
