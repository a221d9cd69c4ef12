"""Modules told from the root of the sources, `@/lib/dates`: where `@` leads, the settings of many tools would tell.

So any file whose path ends so will do, and a module is gone only if history had one, named so by the page at that time.
"""

from __future__ import annotations

from tenure.audit.claim import Claim
from tenure.audit.findings import Finding
from tenure.audit.moved_files import History
from tenure.audit.page_history import PageHistory
from tenure.audit.project import Project

# How a module may be kept that is told without its ending.
_MODULE_ENDINGS = (
    "",
    ".ts",
    ".tsx",
    ".js",
    ".jsx",
    ".mjs",
    ".d.ts",
    ".vue",
    ".svelte",
    ".json",
    "/index.ts",
    "/index.tsx",
)


class AliasedModules:
    """The rule for modules told by an alias."""

    def __init__(self, project: Project, history: History, pages: PageHistory) -> None:
        self.project = project
        self.history = history
        self.pages = pages

    def check(self, claim: Claim, page: str) -> Finding:
        """Return what became of a module that is told from the root of the sources, wherever that root is."""
        path = claim.text.removeprefix("@/").rstrip("/")
        if any(self.project.ending_in(path + end) for end in _MODULE_ENDINGS) or (
            "/" not in path and path in self.project.stems
        ):
            return Finding(claim, "ok")
        mood = claim.mood
        meant = not (claim.excused or mood.denied or mood.made or mood.elsewhere or mood.example)
        for end in _MODULE_ENDINGS[1:]:
            fate = self.history.fate(path + end)
            if fate is None or not self.pages.said_before(fate.change, page, claim.text):
                continue
            root = fate.source.removesuffix(path + end)
            new = "@/" + fate.target.removeprefix(root).removesuffix(end.rpartition("/")[2]).rstrip("/")
            if not fate.target or not fate.target.startswith(root) or not fate.target.endswith(end):
                told = f"moved to {fate.target}" if fate.target else "removed"
                return Finding(claim, "missing", True, since=fate.change, why=told, sure=meant)
            return Finding(claim, "moved", True, new, fate.confidence, False, fate.change, "renamed or moved", meant)
        return Finding(claim, "unchecked", why="not a module of this project's history")
