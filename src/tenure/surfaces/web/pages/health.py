"""How a store goes, week by week."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from tenure.surfaces.web import plots
from tenure.surfaces.web.pages import Ask, Page

if TYPE_CHECKING:
    from tenure.workspace import Workspace

WEEKS = 12


def read(workspace: Workspace, ask: Ask) -> dict[str, Any]:
    """Return the weeks and what they come to."""
    found = workspace.trend(ask.number("weeks", WEEKS, 52))
    decided = sum(week.approved + week.rejected for week in found.weeks)
    rejected = sum(week.rejected for week in found.weeks)
    return {
        **msgspec.to_builtins(found),
        "junk_rate": round(rejected / decided, 3) if decided else None,
        "decided": decided,
        "queue": [week.phases["pending"] + week.phases["held"] for week in found.weeks],
        "has_any": any(sum(week.phases.values()) for week in found.weeks),
    }


def pictures(data: dict[str, Any]) -> dict[str, Any]:
    """Return the plots of the page."""
    weeks = data["weeks"]
    labels = [week["monday"][5:] for week in weeks]
    phases = {phase: [week["phases"][phase] for week in weeks] for phase in ("live", "pending", "held", "gone")}
    happened = {name: [week[name] for week in weeks] for name in ("born", "promoted", "decayed")}
    junk = [_percent(week["rejected"], week["approved"] + week["rejected"]) for week in weeks]
    share = "Rejected, in percent of what was decided in each week"
    ages = data["unverified"]
    return {
        "phases": plots.stacked("Memories by phase at the end of each week", labels, phases),
        "happened": plots.lines("Born, promoted and decayed in each week", labels, happened),
        "junk": plots.lines(share, labels, {"rejected": junk}, unit=" %"),
        "queue": plots.lines("Waiting at the end of each week", labels, {"waiting": data["queue"]}),
        "injections": plots.lines("Injections in each week", labels, {"injections": [w["injections"] for w in weeks]}),
        "ages": plots.stacked(
            "Live memories by days since they were verified",
            [f"≤ {days}" for days in ages],
            {"memories": list(ages.values())},
        ),
        "spark": plots.sparkline("Waiting by week", data["queue"]),
    }


def _percent(part: int, whole: int) -> int:
    return round(100 * part / whole) if whole else 0


PAGES = [Page("/health", "Health", "health.html", read, "/health.json", pictures)]
ACTS: list[Any] = []
