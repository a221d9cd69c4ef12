"""How a store goes, week by week."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, Any

import msgspec

from tenure.surfaces.web import plots
from tenure.surfaces.web.pages import Ask, Page

if TYPE_CHECKING:
    from tenure.workspace import Workspace

WEEKS = 12


# Plot -> what it is called, and what it waits for while there is nothing to draw.
PLOTS = {
    "phases": ("Memories", ""),
    "happened": ("Changes", ""),
    "queue": ("Pending or held", ""),
    "junk": ("Rejected, % of decisions", "decisions"),
    "injections": ("Injections", "injections"),
    "silence": ("Silence, % of prompts", "prompts"),
    "times": ("Hook time, ms", "hook times"),
    "ages": ("Days since verified, live memories", "live memories"),
}


def read(workspace: Workspace, ask: Ask) -> dict[str, Any]:
    """Return the weeks and what they come to."""
    found = workspace.trend(ask.number("weeks", WEEKS, 52))
    decided = sum(week.approved + week.rejected for week in found.weeks)
    rejected = sum(week.rejected for week in found.weeks)
    prompts, silent = sum(week.prompts for week in found.weeks), sum(week.silent for week in found.weeks)
    last = next((week for week in reversed(found.weeks) if week.prompts), None)
    drawn = {
        "junk": decided,
        "injections": sum(week.injections for week in found.weeks),
        "silence": prompts,
        "times": prompts,
        "ages": sum(found.unverified.values()) + found.never_verified,
    }
    return {
        **msgspec.to_builtins(found),
        "junk_rate": round(rejected / decided, 3) if decided else None,
        "decided": decided,
        "prompts": prompts,
        "silence_rate": round(silent / prompts, 3) if prompts else None,
        "given_up": sum(week.given_up for week in found.weeks),
        # Of the last week that had prompts.
        "half_ms": last.half_ms if last else None,
        "most_ms": last.most_ms if last else None,
        "waiting": workspace.queue_page(0, 1).total,
        "queue": [week.phases["pending"] + week.phases["held"] for week in found.weeks],
        "has_any": any(sum(week.phases.values()) for week in found.weeks),
        "shown_plots": [(name, title) for name, (title, _) in PLOTS.items() if drawn.get(name, 1)],
        "missing": sorted({waits for name, (_, waits) in PLOTS.items() if not drawn.get(name, 1)}),
    }


def pictures(data: dict[str, Any]) -> dict[str, Any]:
    """Return the plots of the page."""
    weeks = data["weeks"]
    labels = [f"{date.fromisoformat(week['monday']):%-d %b}" for week in weeks]
    phases = {phase: [week["phases"][phase] for week in weeks] for phase in ("live", "pending", "held", "gone")}
    happened = {name: [week[name] for week in weeks] for name in ("born", "promoted", "decayed")}
    junk = [_percent(week["rejected"], week["approved"] + week["rejected"]) for week in weeks]
    silence = [_percent(week["silent"], week["prompts"]) for week in weeks]
    times = {"median": [week["half_ms"] for week in weeks], "95 %": [week["most_ms"] for week in weeks]}
    ages = {f"≤ {days}": number for days, number in data["unverified"].items()} | {"never": data["never_verified"]}
    return {
        "phases": plots.stacked("Memories by phase at the end of each week", labels, phases),
        "happened": plots.lines("Born, promoted and decayed in each week", labels, happened),
        "junk": plots.lines("Rejected, in percent of decisions", labels, {"rejected": junk}, unit=" %"),
        "queue": plots.lines("Pending or held at the end of each week", labels, {"pending": data["queue"]}),
        "injections": plots.lines("Injections in each week", labels, {"injections": [w["injections"] for w in weeks]}),
        "silence": plots.lines("Prompts without a memory, in percent", labels, {"silent": silence}, unit=" %"),
        "times": plots.lines("Milliseconds that prompts waited for their hook", labels, times, unit=" ms"),
        "ages": plots.stacked(
            "Live memories by days since they were verified",
            list(ages),
            {"memories": list(ages.values())},
        ),
        "spark": plots.sparkline("Pending or held by week", data["queue"]),
    }


def _percent(part: int, whole: int) -> int | None:
    return round(100 * part / whole) if whole else None


PAGES = [Page("/health", "Health", "health.html", read, "/health.json", pictures)]
ACTS: list[Any] = []
