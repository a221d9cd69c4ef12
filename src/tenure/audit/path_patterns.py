"""Paths that stand for several files: `src/**/*.py`, `mcp-{test,repro}.md`."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable

import msgspec

from tenure.audit.claim import Claim
from tenure.audit.findings import Finding
from tenure.audit.paths_here import PathsHere
from tenure.audit.project import matcher

# A new place that no rename proves.
NEAR = 0.85
OTHER_CASE = "the one here is written with other capitals"
_GLOB = re.compile(r"[*?]")
_GROUP = re.compile(r"\{([^{}]*,[^{}]*)\}")


def is_glob(path: str) -> bool:
    """Return whether a part of the path stands for any name."""
    return _GLOB.search(path) is not None


def is_group(path: str) -> bool:
    """Return whether the path names several files between braces."""
    return _GROUP.search(path) is not None


class Patterns:
    """The rules for patterns and groups."""

    def __init__(self, here: PathsHere) -> None:
        self.here = here

    def check_glob(self, claim: Claim, places: list[str], page: str) -> Finding:
        """Return whether a pattern fits anything, or once did."""
        # "All `src/*.sol` files" may lie deeper.
        below = [re.sub(r"/\*(?=\.[^/*]*$)", "/**/*", place) for place in places]
        if any(self.here.project.matching(place) for place in (*places, *below)) or self.here.project.matching(
            claim.text
        ):
            return Finding(claim, "ok")
        folder = self._folder_of_glob(claim, places)
        if folder is not None:
            return folder
        fits = [matcher(place) for place in places if "/" in place]
        went = [events[0] for path, events in self.here.history.events.items() if any(each(path) for each in fits)]
        if not went and not claim.excused and not claim.tentative and self._lacks_folder(claim.text, places):
            return Finding(claim, "missing", True, why="no such folder, now or in the history known here")
        if not went or claim.excused or self.here.project.is_unknowable(claim.text):
            return Finding(claim, "unchecked", why="a pattern that fits nothing here")
        change = self.here.history.changes[min(went, key=lambda event: event.order).order]
        mood = claim.mood
        sure = not (mood.negated or mood.elsewhere or mood.made or mood.hedged or mood.naming)
        # `actual/*` may be the rules of a linter today, where a folder of that name went years before.
        sure = sure and self.here.pages.said_before(change, page, claim.text)
        return Finding(claim, "missing", True, since=change, why="nothing fits it any more", sure=sure)

    def _folder_of_glob(self, claim: Claim, places: list[str]) -> Finding | None:
        """Return that the folder of a pattern differs from the one that is here in nothing but capitals."""
        folders = [folder for place in places if "/" in (folder := _before_glob(place))]
        recased = self.here.recased(folders)
        meant = not (claim.excused or claim.mood.denied or claim.mood.elsewhere or claim.mood.made)
        if recased is None or recased in folders or not self.here.project.matching(recased + "/*") or not meant:
            return None
        told = _before_glob(claim.text)
        new = recased[-len(told) :] + claim.text[len(told) :]
        return Finding(claim, "moved", True, new, NEAR, why=OTHER_CASE, sure=True)

    def _lacks_folder(self, pattern: str, places: list[str]) -> bool:
        """Return whether a pattern takes all of a folder that is not here, in one that is."""
        if not pattern.endswith(("/**", "/*", "/**/*")) or self.here.project.is_unknowable(pattern):
            return False
        parents = [posixpath.dirname(_before_glob(place)) for place in places if "/" in _before_glob(place)]
        return any(parent in self.here.project.folders for parent in parents)

    @staticmethod
    def check_group(claim: Claim, check: Callable[[Claim], Finding]) -> Finding:
        """Return whether any of the files is here that `mcp-{test,repro}.md` names; broken are all of them or none."""
        group = _GROUP.search(claim.text)
        assert group is not None
        ends = claim.text[: group.start()], claim.text[group.end() :]
        named = [f"{ends[0]}{part}{ends[1]}" for part in group[1].split(",")]
        found = [check(msgspec.structs.replace(claim, text=each)) for each in named]
        here = next((each for each in found if each.status not in ("missing", "moved")), None)
        if here is not None:
            return msgspec.structs.replace(here, claim=claim)
        sure = all(each.sure and each.since is not None for each in found)
        return Finding(claim, "missing", True, since=found[0].since, why="none of them is there", sure=sure)


def _before_glob(pattern: str) -> str:
    """Return the folders of a pattern before the first part that stands for any name."""
    parts = pattern.split("/")
    return "/".join(parts[: next((at for at, part in enumerate(parts) if _GLOB.search(part)), len(parts))])
