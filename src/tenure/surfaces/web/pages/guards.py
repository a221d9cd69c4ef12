"""Guards: what each looks for, what came of it, and its fires judged right or wrong by key."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from tenure.model.errors import BadRequest
from tenure.surfaces.web.pages import Act, Ask, Done, Page

if TYPE_CHECKING:
    from tenure.workspace import Workspace

MOST_FIRES = 20
LEVELS = ("count", "remind", "ask", "deny")


def read(workspace: Workspace, ask: Ask) -> dict[str, Any]:
    """Return every guard; the dry run over past sessions is made for the one that is asked for."""
    found = [msgspec.to_builtins(each) for each in workspace.guards()]
    tried = ask.query.get("try", "")
    dry = msgspec.to_builtins(workspace.try_guard(workspace.suggested_guard(tried))) if tried else None
    return {"guards": found, "tried": tried, "dry": dry, "levels": list(LEVELS), "most_fires": MOST_FIRES}


def judge(workspace: Workspace, ask: Ask) -> Done:
    """Say that a fire was right or wrong."""
    id, verdict, fire = ask.field("id"), ask.field("verdict"), ask.field("fire", needed=False)
    if verdict not in ("right", "wrong"):
        raise BadRequest("A fire is right or wrong.", field="verdict")
    before = len(workspace.history(id))
    after = workspace.judge_guard(id, verdict, fire=int(fire) if fire.isdecimal() else 0)
    entries = [entry.seq for entry in workspace.history(after.id)[before:]][:1]
    return Done(" ".join([f"A fire of {after.id} was {verdict}.", *after.notes]), entries)


def switch(workspace: Workspace, ask: Ask) -> Done:
    """Switch a guard on at a step of its ladder, or off."""
    id, level = ask.field("id"), ask.field("level")
    before = len(workspace.history(id))
    if level == "off":
        after = workspace.guard_off(id)
    elif level in LEVELS:
        after = workspace.confirm_guard(id, level)  # type: ignore[arg-type]
    else:
        raise BadRequest(f"{level!r} is not a step; expected one of {', '.join(LEVELS)} or off.", field="level")
    entries = [entry.seq for entry in workspace.history(after.id)[before:]][:1]
    return Done(" ".join([f"The guard of {after.id}: {level}.", *after.notes]), entries)


PAGES = [Page("/guards", "Guards", "guards.html", read, "/guards.json")]
ACTS = [Act("/guards/judge", judge), Act("/guards/switch", switch)]
