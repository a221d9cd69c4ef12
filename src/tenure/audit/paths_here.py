"""What is here, as the rules for paths ask it: by other capitals, in a list's folder, as a page would write it."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable
from functools import cached_property

from tenure.audit.claim import Claim
from tenure.audit.moved_files import History
from tenure.audit.page_history import PageHistory
from tenure.audit.project import Project

# So many others of a list in one folder show that it lists what is in that folder.
MIN_LISTED = 3


class PathsHere:
    """The project's files and folders, their history, and what pages said of them."""

    def __init__(self, project: Project, history: History) -> None:
        self.project = project
        self.history = history
        self.pages = PageHistory(project, history)
        # Paths that the code itself speaks of: made while it runs, or somebody else's.
        self.spoken_of: set[str] = set()

    def recased(self, places: Iterable[str]) -> str | None:
        """Return the only file or folder whose path differs in nothing but capitals."""
        found = {each for place in places for each in self._by_letters.get(place.lower(), ())}
        return found.pop() if len(found) == 1 else None

    @cached_property
    def _by_letters(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for path in (*self.project.files, *self.project.folders):
            found.setdefault(path.lower(), []).append(path)
        return found

    def in_listing(self, claim: Claim, beside: str) -> bool:
        """Return whether the path heads an item of a list, nearly all others of which are in the page's folder."""
        others = [each.strip("/") for each in claim.listed if each != claim.text]
        here = [
            sum(posixpath.join(base, each) in self.project.folders | self.project.files for each in others)
            for base in {"", beside}
        ]
        return max(here) >= MIN_LISTED and max(here) * 3 >= len(others) * 2

    def in_style(self, claim: Claim, found: str, beside: str) -> str:
        """Return the found path as the page would write it: from its folder in a link, else from the root."""
        return posixpath.relpath(found, beside) if claim.link and beside and claim.text.startswith(".") else found
