"""Paths checked against the project and its history: where they may lie, what became of them, and how sure that is."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable
from functools import cached_property

import msgspec

from tenure.audit import repair, shapes, symbols, words
from tenure.audit.claim import Claim
from tenure.audit.findings import Finding
from tenure.audit.moved_files import Commit, Fate, History
from tenure.audit.project import Project, matcher
from tenure.audit.removed_names import is_prose
from tenure.files.git import Objects

# A new place that no rename proves: the only one that fits, near the old one or anywhere.
NEAR, ANYWHERE = 0.85, 0.5
MIN_DISTINCTIVE = 12
MIN_SPOKEN = 4
MIN_TELLING = 10
MAX_ASKED = 200
_GLOB = re.compile(r"[*?]")
_CLASS = re.compile(r"[A-Z][a-z0-9]+(?:[A-Z][a-z0-9]+)+")
# A script that is run from where the reader is.
_RUN_HERE = re.compile(r"\./[\w.-]+\.(?:sh|bash|zsh|ps1|py|rb|js|mjs|ts)")
_GROUP = re.compile(r"\{([^{}]*,[^{}]*)\}")
# What lies below these was put away, or is somebody else's: it shows no other file to be in use.
_PUT_AWAY = re.compile(
    r"(?:^|/)(?:[_.]?archived?|archives|deprecated|old(?:[-_.][^/]*)?|attic|vendor(?:ed)?|third[-_]?party)/", re.I
)
# Code that no grammar of ours reads.
_OTHER_CODE = frozenset({".dart", ".vue", ".svelte", ".sh"})
OTHER_CASE = "the one here is written with other capitals"
NOT_AT_ROOT = "not at the root of the project"
EXCUSED = "the sentence says that it is gone, elsewhere or planned"


class Paths:
    """The rules for claims about files and folders."""

    def __init__(self, project: Project, history: History) -> None:
        self.project = project
        self.history = history
        self.ignored: set[str] = set()
        # Paths that the code itself speaks of: made while it runs, or somebody else's.
        self.spoken_of: set[str] = set()
        self._objects = Objects(project.git)

    def prepare(self, claims: Iterable[tuple[Claim, str]]) -> None:
        """Ask git once which of the paths that are not there it is told to ignore."""
        listed = list(claims)
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
        self._objects.__exit__()

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

    def check(self, claim: Claim, beside: str, page: str) -> Finding:
        """Return what is known about a path."""
        path, places = claim.text.lstrip("/"), self.places(claim, beside)
        if self._is_foreign(claim, path):
            return Finding(claim, "unchecked", why="the project has no such folder")
        if _GLOB.search(path) and not claim.tree:
            return self._glob(claim, places, page)
        if _GROUP.search(path):
            return self._group(claim, beside, page)
        left = self._left_folder(claim, beside, page)
        if left is not None:
            return left
        if any(self.project.find(place) is not None for place in places) or self.project.find(path, beside):
            return Finding(claim, "ok")
        folder = claim.tree > 0 and path.endswith("/")
        if not folder and any(self.project.has_stem(place) for place in places):
            return Finding(claim, "ok", why="files have that name with an ending")
        fate = self._fate(places, "" if claim.tree else path)
        exact = fate is not None and fate.source in places
        if is_rooted(claim) and not exact:
            return Finding(claim, "unchecked", why="an address of a server or a command, perhaps")
        ends = [] if path.startswith("../") else self.project.ending_in(places[-1] if claim.tree and places else path)
        placed = "/" in path or claim.tree > 0 or claim.from_root
        said = fate is not None and exact and self.said_before(fate.change, page, path)
        if fate is not None and exact and placed and not said:
            said = self._was_brought(fate.change, page)
        known = placed and said
        went = known and (claim.from_root or "/" in (claim.within if claim.tree else "") + path.rstrip("/"))
        if went and fate is not None and fate.target.endswith(f"/{path.rstrip('/')}"):
            # Whoever moved all of it one folder down and edited the page tells it from there.
            went = not self._was_edited(fate.change, page)
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
        if ends and not went and not claim.link:
            return Finding(claim, "ok", why=f"exists as {ends[0]}")
        asked = {place + slash for place in places for slash in (("/",) if path.endswith("/") else ("", "/"))}
        # A page may lie in a folder that is ignored itself; that says nothing about what it names.
        if beside and f"{beside}/" in self.ignored:
            asked = {place for place in asked if not place.startswith(beside.partition("/")[0] + "/")}
        # A page that is linked to is meant to be there; a folder or a result may be made by whoever works here.
        linked = claim.link and path.lower().endswith((".md", ".mdx", ".mdc"))
        kept = linked and any(posixpath.dirname(place) in self.project.folders for place in places)
        mounted = any(self.project.in_submodule(place) for place in places)
        if (not self.ignored.isdisjoint(asked) and not kept) or mounted or self.project.is_unknowable(path):
            return Finding(claim, "unchecked", why="generated, ignored or not checked out")
        if claim.excused:
            return Finding(claim, "unchecked", why=EXCUSED)
        if claim.tree and claim.within and (recased := self._recased(places)) is not None:
            return self._other_case(claim, recased, fate)
        # What the page named while it was there is nothing it makes, whatever the sentence says around it.
        beside_page = fate is not None and bool(beside) and posixpath.dirname(fate.source) == beside
        made = claim.mood.made and not (said and (placed or beside_page) and claim.mood.optional)
        meant = not (claim.mood.denied or claim.mood.elsewhere or made)
        never = meant and not claim.mood.example and not claim.mood.hedged and not claim.mood.negated
        if fate is None or (claim.tree and not claim.within):
            return self._never(claim, beside, page, places, never)
        if not exact and self.project.ignored({fate.source, fate.source + "/"}):
            return Finding(claim, "unchecked", why="generated, ignored or not checked out")
        if fate.target == page:
            return Finding(claim, "ok", why="the page itself, by its old name")
        sure = meant and (exact or not claim.tentative or _is_distinctive(path))
        # "Named accordingly, e.g. `test_a.py` for `a.py`" tells a custom, not what is here.
        sure = sure and not (claim.mood.example and (claim.tree or claim.mood.naming))
        new_place = None if fate.target else self._recased(places) or self._same_name(path, fate)
        if new_place is not None:
            in_style = self._in_style(claim, new_place, beside)
            return Finding(claim, "moved", True, in_style, NEAR, False, fate.change, "the only file of that name", sure)
        if not fate.target:
            # Without a new place, only a plain sentence that means this very file is believed.
            plain = known and not claim.mood.nearly_denied
            # A name without its place, or in a tool's folder, that the page began to say later is anybody's.
            named_later = exact and not said and (not placed or (claim.tentative and not claim.tree))
            shown = _is_anyones(path) or named_later or (not plain and (claim.mood.negated or claim.mood.patterned))
            # A path written whole, in a folder that was here when the page named it, is gone with the folder.
            whole = exact and placed and said and "/" in path.rstrip("/")
            kept = not whole and self.was_left_in(fate.change, fate.source, page, path)
            sure = sure and not shown and not kept
            # Who took the file away wrote its bare name anew: the page tells where it is kept now.
            sure = sure and (placed or not self._is_written_anew(fate.change, page, path))
            return Finding(claim, "missing", True, since=fate.change, why="removed", sure=sure)
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
            new, pure = repair.path_in_style(path, fate, beside), fate.pure
        return Finding(claim, "moved", True, new, fate.confidence, pure, fate.change, "renamed or moved", sure)

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
        if fate is not None and not self.said_before(fate.change, page, path):
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

    def _glob(self, claim: Claim, places: list[str], page: str) -> Finding:
        """Return whether a pattern fits anything, or once did."""
        # "All `src/*.sol` files" may lie deeper.
        below = [re.sub(r"/\*(?=\.[^/*]*$)", "/**/*", place) for place in places]
        if any(self.project.matching(place) for place in (*places, *below)) or self.project.matching(claim.text):
            return Finding(claim, "ok")
        folder = self._folder_of_glob(claim, places)
        if folder is not None:
            return folder
        fits = [matcher(place) for place in places if "/" in place]
        went = [events[0] for path, events in self.history.events.items() if any(each(path) for each in fits)]
        if not went and not claim.excused and not claim.tentative and self._lacks_folder(claim.text, places):
            return Finding(claim, "missing", True, why="no such folder, now or in the history known here")
        if not went or claim.excused or self.project.is_unknowable(claim.text):
            return Finding(claim, "unchecked", why="a pattern that fits nothing here")
        change = self.history.changes[min(went, key=lambda event: event.order).order]
        mood = claim.mood
        sure = not (mood.negated or mood.elsewhere or mood.made or mood.hedged or mood.naming)
        # `actual/*` may be the rules of a linter today, where a folder of that name went years before.
        sure = sure and self.said_before(change, page, claim.text)
        return Finding(claim, "missing", True, since=change, why="nothing fits it any more", sure=sure)

    def _folder_of_glob(self, claim: Claim, places: list[str]) -> Finding | None:
        """Return that the folder of a pattern differs from the one that is here in nothing but capitals."""
        folders = [folder for place in places if "/" in (folder := _before_glob(place))]
        recased = self._recased(folders)
        meant = not (claim.excused or claim.mood.denied or claim.mood.elsewhere or claim.mood.made)
        if recased is None or recased in folders or not self.project.matching(recased + "/*") or not meant:
            return None
        told = _before_glob(claim.text)
        new = recased[-len(told) :] + claim.text[len(told) :]
        return Finding(claim, "moved", True, new, NEAR, why=OTHER_CASE, sure=True)

    def _lacks_folder(self, pattern: str, places: list[str]) -> bool:
        """Return whether a pattern takes all of a folder that is not here, in one that is."""
        if not pattern.endswith(("/**", "/*", "/**/*")) or self.project.is_unknowable(pattern):
            return False
        parents = [posixpath.dirname(_before_glob(place)) for place in places if "/" in _before_glob(place)]
        return any(parent in self.project.folders for parent in parents)

    def _group(self, claim: Claim, beside: str, page: str) -> Finding:
        """Return whether any of the files is here that `mcp-{test,repro}.md` names; broken are all of them or none."""
        group = _GROUP.search(claim.text)
        assert group is not None
        ends = claim.text[: group.start()], claim.text[group.end() :]
        named = [f"{ends[0]}{part}{ends[1]}" for part in group[1].split(",")]
        found = [self.check(msgspec.structs.replace(claim, text=each), beside, page) for each in named]
        here = next((each for each in found if each.status not in ("missing", "moved")), None)
        if here is not None:
            return msgspec.structs.replace(here, claim=claim)
        sure = all(each.sure and each.since is not None for each in found)
        return Finding(claim, "missing", True, since=found[0].since, why="none of them is there", sure=sure)

    def _never(self, claim: Claim, beside: str, page: str, places: list[str], meant: bool) -> Finding:
        """Return what is known about a path that is not here and never was.

        That alone proves little: a link that leads nowhere, a file of that name near by, or a file of code in a folder
        of such files is believed.
        """
        path = claim.text.lstrip("/")
        outer, _, inner = path.removeprefix("./").rstrip("/").partition("/")
        if (
            outer not in self.project.folders
            and not claim.tree
            and "/" in inner
            and self.project.find(inner) is not None
        ):
            return Finding(claim, "ok", why=f"exists as {inner}, seen from the folder that holds the project")
        gone = self._gone_folder(places) if not claim.tree else None
        rooted = path.split("/")[0] in words.USUAL_FOLDERS
        if gone is not None and (not claim.tentative or rooted):
            why = f"the folder {gone.source} is gone"
            # A folder of that name may have been anything before the page spoke of it, or be the project's own name.
            sure = meant and (self._is_among_its_kind(inner, [inner]) or self.said_before(gone.change, page, path))
            return Finding(claim, "missing", True, since=gone.change, why=why, sure=sure)
        parent = any(posixpath.dirname(place) in self.project.folders for place in places)
        if claim.tree and claim.within and places and not any("/" in place for place in places):
            # In a drawing of the whole project; whether the rest of it is there is seen by whoever knows the page.
            file = shapes.is_file_name(path) and not path.startswith(".")
            return Finding(claim, "missing", True, why=NOT_AT_ROOT, sure=meant and file)
        if claim.tree and not claim.within:
            return Finding(claim, "unchecked", why="the root of a drawing may have any name")
        if claim.tree:
            return Finding(claim, "missing", True, why="not in that folder", sure=meant and parent)
        deep = parent and path.count("/") > 1 and not path.startswith(".")
        if claim.tentative and not claim.link and not deep:
            return Finding(claim, "unchecked", why="may not be a path: nothing like it is or was here")
        if parent and _CLASS.fullmatch(posixpath.basename(path)):
            return Finding(claim, "unchecked", why="a class of that folder, perhaps")
        guess = self._recased(places) or repair.by_name(path, self.project)
        head = path.removeprefix("./").split("/")[0]
        near = guess is not None and any(place.split("/")[0] == guess.split("/")[0] for place in places)
        if guess is not None:
            in_style = self._in_style(claim, guess, beside)
            sure = meant and (claim.link or claim.run or (near and not claim.fenced and head != ".."))
            likely = NEAR if any(_is_close(place, guess) for place in places) else ANYWHERE
            return Finding(claim, "moved", True, in_style, likely, why="the only file of that name", sure=sure)
        named = (
            parent
            and path.rstrip("/") not in self.spoken_of
            and "/" in path.rstrip("/")
            and head not in ("", ".", "..")
            and (claim.run or (not claim.fenced and self._is_among_its_kind(path, places)))
        )
        sure = meant and not claim.mood.naming and (claim.link or (named and (claim.run or not claim.command)))
        return Finding(claim, "missing", True, why="no such file, now or in the history known here", sure=sure)

    def _is_among_its_kind(self, path: str, places: Iterable[str]) -> bool:
        """Return whether the path is a file of code in a folder that holds others of its kind."""
        end = posixpath.splitext(path)[1]
        if not symbols.has_grammar(path) and end not in _OTHER_CODE:
            return False
        return any((posixpath.dirname(place), end) in self._kinds_by_folder for place in places)

    @cached_property
    def _kinds_by_folder(self) -> set[tuple[str, str]]:
        """Which endings the files of each folder have; a page may name hundreds of paths that never were."""
        return {(posixpath.dirname(file), posixpath.splitext(file)[1]) for file in self.project.files}

    def _other_case(self, claim: Claim, found: str, fate: Fate | None) -> Finding:
        """Return that a drawn entry differs from the one that is here in nothing but capitals."""
        name = found if "/" in claim.text.rstrip("/") else posixpath.basename(found)
        new = name + "/" * claim.text.endswith("/")
        meant = not (claim.mood.denied or claim.mood.elsewhere or claim.mood.made or claim.mood.example)
        since = fate.change if fate is not None else None
        return Finding(claim, "moved", True, new, NEAR, since=since, why=OTHER_CASE, sure=meant)

    def _recased(self, places: Iterable[str]) -> str | None:
        """Return the only file or folder whose path differs in nothing but capitals."""
        found = {each for place in places for each in self._by_letters.get(place.lower(), ())}
        return found.pop() if len(found) == 1 else None

    @cached_property
    def _by_letters(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for path in (*self.project.files, *self.project.folders):
            found.setdefault(path.lower(), []).append(path)
        return found

    def _same_name(self, path: str, fate: Fate) -> str | None:
        """Return the only file that has the name of one that went, in a folder around or below its own."""
        guess = repair.by_name(path, self.project) if _is_telling(path) else None
        folders = sorted(posixpath.dirname(each) + "/" for each in (guess or "", fate.source))
        return guess if guess is not None and folders[1].startswith(folders[0]) and folders[0] != "/" else None

    def _in_style(self, claim: Claim, found: str, beside: str) -> str:
        """Return the found path as the page would write it: from its folder in a link, else from the root."""
        return posixpath.relpath(found, beside) if claim.link and beside and claim.text.startswith(".") else found

    def _fate(self, places: Iterable[str], path: str) -> Fate | None:
        for place in places:
            if place in self.history.events or self.history.had_folder(place):
                return self.history.fate(place)
        return None if not path or path.startswith("../") else self.history.fate(posixpath.normpath(path))

    def _gone_folder(self, places: Iterable[str]) -> Fate | None:
        """Return the fate of the outermost folder of the path that was here and went with all it held."""
        for place in places:
            parents = place.split("/")[:-1]
            for depth in range(1, len(parents) + 1):
                folder = "/".join(parents[:depth])
                if folder not in self.project.folders:
                    if self.history.had_folder(folder):
                        return self.history.fate(folder)
                    break
        return None

    def said_before(self, change: Commit, page: str, name: str) -> bool:
        """Return whether the page named it before the commit; what is named later was meant in another way."""
        if not page or page not in self.project.files:
            return True
        before = [self._objects.read(f"{change.commit}^:./{path}") for path in self.history.names_of(page)]
        if not any(before) and self._objects.read(f"{change.commit}:./{page}"):
            # The commit brought the page: as a copy of the one at the root it says what that one said.
            before = [self._objects.read(f"{change.commit}^:./{posixpath.basename(page)}")]
        return any(name.encode() in text for text in before)

    def _was_brought(self, change: Commit, page: str) -> bool:
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
        return self._was_edited(change, page) and name.encode() in self._objects.read(f"{change.commit}:./{page}")

    def _is_written_anew(self, change: Commit, page: str, name: str) -> bool:
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

    def _was_edited(self, change: Commit, page: str) -> bool:
        """Return whether the commit changed the page, and did not only bring it."""
        before, after = (self._objects.read(f"{change.commit}{parent}:./{page}") for parent in ("^", ""))
        return bool(before) and before != after


def is_rooted(claim: Claim) -> bool:
    """Return whether a page writes a folder with a slash before it, as it would an address of a server."""
    return claim.text.startswith("/") and not claim.link and not shapes.has_extension(claim.text)


def _before_glob(pattern: str) -> str:
    """Return the folders of a pattern before the first part that stands for any name."""
    parts = pattern.split("/")
    return "/".join(parts[: next((at for at, part in enumerate(parts) if _GLOB.search(part)), len(parts))])


def _is_close(told: str, found: str) -> bool:
    """Return whether two paths of the same name share enough of their folders to be one file that moved."""
    folders, others = told.split("/")[:-1], found.split("/")[:-1]
    same = len(posixpath.commonprefix([folders, others]))
    return same >= min(2, len(folders)) or (bool(folders and others) and folders[-1] == others[-1])


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
