"""Paths that are not here and never were, as far as history knows: that alone proves little."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable
from functools import cached_property

from tenure.audit import repair, shapes, symbols, words
from tenure.audit.claim import Claim
from tenure.audit.findings import Finding
from tenure.audit.moved_files import Fate
from tenure.audit.path_patterns import NEAR
from tenure.audit.paths_here import PathsHere

# The only file of that name anywhere.
ANYWHERE = 0.5
NOT_AT_ROOT = "not at the root of the project"
_CLASS = re.compile(r"[A-Z][a-z0-9]+(?:[A-Z][a-z0-9]+)+")
# Code that no grammar of ours reads.
_OTHER_CODE = frozenset({".dart", ".vue", ".svelte", ".sh"})


class NeverHere:
    """The rules for paths that history does not know."""

    def __init__(self, here: PathsHere) -> None:
        self.here = here

    def check(self, claim: Claim, beside: str, page: str, places: list[str], meant: bool) -> Finding:
        """Return what is known about a path that is not here and never was.

        That alone proves little: a link that leads nowhere, a file of that name near by, or a file of code in a folder
        of such files is believed.
        """
        path = claim.text.lstrip("/")
        outer, _, inner = path.removeprefix("./").rstrip("/").partition("/")
        if (
            outer not in self.here.project.folders
            and not claim.tree
            and "/" in inner
            and self.here.project.find(inner) is not None
        ):
            return Finding(claim, "ok", why=f"exists as {inner}, seen from the folder that holds the project")
        gone = self._gone_folder(places) if not claim.tree else None
        rooted = path.split("/")[0] in words.USUAL_FOLDERS
        if gone is not None and (not claim.tentative or rooted):
            why = f"the folder {gone.source} is gone"
            # A folder of that name may have been anything before the page spoke of it, or be the project's own name.
            sure = meant and (
                self.is_among_its_kind(inner, [inner]) or self.here.pages.said_before(gone.change, page, path)
            )
            return Finding(claim, "missing", True, since=gone.change, why=why, sure=sure)
        parent = any(posixpath.dirname(place) in self.here.project.folders for place in places)
        if claim.tree:
            return self._in_drawing(claim, places, meant=meant, parent=parent)
        # In a remark of a sample, a path that never was shows where one might be.
        remark = claim.fenced and not claim.command
        deep = parent and path.count("/") > (0 if claim.command else 1) and not path.startswith(".") and not remark
        deep = deep or self.here.in_listing(claim, beside)
        guess = self.here.recased(places) or repair.by_name(path, self.here.project)
        hedged = "/" in path and shapes.has_extension(path) and not claim.fenced and not claim.mood.example
        if claim.tentative and not claim.link and not deep and not (hedged and guess is not None):
            return Finding(claim, "unchecked", why="may not be a path: nothing like it is or was here")
        if parent and _CLASS.fullmatch(posixpath.basename(path)):
            return Finding(claim, "unchecked", why="a class of that folder, perhaps")
        head = path.removeprefix("./").split("/")[0]
        if guess is not None:
            near = any(place.split("/")[0] == guess.split("/")[0] for place in places)
            in_style = self.here.in_style(claim, guess, beside)
            sure = self._leads(claim, meant) and (
                claim.link or claim.run or (near and not claim.fenced and head != "..")
            )
            likely = NEAR if any(_is_close(place, guess) for place in places) else ANYWHERE
            return Finding(claim, "moved", True, in_style, likely, why="the only file of that name", sure=sure)
        named = (
            parent
            and path.rstrip("/") not in self.here.spoken_of
            and "/" in path.rstrip("/")
            and head not in ("", ".", "..")
            and (claim.run or (not claim.fenced and self.is_among_its_kind(path, places)))
        )
        sure = (
            self._leads(claim, meant)
            and not claim.mood.naming
            and (claim.link or (named and (claim.run or not claim.command)))
        )
        return Finding(claim, "missing", True, why="no such file, now or in the history known here", sure=sure)

    @staticmethod
    def _in_drawing(claim: Claim, places: list[str], *, meant: bool, parent: bool) -> Finding:
        """Return what is known about an entry of a drawn tree."""
        if claim.within and places and not any("/" in place for place in places):
            # In a drawing of the whole project; whether the rest of it is there is seen by whoever knows the page.
            path = claim.text.lstrip("/")
            file = shapes.is_file_name(path) and not path.startswith(".")
            return Finding(claim, "missing", True, why=NOT_AT_ROOT, sure=meant and file)
        if not claim.within:
            return Finding(claim, "unchecked", why="the root of a drawing may have any name")
        return Finding(claim, "missing", True, why="not in that folder", sure=meant and parent)

    @staticmethod
    def _leads(claim: Claim, meant: bool) -> bool:
        """Return whether the path is meant to be there; a link leads somewhere whatever its sentence forbids."""
        mood = claim.mood
        return meant or (
            claim.link and not (mood.made or mood.elsewhere or mood.example or mood.patterned or mood.naming)
        )

    def is_among_its_kind(self, path: str, places: Iterable[str]) -> bool:
        """Return whether the path is a file of code in a folder that holds others of its kind."""
        end = posixpath.splitext(path)[1]
        if not symbols.has_grammar(path) and end not in _OTHER_CODE:
            return False
        return any((posixpath.dirname(place), end) in self._kinds_by_folder for place in places)

    @cached_property
    def _kinds_by_folder(self) -> set[tuple[str, str]]:
        """Which endings the files of each folder have; a page may name hundreds of paths that never were."""
        return {(posixpath.dirname(file), posixpath.splitext(file)[1]) for file in self.here.project.files}

    def _gone_folder(self, places: Iterable[str]) -> Fate | None:
        """Return the fate of the outermost folder of the path that was here and went with all it held."""
        for place in places:
            parents = place.split("/")[:-1]
            for depth in range(1, len(parents) + 1):
                folder = "/".join(parents[:depth])
                if folder not in self.here.project.folders:
                    if self.here.history.had_folder(folder):
                        return self.here.history.fate(folder)
                    break
        return None


def _is_close(told: str, found: str) -> bool:
    """Return whether two paths of the same name share enough of their folders to be one file that moved."""
    folders, others = told.split("/")[:-1], found.split("/")[:-1]
    same = len(posixpath.commonprefix([folders, others]))
    return same >= min(2, len(folders)) or (bool(folders and others) and folders[-1] == others[-1])
