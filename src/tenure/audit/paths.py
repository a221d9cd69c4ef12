"""Paths checked against the project and its history: where they may lie, what became of them, and how sure that is."""

from __future__ import annotations

import posixpath
import re
from bisect import bisect_left
from collections.abc import Iterable
from typing import NamedTuple

import msgspec

from tenure.audit import path_patterns, repair, shapes
from tenure.audit.aliased_modules import AliasedModules
from tenure.audit.claim import Claim
from tenure.audit.findings import Finding
from tenure.audit.moved_files import Fate, History
from tenure.audit.never_here import ANYWHERE, NeverHere
from tenure.audit.path_patterns import NEAR, OTHER_CASE
from tenure.audit.paths_here import PathsHere
from tenure.audit.project import Project
from tenure.audit.removed_names import is_prose

MIN_DISTINCTIVE = 12
MIN_SPOKEN = 4
MIN_TELLING = 10
MAX_ASKED = 200
# A script that is run from where the reader is.
_RUN_HERE = re.compile(r"\./[\w.-]+\.(?:sh|bash|zsh|ps1|py|rb|js|mjs|ts)")
# What lies below these was put away, or is somebody else's: it shows no other file to be in use.
_PUT_AWAY = re.compile(
    r"(?:^|/)(?:[_.]?archived?|archives|deprecated|old(?:[-_.][^/]*)?|attic|vendor(?:ed)?|third[-_]?party)/", re.I
)
NOT_KEPT = "generated, ignored or not checked out"
EXCUSED = "the sentence says that it is gone, elsewhere or planned"


class Absent(NamedTuple):
    """A path that is not here, and what became of it: `exact` where history knows one of its places by that name.

    `placed`: it is told with a folder; `said`: the page named it while it was there.
    """

    claim: Claim
    beside: str
    page: str
    path: str
    places: list[str]
    fate: Fate | None
    exact: bool
    placed: bool
    said: bool


