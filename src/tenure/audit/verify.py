"""Claims checked against the project: each kind by its own rule, all lookups made once for all memories.

A claim is called broken only on evidence. What cannot be known here (a URL without a network, a path git is
told to ignore, a branch in a shallow clone, an example) is unchecked, which changes no score.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterable
from pathlib import Path

from tenure.audit import online, packages, remembered, repair, symbols
from tenure.audit.claims import Claim
from tenure.audit.findings import Finding
from tenure.audit.history import Change, Fate, History, merged_branches
from tenure.audit.project import Project
from tenure.audit.renames import Removal
from tenure.audit.words import RUNNERS

MAX_PASSES = 3
_PARTS = re.compile(r"\.|::|#|->")


class Verifier:
    """The checks of one audit. `prepare` looks everything up, `check` answers for one claim."""

    def __init__(
        self,
        project: Project,
        *,
        cache: Path | None = None,
        is_online: bool = False,
        progress: Callable[[int, int], None] | None = None,
    ) -> None:
        self.project = project
        self.history = History(project, cache)
        self.cache = cache
        self.is_online = is_online
        self.progress = progress
        self.hits: dict[str, list[symbols.Hit]] = {}
        self.removed: dict[str, Removal] = {}
        self.ignored: set[str] = set()
        self.merged: dict[str, Change] = {}
        self._known: dict[tuple[object, ...], Finding] = {}

    def prepare(self, claims: Iterable[tuple[Claim, str, str]]) -> None:
        """Look up what the claims, given with their folder and page, need, in as few passes as possible."""
        told = list(claims)
        wanted = [(claim, beside) for claim, beside, _page in told]
        names = {part for claim, _ in wanted if claim.kind == "symbol" for part in _parts(claim.text)[-2:]}
        self._look_up(names)
        self.ignored = self.project.ignored(
            each
            for claim, beside in wanted
            if claim.kind in ("file", "command") and self.project.find(claim.text, beside) is None
            for place in self._places(claim.text, beside)
            for each in (place, place + "/")
        )
        gone = {name for claim, beside in wanted if (name := self._gone_name(claim, beside))}
        for _ in range(MAX_PASSES):
            gone -= self.removed.keys()
            if not gone or not self.project.has_git:
                break
            answer = remembered.removals(self.project.git, gone, _by_page(told, gone), self.cache)
            if answer.cut:
                self.project.notices.append(f"not every change was read ({answer.cut}): a name may be gone unnoticed")
            found = answer.removals
            self.removed.update(found)
            heirs = {new for removal in found.values() for new, _score in removal.candidates}
            self._look_up(heirs - self.hits.keys())
            gone = {new for new in heirs if not self._is_defined(new) and not self._is_target(new)}
        branches = {claim.text for claim, _ in wanted if claim.kind == "branch"}
        if self.project.has_git and branches - self.project.branches:
            self.merged = merged_branches(self.project.git)

    def check(self, claim: Claim, beside: str) -> Finding:
        """Return what is known about the claim."""
        key = (claim.kind, claim.text, claim.within, claim.beside, beside, claim.tentative, claim.excused, claim.mood)
        known = self._known.get(key)
        if known is None:
            rule = {
                "file": self._file,
                "symbol": self._symbol,
                "url": self._url,
                "branch": self._branch,
                "package": self._package,
                "command": self._command,
            }[claim.kind]
            known = self._known[key] = rule(claim, beside)
        return Finding(claim, *(getattr(known, name) for name in Finding.__struct_fields__[1:]))

    def _file(self, claim: Claim, beside: str) -> Finding:
        path = claim.text
        if self.project.find(path, beside) is not None:
            return Finding(claim, "ok")
        fate = self._fate(path, beside)
        exact = fate is not None and fate.source in self._places(path, beside)
        ends = [] if path.startswith("../") else self.project.ending_in(path)
        if ends and (not exact or "/" not in path.rstrip("/")):
            return Finding(claim, "ok", why=f"exists as {ends[0]}")
        asked = [
            place + slash
            for place in self._places(path, beside)
            for slash in (("/",) if path.endswith("/") else ("", "/"))
        ]
        if not self.ignored.isdisjoint(asked) or self.project.is_unknowable(path):
            return Finding(claim, "unchecked", why="generated, ignored or not checked out")
        if claim.excused:
            return Finding(claim, "unchecked", why="the sentence says that it is gone, elsewhere or planned")
        sure = not (claim.mood.denied or claim.mood.elsewhere or claim.mood.made)
        if fate is None:
            gone = self._gone_folder(path, beside)
            if claim.tentative and gone is None:
                return Finding(claim, "unchecked", why="may not be a path: nothing like it is or was here")
            if gone is not None:
                why = f"the folder {gone.source} is gone"
                return Finding(claim, "missing", True, since=gone.change, why=why, sure=sure)
            guess = repair.by_name(path, self.project)
            if guess:
                return Finding(claim, "moved", True, guess, 0.5, why="the only file of that name")
            sure = sure and self._has_parent(path, beside)
            return Finding(claim, "missing", True, why="no such file, now or in the history known here", sure=sure)
        sure = sure and (exact or not claim.tentative)
        if not fate.target:
            return Finding(claim, "missing", True, since=fate.change, why="removed", sure=sure)
        new = repair.path_in_style(path, fate, beside)
        return Finding(claim, "moved", True, new, fate.confidence, fate.pure, fate.change, "renamed or moved", sure)

    def _places(self, path: str, beside: str) -> list[str]:
        """Return what the path may mean: from the page's folder, from each folder around it, from the root."""
        bases = [beside]
        while bases[-1]:
            bases.append(posixpath.dirname(bases[-1]))
        return [_normal(posixpath.join(base, path)) for base in bases]

    def _gone_folder(self, path: str, beside: str) -> Fate | None:
        """Return the fate of the outermost folder of the path that was here and went with all it held."""
        for place in self._places(path, beside):
            parents = place.split("/")[:-1]
            for depth in range(1, len(parents) + 1):
                folder = "/".join(parents[:depth])
                if folder not in self.project.folders:
                    if self.history.had_folder(folder):
                        return self.history.fate(folder)
                    break
        return None

    def _has_parent(self, path: str, beside: str) -> bool:
        """Return whether the folder the path is in is here, so that the page names a place and not just a word."""
        parent = posixpath.dirname(path.rstrip("/"))
        return bool(parent.strip("./")) and any(place in self.project.folders for place in self._places(parent, beside))

    def _symbol(self, claim: Claim, beside: str) -> Finding:
        *owners, name = _parts(claim.text)
        hits = self.hits.get(name, [])
        roles = {hit.role for hit in hits}
        removal = self.removed.get(name)
        gone = self._only_called(hits) and removal is not None and removal.surely
        if owners and roles and not gone:
            return self._member(claim, owners[-1], name, hits)
        if roles - {"text"} and not gone:
            return self._placed(claim, name, hits, beside)
        if roles and not gone and (removal is None or not removal.defined):
            return Finding(claim, "ok", why="named in a string")
        if claim.excused:
            return Finding(claim, "unchecked", why="the sentence says that it is gone, elsewhere or planned")
        foreign = bool(owners) and not self._is_defined(owners[-1])
        proven = removal is not None and removal.role == "def" and not roles and not foreign
        sure = not (claim.mood.denied or claim.mood.elsewhere) and (proven or self._is_misplaced(claim, beside, roles))
        if removal is None and (claim.tentative or foreign) and not sure:
            return Finding(claim, "unchecked", why="not a name of this project's history")
        heir = self._heir(name, self._is_defined)
        if heir:
            new = claim.text[: len(claim.text) - len(name)] + heir[0]
            since = removal.change if removal else None
            return Finding(claim, "moved", True, new, heir[1], False, since, "renamed", sure)
        since = removal.change if removal else None
        why = "still called, but no longer defined" if gone else "not found in the code"
        return Finding(claim, "missing", True, since=since, why=why, sure=sure)

    def _is_misplaced(self, claim: Claim, beside: str, roles: set[str]) -> bool:
        """Return whether the line is about code that is here, and neither it nor any other has the name."""
        if roles or not (claim.beside or claim.within) or claim.tentative:
            return False
        here = self._now_at(claim.within or claim.beside, beside)
        return here is not None and symbols.has_grammar(here)

    def _member(self, claim: Claim, owner: str, name: str, hits: list[symbols.Hit]) -> Finding:
        """Check `Owner.name`: defined in that class or module, inherited, or at least used somewhere."""
        defined = [hit for hit in hits if hit.role == "def"]
        for hit in defined:
            around = hit.container.rpartition(".")[2]
            if around in (owner, symbols.UNKNOWN_CONTAINER) or owner in posixpath.splitext(hit.path)[0].split("/"):
                return Finding(claim, "ok")
        owners = [hit for hit in self.hits.get(owner, []) if hit.role == "def"]
        if not owners or not defined:
            return Finding(claim, "ok", why="used in the code")
        holders = {hit.container.rpartition(".")[2] for hit in defined}
        if any(repair.has_base(self.project, hit) for hit in owners):
            return Finding(claim, "ok", why="inherited")
        places = sorted(holders - {""})
        if len(places) == 1:
            cut = len(claim.text) - len(name)
            separator = claim.text[:cut][len(claim.text[:cut].rstrip(".:#->")) :]
            return Finding(claim, "moved", False, f"{places[0]}{separator}{name}", 0.6, why=f"now in {places[0]}")
        return Finding(claim, "moved" if defined else "missing", False, why=f"not a member of {owner}")

    def _placed(self, claim: Claim, name: str, hits: list[symbols.Hit], beside: str) -> Finding:
        """Check that a symbol is in the file the sentence names beside it."""
        if not claim.within:
            return Finding(claim, "ok")
        here = self._now_at(claim.within, beside)
        inside = {hit.role for hit in hits if hit.path == here or hit.path.startswith(f"{here}/")}
        removed = here is None and self._fate(claim.within, beside) is not None
        if "def" in inside or not (removed or (here is not None and symbols.is_source(here))):
            return Finding(claim, "ok")
        defined = sorted({hit.path for hit in hits if hit.role == "def"})
        removal = self.removed.get(name)
        # A name may be said to be "in" a file that only uses it, unless its definition once was there.
        left = removal is not None and removal.defined and self._now_at(removal.path, "") == here
        if not defined or (inside and not left):
            return Finding(claim, "ok", why="used in the code")
        since = removal.change if removal else None
        target = defined[0] if len(defined) == 1 else None
        confidence = 0.9 if target else 0.0
        sure = not inside and not claim.mood.denied
        why = f"now in {', '.join(defined[:3])}"
        return Finding(claim, "moved", False, target, confidence, False, since, why, sure)

    def _url(self, claim: Claim, beside: str) -> Finding:
        if not self.is_online:
            return Finding(claim, "unchecked", why="URLs are checked with --online only")
        answer = online.head(claim.text)
        if answer.status is None:
            return Finding(claim, "unchecked", why=answer.reason)
        if answer.status == 200:
            return Finding(claim, "ok")
        return Finding(claim, "missing", True, why=answer.reason, sure=answer.status in (404, 410))

    def _branch(self, claim: Claim, beside: str) -> Finding:
        name = claim.text
        if not self.project.has_git:
            return Finding(claim, "unchecked", why="not a git repository")
        if name in self.project.branches or name.removeprefix("origin/") in self.project.branches:
            return Finding(claim, "ok")
        if self.project.find(name, beside) is not None:
            return Finding(claim, "ok", why="a path of that name exists")
        if claim.excused or claim.tentative:
            return Finding(claim, "unchecked", why="the sentence says that it is gone, elsewhere or planned")
        if self.project.is_shallow:
            return Finding(claim, "unchecked", why="a shallow clone does not know all branches")
        since = self.merged.get(name.removeprefix("origin/"))
        return Finding(claim, "missing", True, since=since, why="merged" if since else "no such branch")

    def _package(self, claim: Claim, beside: str) -> Finding:
        manifests = self.project.manifests
        if manifests.has_package(claim.text) or packages.is_known_without_manifest(claim.text, self.project):
            return Finding(claim, "ok")
        removal = self.removed.get(claim.text)
        if not manifests.packages or claim.excused or (claim.tentative and removal is None):
            return Finding(claim, "unchecked", why="no manifest names packages" if not manifests.packages else "")
        since = removal.change if removal else None
        return Finding(claim, "missing", True, since=since, why="not in any manifest")

    def _command(self, claim: Claim, beside: str) -> Finding:
        runner, target = command_target(claim.text)
        if runner is None:
            return self._file(claim, beside)
        known = self.project.manifests.has_target(runner, target)
        if known:
            return Finding(claim, "ok")
        bare = runner == "script" and " run " not in claim.text and " task " not in claim.text
        if known is None or claim.excused or (bare and target not in self.removed):
            return Finding(claim, "unchecked", why=f"no targets of {claim.text.split()[0]} are known here")
        removal = self.removed.get(target)
        since = removal.change if removal else None
        heir = self._heir(target, self._is_target)
        if heir:
            lead = claim.text[: len(claim.text) - len(target)]
            return Finding(
                claim, "moved", True, lead + heir[0], heir[1], False, since, "renamed", not claim.mood.denied
            )
        sure = not (claim.mood.denied or claim.mood.elsewhere) and not bare
        return Finding(claim, "missing", True, since=since, why="no such target", sure=sure)

    def _fate(self, path: str, beside: str) -> Fate | None:
        for joined in self._places(path, beside):
            if joined in self.history.events or self.history.had_folder(joined):
                return self.history.fate(joined)
        return None if path.startswith("../") else self.history.fate(_normal(path))

    def _now_at(self, path: str, beside: str) -> str | None:
        found = self.project.find(path, beside)
        if found is None:
            fate = self._fate(path, beside)
            ends = self.project.ending_in(path)
            found = fate.target if fate and fate.target else ends[0] if len(ends) == 1 else None
        return found

    def _gone_name(self, claim: Claim, beside: str) -> str | None:
        """Return the name whose removal history should be asked about, or None when nothing is missing."""
        if claim.kind == "symbol":
            name = _parts(claim.text)[-1]
            hits = self.hits.get(name, [])
            misplaced = claim.within and self._now_at(claim.within, beside) not in _defining(hits)
            called = self._only_called(hits)
            return name if misplaced or called or not {hit.role for hit in hits} - {"text"} else None
        if claim.kind == "package":
            return None if self.project.manifests.has_package(claim.text) else claim.text
        if claim.kind == "command":
            runner, target = command_target(claim.text)
            return target if runner and not self.project.manifests.has_target(runner, target) else None
        return None

    def _heir(self, name: str, exists: Callable[[str], bool]) -> tuple[str, float] | None:
        """Return the name that took this one's place and exists now, following renames of renames."""
        confidence = 1.0
        for _ in range(MAX_PASSES):
            removal = self.removed.get(name)
            if removal is None or not removal.candidates:
                return None
            living = [pair for pair in removal.candidates if exists(pair[0])]
            name, score = (living or list(removal.candidates))[0]
            confidence *= score
            if living:
                return name, round(confidence, 2)
        return None

    def _look_up(self, names: set[str]) -> None:
        if names:
            sources = [path for path in self.project.files if symbols.is_source(path)]
            found = symbols.look_up(self.project.root, sources, names, cache=self.cache, progress=self.progress)
            self.hits.update(found)

    def _is_defined(self, name: str) -> bool:
        return any(hit.role == "def" for hit in self.hits.get(name, ()))

    @staticmethod
    def _only_called(hits: list[symbols.Hit]) -> bool:
        """Return whether a grammar saw the name used and nowhere defined."""
        seen = [hit for hit in hits if hit.role != "text"]
        return bool(seen) and all(hit.role == "use" and hit.container != symbols.UNKNOWN_CONTAINER for hit in seen)

    def _is_target(self, name: str) -> bool:
        return any(name in names for names in self.project.manifests.targets.values())


def command_target(text: str) -> tuple[str | None, str]:
    """Return the runner whose targets answer for the command, and the target; no runner for a path."""
    tool, _, rest = text.partition(" ")
    if not rest:
        return None, text
    target = rest.removeprefix("run ").removeprefix("run-script ").removeprefix("task ")
    return RUNNERS.get(tool, "script"), target


def _by_page(told: Iterable[tuple[Claim, str, str]], names: set[str]) -> dict[str, set[str]]:
    """Return which page says which of the names."""
    found: dict[str, set[str]] = {}
    for claim, _beside, page in told:
        said = names.intersection({*_parts(claim.text), claim.text.split(" ")[-1]})
        if said:
            found.setdefault(page, set()).update(said)
    return found


def _defining(hits: Iterable[symbols.Hit]) -> set[str]:
    return {hit.path for hit in hits if hit.role == "def"}


def _parts(text: str) -> list[str]:
    return [part.rstrip("!?") for part in _PARTS.split(text) if part]


def _normal(path: str) -> str:
    return posixpath.normpath(path)
