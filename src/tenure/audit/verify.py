"""Claims checked against the project: each kind by its own rule, all lookups made once for all memories.

A claim is called broken only on evidence. What cannot be known here (a URL without a network, a path git is
told to ignore, a branch in a shallow clone, an example) is unchecked, which changes no score.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from pathlib import Path

import msgspec

from tenure.audit import answer_cache, online, packages, removed_names, repair, symbols, targets, words
from tenure.audit.anchors import Anchors
from tenure.audit.claim import Claim
from tenure.audit.commands import command_target
from tenure.audit.findings import Finding
from tenure.audit.modules import Modules
from tenure.audit.moved_files import Commit, History, merged_branches
from tenure.audit.names import Names, parts
from tenure.audit.parsing import Occurrence
from tenure.audit.paths import EXCUSED, Paths
from tenure.audit.project import Project
from tenure.audit.renamed_names import Removal
from tenure.audit.root_targets import RootTargets
from tenure.audit.versions_and_defaults import ProjectNumbers

MAX_PASSES = 3
# So many uses tell that a name is called; whether it is defined too is asked when history tells that it went.
FEW_USES = 3
NO_TARGET = "no such target"
# A package's name that is no word of a sentence, nor any tool's: scoped, or of several parts.
_TELLING = re.compile(r"@[\w.-]+/|(?=.{12})\w+[-_]\w+-\w+")


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
        self.paths = Paths(project, History(project, cache, progress))
        self.names = Names(project, self.paths)
        self.modules = Modules(project, self.paths, self.names)
        self.anchors = Anchors(project, self.paths, self.names)
        self.stated = ProjectNumbers(project)
        self.root_targets = RootTargets(project)
        self.cache = cache
        self.is_online = is_online
        self.progress = progress
        self.merged: dict[str, Commit] = {}
        # Pages of which nothing unsure is told: in which class a member is says nothing sure.
        self.only_sure: frozenset[str] = frozenset()
        self._known: dict[tuple[Claim, str, str], Finding] = {}

    def prepare(self, claims: Iterable[tuple[Claim, str, str]]) -> None:
        """Look up what the claims, given with their folder and page, need, in as few passes as possible."""
        told = list(claims)
        wanted = [(claim, beside) for claim, beside, _page in told]
        said = [(claim, _asked(claim), page) for claim, _, page in told if claim.kind == "symbol" and _asked(claim)]
        names = {part for _, each, _page in said for part in each}
        # Where a name is defined matters when the page tells its class, its file or its line.
        placed = {claim.within for claim, _ in wanted if claim.kind == "line"}
        placed_names = {part for each in placed for part in parts(each)}
        placed_names |= {
            part
            for claim, each, page in said
            if claim.within or claim.imported or (len(each) > 1 and page not in self.only_sure)
            for part in each
        }
        self._look_up(names, names - placed_names, few=FEW_USES)
        self.paths.prepare(pair for pair in wanted if pair[0].kind in ("file", "command"))
        self.names.find_longer(claim for claim, _ in wanted)
        gone = {name for claim, beside in wanted if (name := self._gone_name(claim, beside))}
        for _ in range(MAX_PASSES):
            gone -= self.names.removed.keys()
            if not gone or not self.project.has_git:
                break
            called = frozenset(name for name in gone if self.names.only_called(self.names.hits.get(name, [])))
            asked = removed_names.Wanted(frozenset(gone - called), called)
            newer = self.paths.history.newer_names
            answer = answer_cache.removals(self.project.git, asked, self._by_page(told, gone), self.cache, newer)
            if answer.cut:
                self.project.notices.append(f"not every change was read ({answer.cut}): a name may be gone unnoticed")
            found = answer.removals
            self.names.removed.update(found)
            heirs = {new for removal in found.values() for new, _score in removal.candidates}
            # A few uses told enough until now; what history knows is worth a look at all files.
            unsettled = {name for name in found if name in called and found[name].surely} | {
                owner for _, each, _page in said if each[-1] in found for owner in each[:-1]
            }
            self._look_up(unsettled, set())
            unknown = heirs - self.names.hits.keys()
            self._look_up(unknown, unknown)
            gone = {new for removal in found.values() if (new := self._first_heir(removal))}
            if answer.cut:
                break  # a history that took too long once does so again
        branches = {claim.text for claim, _ in wanted if claim.kind == "branch"}
        if self.project.has_git and branches - self.project.branches:
            self.merged = merged_branches(self.project.git)

    def check(self, claim: Claim, beside: str, page: str = "") -> Finding:
        """Return what is known about the claim, which stands on `page` in the folder `beside`."""
        key = msgspec.structs.replace(claim, line=0, start=0, end=0, said=""), beside, page
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = self._checked(claim, beside, page)
        return msgspec.structs.replace(known, claim=claim)

    def _checked(self, claim: Claim, beside: str, page: str) -> Finding:
        if claim.kind == "file":
            return self.paths.check(claim, beside, page)
        if claim.kind == "symbol":
            known = self.modules.check(claim, page) if claim.imported else None
            # What an import does not tell is asked of the name alone.
            alone = msgspec.structs.replace(claim, within="") if claim.imported else claim
            return known or self.names.check(alone, beside, page)
        if claim.kind == "command" and command_target(claim.text)[0] is None:
            return self.paths.check(claim, beside, page)
        if claim.kind == "line":
            return self.anchors.line(claim, beside)
        if claim.kind == "anchor":
            return self.anchors.heading(claim, beside, page)
        if claim.kind in ("version", "default"):
            return self.stated.version(claim, page) if claim.kind == "version" else self.stated.default(claim, page)
        if claim.kind == "package":
            return self._package(claim, page)
        if claim.kind == "command":
            return self._command(claim, beside, page)
        rules = {"url": self._url, "branch": self._branch}
        return rules[claim.kind](claim, beside)

    def close(self) -> None:
        """End what was started for the checks."""
        self.paths.close()
        self.stated.close()

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
        if name in self.project.remotes:
            return Finding(claim, "ok", why="a remote's name")
        if name in words.USUAL_REMOTES:
            return Finding(claim, "unchecked", why="remotes are often called so")
        if claim.excused or claim.tentative:
            return Finding(claim, "unchecked", why=EXCUSED)
        if self.project.is_shallow:
            return Finding(claim, "unchecked", why="a shallow clone does not know all branches")
        since = self.merged.get(name.removeprefix("origin/"))
        return Finding(claim, "missing", True, since=since, why="merged" if since else "no such branch")

    def _package(self, claim: Claim, page: str) -> Finding:
        manifests = self.project.manifests
        if manifests.has_package(claim.text) or packages.is_known_without_manifest(claim.text, self.project):
            return Finding(claim, "ok")
        removal = self.names.removed.get(claim.text)
        if not manifests.packages or claim.excused or (claim.tentative and removal is None):
            return Finding(claim, "unchecked", why="no manifest names packages" if not manifests.packages else "")
        if removal is None and claim.text.lower() in words.SYSTEM_TOOLS:
            return Finding(claim, "unchecked", why="a program that no manifest need name")
        since = removal.change if removal else None
        meant = not (claim.mood.denied or claim.mood.elsewhere)
        sure = meant and removal is not None and removal.role == "package"
        if sure and removal is not None and claim.tentative:
            # What a sample imports may be anybody's.
            shown = claim.mood.hedged or claim.mood.example or claim.mood.negated or claim.fenced
            telling = claim.mood.plain and _TELLING.match(claim.text) is not None
            sure = not shown and (telling or self.paths.pages.said_before(removal.change, page, claim.text))
        return Finding(claim, "missing", True, since=since, why="not in any manifest", sure=sure)

    def _at_root(self, claim: Claim, beside: str, page: str, runner: str, target: str) -> Finding:
        """Return that a target is there, or that the root lost it and only folders below have one of that name."""
        below = self.root_targets.below(runner, target) if not beside or beside.startswith(".") else ()
        change = self.root_targets.lost(runner, target) if below and self.project.has_git else None
        if change is None or claim.excused or not self.paths.pages.said_before(change, page, claim.text):
            return Finding(claim, "ok")
        sure = claim.mood.plain and not (claim.mood.denied or claim.mood.elsewhere or claim.mood.example)
        why = f"gone from the root; {below[0]} has one of that name"
        return Finding(claim, "missing", True, since=change, why=why, sure=sure, below=below)

    def _command(self, claim: Claim, beside: str, page: str) -> Finding:
        runner, target = command_target(claim.text)
        assert runner is not None
        known = self.project.manifests.has_target(runner, target)
        if known:
            return self._at_root(claim, beside, page, runner, target)
        bare = runner == "script" and " run " not in claim.text and " task " not in claim.text
        removal = self.names.removed.get(target)
        lost = removal is not None and removal.role == "target" and targets.runner_of(removal.path) == runner
        meant = not (claim.mood.denied or claim.mood.elsewhere)
        lost = lost and known is False  # what is not read whole may have it elsewhere
        went = None if lost or claim.excused else self.root_targets.lost_anywhere(runner, target)
        if went is not None:
            sure = meant and self.paths.pages.said_before(went, page, target)
            return Finding(claim, "missing", True, since=went, why=NO_TARGET, sure=sure)
        if known is None or claim.excused or ((bare or runner == "cargo") and not lost):
            return Finding(claim, "unchecked", why=f"not all targets of {claim.text.split()[0]} are known here")
        if removal is None or not lost:
            # Only where all targets can be read does their list prove anything; the rest of the page has to agree.
            sure = meant and not claim.mood.made and not claim.tentative and runner in targets.READ_WHOLE
            return Finding(claim, "missing", True, why=NO_TARGET, sure=sure)
        sure = meant and (not claim.tentative or self.paths.pages.said_before(removal.change, page, target))
        heir = self.names.heir(target, self._is_target)
        if heir:
            lead = claim.text[: len(claim.text) - len(target)]
            return Finding(claim, "moved", True, lead + heir[0], heir[1], False, removal.change, "renamed", sure)
        return Finding(claim, "missing", True, since=removal.change, why=NO_TARGET, sure=sure)

    def _first_heir(self, removal: Removal) -> str | None:
        """Return the name that took the removed one's place, when it is gone in its turn and worth following."""
        living = any(self.names.is_defined(new) or self._is_target(new) for new, _score in removal.candidates)
        new, score = removal.candidates[0] if removal.candidates else ("", 0.0)
        return new if not living and score >= repair.SURE_ENOUGH else None

    def _by_page(self, told: Iterable[tuple[Claim, str, str]], names: set[str]) -> dict[tuple[str, ...], set[str]]:
        """Return which page, by the names it has and had, says which of the names."""
        found: dict[str, set[str]] = {}
        for claim, _beside, page in told:
            said = names.intersection({*parts(claim.text), claim.text.split(" ")[-1]})
            if said:
                found.setdefault(page, set()).update(said)
        return {self.paths.history.names_of(page): said for page, said in found.items()}

    def _gone_name(self, claim: Claim, beside: str) -> str | None:
        """Return the name whose removal history should be asked about, or None when nothing is missing."""
        if claim.kind == "symbol":
            if not _asked(claim):
                return None
            name = parts(claim.text)[-1]
            hits = self.names.hits.get(name, [])
            placed = claim.within and not claim.imported
            misplaced = placed and self.paths.now_at(claim.within, beside) not in _defining(hits)
            called = self.names.only_called(hits)
            return name if misplaced or called or not {hit.role for hit in hits} - {"text"} else None
        if claim.kind == "package":
            return None if self.project.manifests.has_package(claim.text) else claim.text
        if claim.kind == "command":
            runner, target = command_target(claim.text)
            return target if runner and not self.project.manifests.has_target(runner, target) else None
        return None

    def _look_up(self, names: set[str], settle: set[str], few: int = symbols.WIDELY_USED) -> None:
        if names:
            sources = [path for path in self.project.files if symbols.is_source(path)]
            root, cache, tell = self.project.root, self.cache, self.progress
            found = symbols.look_up(root, sources, names, settle=settle, few=few, cache=cache, progress=tell)
            self.names.hits.update(found)

    def _is_target(self, name: str) -> bool:
        return self.project.manifests.has_name(name)


def _asked(claim: Claim) -> list[str]:
    """Return the names that a claim about a symbol needs looked up: of a module none, its file tells."""
    if claim.imported and not claim.within:
        return [last] if (last := claim.text.rpartition(".")[2])[:1].isupper() else []
    return parts(claim.text)[-2:]


def _defining(hits: Iterable[Occurrence]) -> set[str]:
    return {hit.path for hit in hits if hit.role == "def"}
