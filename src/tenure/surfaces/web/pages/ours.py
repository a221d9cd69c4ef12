"""What is shared: the team's files and whether they count here, what waits for trust, the person's other machines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from tenure.surfaces.web.pages import Ask, Page

if TYPE_CHECKING:
    from tenure.workspace import Workspace


def read(workspace: Workspace, ask: Ask) -> dict[str, Any]:
    """Return how sharing stands."""
    found = workspace.sharing()
    shares = bool(found.files or found.waiting or found.remotes or found.machines or found.outbox or found.offline)
    return {**msgspec.to_builtins(found), "has_any": shares}


PAGES = [Page("/ours", "Ours", "ours.html", read, "/ours.json")]
ACTS: list[Any] = []