class Paths(PathsHere):
    """The rules for claims about files and folders."""

    def __init__(self, project: Project, history: History) -> None:
        super().__init__(project, history)
        self.ignored: set[str] = set()
        self.patterns = path_patterns.Patterns(self)
        self.never = NeverHere(self)
        self.aliased = AliasedModules(project, history, self.pages)

    def prepare(self, claims: Iterable[tuple[Claim, str]]) -> None:
        """Ask git once which of the paths that are not there it is told to ignore."""
        listed = [each for each in claims if not each[0].text.startswith("@/") and not shapes.before_hole(each[0].text)]
        self.ignored = self.project.ignored(
            each
            for claim, beside in listed
            if self.project.find(claim.text, beside) is None
            for place in [*self.places(claim, beside), *self._joined(".", beside)[:1]]
            for each in (place, place + "/")
        )
        absent = {
            claim.text.rstrip("/")
            for claim, beside in listed
            if "/" in claim.text and not claim.tree and not claim.link and not self.was_here(claim.text, beside)
            and self.project.find(claim.text, beside) is None
        }  # fmt: skip
        self.spoken_of = self._spoken_of({path for path in absent if len(path) > MIN_SPOKEN})

    def _spoken_of(self, paths: set[str]) -> set[str]:
        if not paths or not self.project.has_git:
            return set()
        either = "|".join(re.sub(r"([^\w/-])", r"\\\1", path) for path in sorted(paths)[:MAX_ASKED])
        found: set[str] = set()
        stream = self.project.git.stream(
            "grep", "-z", "-o", "-I", "-E", "-e", f"({either})", "HEAD", "--", separator=b"\n"
        )
        for line in stream:
            place, _, path = line.decode("utf-8", errors="surrogateescape").partition("\0")
            if not is_prose(place):
                found.add(path)
        return found

    def close(self) -> None:
        """End the process that reads old pages."""
        self.pages.close()

    def places(self, claim: Claim, beside: str) -> list[str]:
        """Return what the path may mean: from the page's folder, from each folder around it, from the root."""
        if claim.text.startswith("/"):
            path = claim.text.lstrip("/")
            return self._joined(path, beside if claim.link else "")
        path = claim.text
        if claim.tree:
            # A drawn tree begins with a folder of the project, or with the project's own name.
            whole = claim.within + path
            root = whole.partition("/")[0]
            begins = [each for each in self._joined(root, beside) if self._is_or_was_folder(each)]
            if claim.within and not begins:
                return self._joined(whole.partition("/")[2], beside)
            return list(dict.fromkeys([*self._joined(whole, beside), *self._joined(whole.partition("/")[2], beside)]))
        return self._joined(path, beside)

    def _is_or_was_folder(self, path: str) -> bool:
        return path in self.project.folders or self.history.had_folder(path)

    @staticmethod
    def _joined(path: str, beside: str) -> list[str]:
        bases = [beside]
        while bases[-1]:
            bases.append(posixpath.dirname(bases[-1]))
        joined = [posixpath.normpath(posixpath.join(base, path)) for base in bases] if path else []
        return [each for each in joined if not each.startswith("../")]

    def now_at(self, path: str, beside: str) -> str | None:
        """Return where the file is that a page calls so: there, moved, or under a longer name."""
        near = (each for each in self._joined(path, beside) if each in self.project.files)
        found = next(near, None) or self.project.find(path, beside)
        if found is None:
            fate = self._fate(self._joined(path, beside), path)
            ends = self.project.ending_in(path)
            found = fate.target if fate and fate.target else ends[0] if len(ends) == 1 else None
        return found

    def was_here(self, path: str, beside: str) -> bool:
        """Return whether history knows the path."""
        return self._fate(self._joined(path, beside), path) is not None

    def without_tails(self, claims: list[Claim], beside: str) -> list[Claim]:
        """Return the claims with each text of words either as one path, where it is or was one, or as those in it."""
        wholes = [claim for claim in claims if claim.kind == "file" and " " in claim.text]
        if not wholes:
            return claims
        ordered = sorted(claims, key=lambda claim: claim.start)
        starts = [claim.start for claim in ordered]
        left_out: set[int] = set()
        for whole in wholes:
            near = ordered[bisect_left(starts, whole.start) : bisect_left(starts, whole.end)]
            parts = [each for each in near if each is not whole and each.end <= whole.end]
            left_out.update(map(id, parts if self._is_or_was(whole, parts, beside) else [whole]))
        return [claim for claim in claims if id(claim) not in left_out]

    def _is_or_was(self, whole: Claim, parts: list[Claim], beside: str) -> bool:
        if self.project.find(whole.text, beside) is not None:
            return True
        # `cat docs/a.md` with the file there is a command, and history need not be read for it.
        if not self.project.has_git or (parts and all(self.project.find(each.text, beside) for each in parts)):
            return False
        return any(place in self.history.events for place in self.places(whole, beside))

    def check(self, claim: Claim, beside: str, page: str) -> Finding:
        """Return what is known about a path."""
        if claim.text.startswith(("@./", "@../")):
            # The sign by which an agent is told to read the page.
            found = self.check(msgspec.structs.replace(claim, text=claim.text[1:]), beside, page)
            if found.status == "ok":
                return msgspec.structs.replace(found, claim=claim)
        if claim.text.startswith("@/"):
            return self.aliased.check(claim, page)
        if lead := shapes.before_hole(claim.text):
            return self._before_hole(claim, lead, beside, page)
        path, places = claim.text.lstrip("/"), self.places(claim, beside)
        if self._is_foreign(claim, path):
            return Finding(claim, "unchecked", why="the project has no such folder")
        if path_patterns.is_glob(path) and not claim.tree:
            return self.patterns.check_glob(claim, places, page)
        if path_patterns.is_group(path):
            return self.patterns.check_group(claim, lambda each: self.check(each, beside, page))
        left = self._left_folder(claim, beside, page)
        if left is not None:
            return left
        if any(self.project.find(place) is not None for place in places) or self.project.find(path, beside):
            return Finding(claim, "ok")
        folder = claim.tree > 0 and path.endswith("/")
        if not folder and any(self.project.has_stem(place) for place in places):
            return Finding(claim, "ok", why="files have that name with an ending")
        absent = self._absent(claim, beside, page, places)
        if is_rooted(claim) and not absent.exact:
            return Finding(claim, "unchecked", why="an address of a server or a command, perhaps")
        return self._in_another_folder(absent) or self._unknowable(absent) or self._gone(absent)

    def _absent(self, claim: Claim, beside: str, page: str, places: list[str]) -> Absent:
        """Return what history and the page's own history know of a path that is not here."""
        path = claim.text.lstrip("/")
        fate = self._fate(places, "" if claim.tree else path)
        exact = fate is not None and fate.source in places
        placed = "/" in path or claim.tree > 0 or claim.from_root
        said = fate is not None and exact and self.pages.said_before(fate.change, page, path)
        if fate is not None and exact and placed and not said:
            said = self.pages.was_brought(fate.change, page)
        return Absent(claim, beside, page, path, places, fate, exact, placed, said)

    def _in_another_folder(self, absent: Absent) -> Finding | None:
        """Return that a file elsewhere has the path's ending, unless git had one at this place while the page said so.

        A script that a page runs from the root is not there when its only file is in another folder.
        """
        claim, beside, page, path, places, fate, _exact, placed, said = absent
        ends = [] if path.startswith("../") else self.project.ending_in(places[-1] if claim.tree and places else path)
        went = placed and said
        went = went and (claim.from_root or "/" in (claim.within if claim.tree else "") + path.rstrip("/"))
        if went and fate is not None and fate.target.endswith(f"/{path.rstrip('/')}"):
            # Whoever moved all of it one folder down and edited the page tells it from there.
            went = not self.pages.was_edited(fate.change, page)
        if said:
            ends = [each for each in ends if not _PUT_AWAY.search(each.removesuffix(path.rstrip("/")))]
        if (
            len(ends) == 1
            and not beside
            and claim.command
            and _RUN_HERE.fullmatch(claim.text)
            and self._is_plain(claim)
        ):
            new, below = f"./{ends[0]}", (posixpath.dirname(ends[0]),)
            return Finding(claim, "moved", True, new, NEAR, why="not at the root", sure=True, below=below)
        if ends and not went and self.in_listing(claim, beside):
            why = f"not where the others of the list are; exists as {ends[0]}"
            return None if claim.excused else Finding(claim, "missing", True, why=why)
        if ends and not went and not claim.link:
            return Finding(claim, "ok", why=f"exists as {ends[0]}")
        return None

    def _unknowable(self, absent: Absent) -> Finding | None:
        """Return that nobody can say whether a path should be here: it is ignored, made, or called gone."""
        claim, beside, path, places = absent.claim, absent.beside, absent.path, absent.places
        asked = {place + slash for place in places for slash in (("/",) if path.endswith("/") else ("", "/"))}
        # A page may lie in a folder that is ignored itself; that says nothing about what it names.
        if beside and f"{beside}/" in self.ignored:
            asked = {place for place in asked if not place.startswith(beside.partition("/")[0] + "/")}
        # A page that is linked to is meant to be there; a folder or a result may be made by whoever works here.
        linked = claim.link and path.lower().endswith((".md", ".mdx", ".mdc"))
        kept = linked and any(posixpath.dirname(place) in self.project.folders for place in places)
        mounted = any(self.project.in_submodule(place) for place in places)
        # Code beside code that git keeps is kept too, whatever a pattern of the ignored says.
        kept = kept or self.never.is_among_its_kind(path, places)
        if (not self.ignored.isdisjoint(asked) and not kept) or mounted or self.project.is_unknowable(path):
            return Finding(claim, "unchecked", why=NOT_KEPT)
        return Finding(claim, "unchecked", why=EXCUSED) if claim.excused else None

    def _gone(self, absent: Absent) -> Finding:
        """Return what became of a path that should be here: another place, or none, or that it never was here."""
        claim, beside, page, path, places, fate, exact, placed, said = absent
        if claim.tree and claim.within and (recased := self.recased(places)) is not None:
            return self._other_case(claim, recased, fate)
        # What the page named while it was there is nothing it makes, whatever the sentence says around it.
        beside_page = fate is not None and bool(beside) and posixpath.dirname(fate.source) == beside
        made = claim.mood.made and not (said and (placed or beside_page) and claim.mood.optional)
        meant = not (claim.mood.denied or claim.mood.elsewhere or made)
        if fate is None or (claim.tree and not claim.within):
            never = meant and not claim.mood.example and not claim.mood.hedged and not claim.mood.negated
            return self.never.check(claim, beside, page, places, never)
        if not exact and self.project.ignored({fate.source, fate.source + "/"}):
            return Finding(claim, "unchecked", why=NOT_KEPT)
        if fate.target == page:
            return Finding(claim, "ok", why="the page itself, by its old name")
        sure = meant and (exact or not claim.tentative or _is_distinctive(path))
        # "Named accordingly, e.g. `test_a.py` for `a.py`" tells a custom, not what is here.
        sure = sure and not (claim.mood.example and (claim.tree or claim.mood.naming))
        new_place = None if fate.target else self.recased(places) or self._same_name(path, fate)
        if new_place is not None:
            in_style = self.in_style(claim, new_place, beside)
            return Finding(claim, "moved", True, in_style, NEAR, False, fate.change, "the only file of that name", sure)
        if not fate.target:
            return self._removed(absent, fate, sure)
        return self._moved(claim, beside, fate, sure)

    def _removed(self, absent: Absent, fate: Fate, sure: bool) -> Finding:
        """Return that a path went and has no new place: only a plain sentence that means this very file is believed."""
        claim, page, path, placed, said = absent.claim, absent.page, absent.path, absent.placed, absent.said
        plain = placed and said and not claim.mood.nearly_denied
        # A name without its place, or in a tool's folder, that the page began to say later is anybody's.
        named_later = absent.exact and not said and (not placed or (claim.tentative and not claim.tree))
        shown = _is_anyones(path) or named_later or (not plain and (claim.mood.negated or claim.mood.patterned))
        # A path written whole, in a folder that was here when the page named it, is gone with the folder.
        whole = absent.exact and placed and said and "/" in path.rstrip("/")
        kept = not whole and self.pages.was_left_in(fate.change, fate.source, page, path)
        sure = sure and not shown and not kept
        # Who took the file away wrote its bare name anew: the page tells where it is kept now.
        sure = sure and (placed or not self.pages.is_written_anew(fate.change, page, path))
        return Finding(claim, "missing", True, since=fate.change, why="removed", sure=sure)

    def _moved(self, claim: Claim, beside: str, fate: Fate, sure: bool) -> Finding:
        """Return where a path went, written as the page would write it."""
        if _PUT_AWAY.search(fate.target) and not _PUT_AWAY.search(fate.source):
            # Kept for the record: no place to send anybody to.
            return Finding(claim, "missing", True, since=fate.change, why=f"put away as {fate.target}", sure=sure)
        if claim.tree and posixpath.dirname(fate.target) != posixpath.dirname(fate.source):
            # No other name puts the entry right: the drawing itself has to change.
            new, pure = fate.target, False
            if beside and not fate.target.startswith(f"{beside}/"):
                # Another part of the project took it over; the drawing of this one may mean what is left.
                fate = msgspec.structs.replace(fate, confidence=min(fate.confidence, ANYWHERE))
        else:
            new, pure = repair.path_in_style(claim.text.lstrip("/"), fate, beside), fate.pure
        return Finding(claim, "moved", True, new, fate.confidence, pure, fate.change, "renamed or moved", sure)

    def _before_hole(self, claim: Claim, lead: str, beside: str, page: str) -> Finding:
        """Return what is known about the folder below which a path goes on with what a reader fills in."""
        shown = msgspec.structs.replace(claim.mood, example=False)
        found = self.check(msgspec.structs.replace(claim, text=lead, mood=shown), beside, page)
        if found.status == "ok":
            return Finding(claim, "unchecked", why="a place for what a reader fills in")
        new = None if found.repair is None else found.repair.rstrip("/") + claim.text[len(lead) - 1 :]
        return msgspec.structs.replace(found, claim=claim, repair=new)

    def _is_plain(self, claim: Claim) -> bool:
        """Return whether the page means a file that is here, and git keeps none of that name to itself."""
        mood = claim.mood
        unmeant = mood.denied or mood.made or mood.elsewhere or mood.example or mood.hedged
        return not (claim.excused or unmeant or claim.text.removeprefix("./") in self.ignored)

    def _left_folder(self, claim: Claim, beside: str, page: str) -> Finding | None:
        """Return that a link leads from the page's folder to a file that went there, where the root has its name."""
        path = claim.text
        if not claim.link or not beside or path.startswith(("/", ".")):
            return None
        here = posixpath.normpath(posixpath.join(beside, path))
        root = posixpath.normpath(path)
        if self.project.find(here) is not None or root not in self.project.files:
            return None
        if claim.excused or claim.mood.denied:
            return None
        fate = self.history.fate(here) if here in self.history.events else None
        if fate is not None and not self.pages.said_before(fate.change, page, path):
            fate = None
        # Pages in a tool's own folder are read by that tool, which follows links from the root.
        if fate is None and (beside.startswith(".") or not path.lower().endswith((".md", ".mdx"))):
            return None
        new = posixpath.relpath(root, beside)
        since, likely = (fate.change, NEAR) if fate else (None, ANYWHERE)
        return Finding(claim, "moved", True, new, likely, False, since, "a link leads from the page's own folder", True)

    def _is_foreign(self, claim: Claim, path: str) -> bool:
        """Return whether a path from the root, or one with a parameter in it, begins where nothing is or was."""
        known = self.project.folders
        first = path.split("/")[0]
        if claim.text.startswith("/") and not claim.link and first not in known and not self.history.had_folder(first):
            return True
        parameter = path.find("/[")
        lead = path[: path.find("]", parameter) + 1] if parameter >= 0 else ""
        if not lead or any(each == lead or each.endswith("/" + lead) for each in known):
            return False
        return not self.history.had_folder_ending(lead)

    def _other_case(self, claim: Claim, found: str, fate: Fate | None) -> Finding:
        """Return that a drawn entry differs from the one that is here in nothing but capitals."""
        name = found if "/" in claim.text.rstrip("/") else posixpath.basename(found)
        new = name + "/" * claim.text.endswith("/")
        meant = not (claim.mood.denied or claim.mood.elsewhere or claim.mood.made or claim.mood.example)
        since = fate.change if fate is not None else None
        return Finding(claim, "moved", True, new, NEAR, since=since, why=OTHER_CASE, sure=meant)

    def _same_name(self, path: str, fate: Fate) -> str | None:
        """Return the only file that has the name of one that went, in a folder around or below its own."""
        guess = repair.by_name(path, self.project) if _is_telling(path) else None
        folders = sorted(posixpath.dirname(each) + "/" for each in (guess or "", fate.source))
        return guess if guess is not None and folders[1].startswith(folders[0]) and folders[0] != "/" else None

    def _fate(self, places: Iterable[str], path: str) -> Fate | None:
        for place in places:
            if place in self.history.events or self.history.had_folder(place):
                return self.history.fate(place)
        return None if not path or path.startswith("../") else self.history.fate(posixpath.normpath(path))


def is_rooted(claim: Claim) -> bool:
    """Return whether a page writes a folder with a slash before it, as it would an address of a server."""
    return claim.text.startswith("/") and not claim.link and not shapes.has_extension(claim.text)


def _is_anyones(path: str) -> bool:
    """Return whether the bare name is that of a tool's own settings, which lie wherever the tool is used."""
    return "/" not in path and path.startswith(".")


def _is_telling(path: str) -> bool:
    """Return whether a file's name is long enough to be no other file's by chance."""
    return len(posixpath.basename(path).rsplit(".", 1)[0]) >= MIN_TELLING


def _is_distinctive(path: str) -> bool:
    """Return whether a bare name is one that no other project or tool would use."""
    stem = posixpath.basename(path).rsplit(".", 1)[0]
    return len(stem) >= MIN_DISTINCTIVE and re.search(r"[_\d-]", stem) is not None
