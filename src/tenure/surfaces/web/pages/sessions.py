"""What agents were shown: session by session, and each injection exactly as it was."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from tenure.model.errors import UnknownId
from tenure.surfaces.web import shown
from tenure.surfaces.web.pages import Ask, Page

if TYPE_CHECKING:
    from tenure.workspace import Workspace

MOST = 30


def read(workspace: Workspace, ask: Ask) -> dict[str, Any]:
    """Return the last sessions."""
    found = workspace.sessions(ask.number("limit", MOST, 100))
    return {"sessions": [msgspec.to_builtins(each) for each in found]}


def injection(workspace: Workspace, ask: Ask) -> dict[str, Any]:
    """Return one injection as it was shown."""
    number = ask.path["number"]
    found = workspace.replay(int(number)) if number.isdecimal() and len(number) < 15 else None
    if found is None:
        raise UnknownId("There is no injection of this number.", hint="The sessions page lists them.")
    biggest = shown.biggest(each.terms for each in found.memories)
    document = msgspec.to_builtins(found)
    for memory in document["memories"]:
        memory["bars"] = shown.bars(memory["terms"], biggest)
    return {"replay": document}


PAGES = [
    Page("/now", "Sessions", "sessions.html", read, "/now.json"),
    Page("/injection/{number}", "", "injection.html", injection, "/injection/{number}.json"),
]
ACTS: list[Any] = []
