"""All memories: filtered, sorted, a page at a time, and several retired at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tenure.model.errors import BadRequest, TenureError
from tenure.model.memory import SCOPES, as_json
from tenure.surfaces.web.pages import Act, Ask, Done, Page

if TYPE_CHECKING:
    from tenure.workspace import Workspace

PER_PAGE = 50
FILTERS = ("phase", "state", "kind", "scope", "file", "text")
SORTS = {"newest": "newest first", "oldest": "oldest first", "weight": "weightiest first", "id": "by id"}
PHASES = ("pending", "live", "held", "gone", "all")


def read(workspace: Workspace, ask: Ask) -> dict[str, Any]:
    """Return one page of memories and what they can be filtered by."""
    wanted = {name: ask.query.get(name, "").strip()[:200] for name in FILTERS}
    sort = ask.query.get("sort") or "newest"
    limit = ask.number("per", PER_PAGE, 200)
    found = workspace.browse(limit=limit, sort=sort, after=ask.query.get("after", ""), **wanted)
    totals = workspace.totals()
    return {
        "memories": [as_json(memory) for memory in found.memories],
        "next": found.next,
        "total": totals.memories,
        "states": totals.states,
        "kinds": totals.kinds,
        "scopes": list(SCOPES),
        "phases": list(PHASES),
        "sorts": SORTS,
        "sort": sort,
        "wanted": wanted,
        "is_filtered": any(wanted.values()),
    }


def retire(workspace: Workspace, ask: Ask) -> Done:
    """Retire several memories; each can be restored, and all come back with one undo."""
    ids = ask.form.get("id", [])
    if not ids:
        raise BadRequest("No memory was chosen.", hint="Select some first.")
    entries, refused = [], []
    for id in ids:
        before = len(workspace.history(id))
        try:
            workspace.retire(id, reason=ask.field("reason", needed=False) or "retired from the list")
            entries.append(workspace.history(id)[before].seq)
        except TenureError as error:
            refused.append(f"{id}: {error.message}")
    said = f"{len(entries)} {'memory' if len(entries) == 1 else 'memories'} retired." if entries else ""
    return Done(f"{said} {'Not done: ' + ' '.join(refused) if refused else ''}".strip(), entries)


PAGES = [Page("/memories", "Memories", "memories.html", read, "/memories.json")]
ACTS = [Act("/retire", retire)]
