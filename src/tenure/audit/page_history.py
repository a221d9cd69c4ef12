"""What a page said when a thing went: before the commit that took it, and after, and whether that edited the page."""

from __future__ import annotations

import posixpath

from tenure.audit import words
from tenure.audit.moved_files import Commit, History
from tenure.audit.project import Project
from tenure.files.git import Objects


class PageHistory:
    """The pages of the project as commits left them, read on demand by one process of git."""

    def __init__(self, project: Project, history: History) -> None:
        self.project = project
        self.history = history
        self._objects = Objects(project.git)

    def close(self) -> None:
        """End the process that reads old pages."""
        self._objects.__exit__()

    def said_before(self, change: Commit, page: str, name: str) -> bool:
        """Return whether the page named it before the commit; what is named later was meant in another way."""
        if not page or page not in self.project.files:
            return True
        before = [self._objects.read(f"{change.commit}^:./{path}") for path in self.history.names_of(page)]
        if not any(before) and self._objects.read(f"{change.commit}:./{page}"):
            # The commit brought the page: as a copy of the one at the root it says what that one said.
            before = [self._objects.read(f"{change.commit}^:./{posixpath.basename(page)}")]
        return any(name.encode() in text for text in before)

    def was_brought(self, change: Commit, page: str) -> bool:
        """Return whether the commit that took a thing away brought the page, which names it all the same."""
        if not page or page not in self.project.files:
            return False
        names = self.history.names_of(page)
        before = any(self._objects.read(f"{change.commit}^:./{path}") for path in names)
        return not before and any(self._objects.read(f"{change.commit}:./{path}") for path in names)

    def was_left_in(self, change: Commit, source: str, page: str, name: str) -> bool:
        """Return whether a whole part of the project went, and whoever took it edited the page and left the name."""
        folders = source.split("/")[:-1]
        depth = 2 if folders and folders[0] in words.USUAL_FOLDERS else 1
        part = "/".join(folders[:depth])
        if not part or part in self.project.folders or not page or page not in self.project.files:
            return False
        return self.was_edited(change, page) and name.encode() in self._objects.read(f"{change.commit}:./{page}")

    def is_written_anew(self, change: Commit, page: str, name: str) -> bool:
        """Return whether the commit changed every line of the page that has the name, and left it there."""
        before, after = (
            {
                line
                for line in self._objects.read(f"{change.commit}{parent}:./{page}").split(b"\n")
                if name.encode() in line
            }
            for parent in ("^", "")
        )
        return bool(before and after) and before.isdisjoint(after)

    def was_edited(self, change: Commit, page: str) -> bool:
        """Return whether the commit changed the page, and did not only bring it."""
        before, after = (self._objects.read(f"{change.commit}{parent}:./{page}") for parent in ("^", ""))
        return bool(before) and before != after
