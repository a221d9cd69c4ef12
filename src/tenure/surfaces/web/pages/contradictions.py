"""Memories that give opposite advice, side by side: keep one, keep both and say why, or make one of two."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tenure.model.errors import BadRequest
from tenure.model.memory import as_json
from tenure.surfaces.web.pages import Act, Ask, Done, Page, unchanged, version

if TYPE_CHECKING:
    from tenure.workspace import Workspace

MOST = 20


def read(workspace: Workspace, ask: Ask) -> dict[str, Any]:
    """Return the pairs."""
    found = workspace.contradictions(ask.number("limit", MOST, 100))
    return {
        "pairs": [
            {
                "left": as_json(each.left),
                "left_version": version(workspace, each.left.id),
                "right": as_json(each.right),
                "right_version": version(workspace, each.right.id),
            }
            for each in found
        ]
    }


def settle(workspace: Workspace, ask: Ask) -> Done:
    """Settle one contradiction."""
    left, right, keep = ask.field("left"), ask.field("right"), ask.field("keep")
    reason = ask.field("reason", needed=False).strip()
    for id in (left, right):
        unchanged(workspace, ask, id)
    if keep == "both":
        workspace.reconcile(left, right, by=ask.by, reason=reason)
        return Done(f"{left} and {right} both stay.", [workspace.history(left)[-1].seq])
    if keep == "merge":
        before = len(workspace.history(left))
        workspace.edit(left, text=ask.field("text"))
        gone = workspace.review(right, "supersede", by=ask.by, successor=left, rationale=reason or "merged")
        entries = [entry.seq for entry in workspace.history(left)[before:]][:1]
        return Done(f"{left} says both now; {gone.id} is {gone.state}.", [*entries, _last(workspace, right)])
    if keep not in ("left", "right"):
        raise BadRequest("Choose left, right, both or merge.", field="keep")
    winner, loser = (left, right) if keep == "left" else (right, left)
    gone = workspace.review(loser, "supersede", by=ask.by, successor=winner, rationale=reason or "contradicted")
    return Done(f"{winner} stands; {gone.id} is {gone.state}.", [_last(workspace, loser)])


def _last(workspace: Workspace, id: str) -> int:
    return workspace.history(id)[-1].seq


PAGES = [Page("/contradictions", "Contradictions", "contradictions.html", read, "/contradictions.json")]
ACTS = [Act("/settle", settle)]
