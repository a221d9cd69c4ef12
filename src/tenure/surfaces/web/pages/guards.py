"""Guards: what each looks for and what came of it; its fires, and those of a dry run, judged by key."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from tenure.model.errors import BadRequest
from tenure.surfaces.web.pages import Act, Ask, Done, Page, unchanged, version

if TYPE_CHECKING:
    from tenure.workspace import Workspace

MOST_FIRES = 50
LEVELS = ("count", "remind", "ask", "deny")


def read(workspace: Workspace, ask: Ask) -> dict[str, Any]:
    """Return every guard; the dry run over past sessions is made for the one that is asked for."""
    found = [{**msgspec.to_builtins(each), "version": version(workspace, each.id)} for each in workspace.guards()]
    return {
        "guards": found,
        "dry": _dry_run(workspace, ask.query["try"]) if ask.query.get("try") else None,
        "levels": list(LEVELS),
        "most_fires": MOST_FIRES,
    }


def _dry_run(workspace: Workspace, id: str) -> dict[str, Any]:
    """Return where a guard, or the one a memory's words suggest, would have fired in sessions of the past."""
    memory = workspace.get(id)
    try:
        guard = workspace.suggested_guard(memory.id)
    except BadRequest as error:
        return {"id": memory.id, "title": memory.title, "why_not": f"{error.message} {error.hint}".strip()}
    return {
        **msgspec.to_builtins(workspace.try_guard(guard)),
        "id": memory.id,
        "version": version(workspace, memory.id),
        "title": memory.title,
        "why_not": "",
        "looks_for": guard.looks_for,
        "examples": {"fires": list(guard.fires), "passes": list(guard.passes)},
        "level": guard.level,
        "is_on": guard.state == "on",
        # The same fires of the past count once.
        "counts": guard.state != "on" and not guard.right and not guard.wrong,
    }


def judge(workspace: Workspace, ask: Ask) -> Done:
    """Say that a fire was right or wrong."""
    id, verdict = ask.field("id"), ask.field("verdict")
    if verdict not in ("right", "wrong"):
        raise BadRequest("A fire is right or wrong.", field="verdict")
    before = len(workspace.history(id))
    after = workspace.judge_guard(id, verdict, fire=ask.given("fire") or 0)
    entries = [entry.seq for entry in workspace.history(after.id)[before:]][:1]
    return Done(" ".join([f"A fire of {after.id} was {verdict}.", *after.notes]), entries)


def switch(workspace: Workspace, ask: Ask) -> Done:
    """Switch a guard on at a step of its ladder, or off."""
    id, level = ask.field("id"), ask.field("level")
    unchanged(workspace, ask, id)
    before = len(workspace.history(id))
    if level == "off":
        after = workspace.guard_off(id)
    elif level in LEVELS:
        after = workspace.confirm_guard(id, level, judged=_judged(ask))  # type: ignore[arg-type]
    else:
        raise BadRequest(f"{level!r} is not a step; expected one of {', '.join(LEVELS)} or off.", field="level")
    entries = [entry.seq for entry in workspace.history(after.id)[before:]][:1]
    return Done(" ".join([f"The guard of {after.id}: {level}.", *after.notes]), entries)


def _judged(ask: Ask) -> dict[str, int]:
    """Return how many fires of a dry run were right and wrong; those that were skipped count for nothing."""
    verdicts = [values[0] for name, values in ask.form.items() if name.startswith("fire:")]
    return {verdict: verdicts.count(verdict) for verdict in ("right", "wrong") if verdict in verdicts}


PAGES = [Page("/guards", "Guards", "guards.html", read, "/guards.json")]
ACTS = [Act("/guards/judge", judge), Act("/guards/switch", switch)]
