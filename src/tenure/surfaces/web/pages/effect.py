"""Whether memory helps here, as far as it is measured: for all memories together and for each one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from tenure.surfaces.web import plots
from tenure.surfaces.web.pages import Ask, Page

if TYPE_CHECKING:
    from tenure.workspace import Workspace

# So many memories are shown: those that were due most often.
MOST = 20


def read(workspace: Workspace, ask: Ask) -> dict[str, Any]:
    """Return what is measured."""
    report = msgspec.to_builtins(workspace.effect())
    report["memories"].sort(key=lambda one: (one["verdict"] == "cannot tell yet", -_exposures(one)))
    # A page has one list of notes, above everything.
    return {"effect": report, "most": MOST, "notes": report.pop("notes", [])}


def _exposures(memory: dict[str, Any]) -> int:
    return int(memory["shown"]["exposures"] + memory["held"]["exposures"])


def pictures(data: dict[str, Any]) -> dict[str, Any]:
    """Draw the whole as an interval; one memory alone has none that is exact at every look."""
    found = data["effect"]
    rows = []
    if found["change"] is not None and found["low"] is not None and found["high"] is not None:
        low, middle, high = (100 * found[name] for name in ("low", "change", "high"))
        rows.append(plots.Interval("all memories", round(low, 1), round(middle, 1), round(high, 1), found["verdict"]))
    return {"forest": plots.forest("Trouble in sessions that were shown memories, minus those that were not", rows)}


PAGES = [Page("/effect", "Effect", "effect.html", read, "/effect.json", pictures)]
ACTS: list[Any] = []
