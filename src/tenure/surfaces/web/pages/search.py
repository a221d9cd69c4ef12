"""Searching, explained: how the words were read, what each signal adds, and what an agent would be shown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from tenure.surfaces.web import shown as shown_as
from tenure.surfaces.web.pages import Ask, Page

if TYPE_CHECKING:
    from tenure.workspace import Workspace

MOST = 20
MOST_QUERY = 2000
# A hit is as high as its bars; a memory's own page has all of them.
MOST_BARS = 4


def read(workspace: Workspace, ask: Ask) -> dict[str, Any]:
    """Return what a query finds and why; nothing without one."""
    query = ask.query.get("q", "")[:MOST_QUERY].strip()
    if not query:
        return {"q": "", "hits": [], "explained": None, "injection": None, "total": workspace.totals().memories}
    hits = workspace.search(query, limit=ask.number("limit", MOST, 100), all=ask.query.get("all") == "1")
    found = workspace.preview(query)
    shown = {chosen.id: chosen.why for chosen in found.memories}
    not_shown = {left.id: left.why for left in found.suppressed}
    texts = {item.memory.id: item.memory for item in workspace.dossiers([hit.id for hit in hits])}
    biggest = shown_as.biggest(hit.terms for hit in hits)
    return {
        "q": query,
        "hits": [
            {
                **msgspec.to_builtins(hit),
                "text": texts[hit.id].text if hit.id in texts else "",
                "phase": texts[hit.id].phase if hit.id in texts else "",
                "shown": hit.id in shown,
                "why_not": "" if hit.id in shown else not_shown.get(hit.id) or _why_not(texts.get(hit.id)),
                "bars": shown_as.bars(hit.terms, biggest, MOST_BARS),
            }
            for hit in hits
        ],
        "explained": msgspec.to_builtins(workspace.explain(query)),
        "injection": {"block": found.block, "notes": list(found.notes)},
        "total": workspace.totals().memories,
    }


def _why_not(memory: Any) -> str:
    if memory is not None and memory.phase != "live":
        return f"it is {memory.state.replace('_', ' ')}, and only live memories are shown"
    return "it does not answer this closely enough"


PAGES = [Page("/search", "Search", "search.html", read, "/search.json")]
ACTS: list[Any] = []
