"""Everything that happened, newest first, whole and filtered."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tenure.model import clock
from tenure.model.events import EventType
from tenure.surfaces.web.pages import Ask, Page

if TYPE_CHECKING:
    from tenure.workspace import Workspace

PER_PAGE = 100


def read(workspace: Workspace, ask: Ask) -> dict[str, Any]:
    """Return one page of the ledger."""
    before = ask.query.get("before", "")
    wanted = {name: ask.query.get(name, "").strip()[:200] for name in ("type", "id", "actor")}
    found = workspace.ledger(
        limit=ask.number("per", PER_PAGE, 200),
        before=int(before) if before.isdecimal() and len(before) < 18 else None,
        **wanted,
    )
    return {
        "entries": [
            {
                "seq": entry.seq,
                "at": clock.stamp(entry.event.at),
                "type": entry.event.type,
                "id": entry.event.memory_id,
                "actor": entry.event.actor,
                "reason": entry.event.reason,
                # What it was called when it began; later entries say what they changed.
                "title": str(entry.event.set.get("title", "")) if entry.version == 1 else "",
                "who": entry.event.detail.get("who") or {},
                "fields": [*entry.event.set, *entry.event.add] if entry.version > 1 else [],
                "erased": entry.erased,
            }
            for entry in found.entries
        ],
        "next": found.next,
        "types": {str(each): each.meaning for each in EventType},
        "wanted": wanted,
    }


PAGES = [Page("/ledger", "Ledger", "ledger.html", read, "/ledger.json")]
ACTS: list[Any] = []
