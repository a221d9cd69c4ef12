"""Imports in samples, checked against the project: a Python module or a class of the JVM that moved or went.

Only what is surely ours is judged: a module whose outermost package is here, a class whose package begins as those do
that define it. What this cannot tell is left to the rules for names.
"""

from __future__ import annotations

import re

from tenure.audit import symbols
from tenure.audit.claim import Claim
from tenure.audit.findings import Finding
from tenure.audit.names import Names
from tenure.audit.paths import Paths
from tenure.audit.project import Project

MAX_BYTES = 2 * 1024 * 1024
RENAMED = 0.9
_PACKAGE = re.compile(r"^[ \t]*package[ \t]+([\w.]+)", re.M)
_CLASS = re.compile(r"((?:[a-z_]\w*\.)+)([A-Z]\w*)")
# What a module hands on without naming it.
_UNNAMED = re.compile(r"^[ \t]*from[ \t]+\S+[ \t]+import[ \t]+\(?\*|^def __getattr__", re.M)
_JVM = (".java", ".kt", ".kts", ".scala", ".groovy")


class Modules:
    """The rules for what a sample imports. `names` knows where names are defined."""

    def __init__(self, project: Project, paths: Paths, names: Names) -> None:
        self.project = project
        self.paths = paths
        self.names = names

    def check(self, claim: Claim, page: str) -> Finding | None:
        """Return what is known about an import, or None when it says no more than any name does."""
        whole = claim.within or claim.text
        if _CLASS.fullmatch(whole):
            return self._member(claim, whole) if claim.within else self._class(claim)
        return self._imported(claim) if claim.within else self._module(claim, page)

    def _module(self, claim: Claim, page: str) -> Finding:
        path = claim.text.replace(".", "/")
        if self._files_of(path) or self._is_folder(path):
            return Finding(claim, "ok")
        fate = self.paths.history.fate(f"{path}.py") or self.paths.history.fate(f"{path}/__init__.py")
        if fate is None:
            return Finding(claim, "unchecked", why="not a module of this project's history")
        lead = fate.source[: fate.source.rindex(path)]
        # A package that was ours as a whole may be a dependency now.
        sure = self._is_folder(path.partition("/")[0]) or self.paths.pages.said_before(fate.change, page, claim.text)
        if fate.target.startswith(lead) and fate.target.endswith(".py"):
            new = fate.target[len(lead) : -3].removesuffix("/__init__").replace("/", ".")
            return Finding(claim, "moved", True, new, fate.confidence, False, fate.change, "renamed or moved", sure)
        return Finding(claim, "missing", True, since=fate.change, why="the module was removed", sure=sure)

    def _imported(self, claim: Claim) -> Finding | None:
        """Return that a module lacks a name, where the only definition is in another."""
        path = claim.within.replace(".", "/")
        files = self._files_of(path)
        if not files or self._files_of(f"{path}/{claim.text}") or self._is_folder(f"{path}/{claim.text}"):
            return None
        texts = [self.project.read_text(file, MAX_BYTES) for file in files]
        if any(not text or _UNNAMED.search(text) or re.search(rf"\b{claim.text}\b", text) for text in texts):
            return None
        defined = {hit.path for hit in self.names.hits.get(claim.text, ()) if hit.role == "def" and not hit.weak}
        if len(defined) != 1 or not (only := defined.pop()).endswith(".py") or symbols.is_aside(only):
            return None
        removal = self.names.removed.get(claim.text)
        since = removal.change if removal else None
        return Finding(claim, "moved", False, since=since, why=f"now in {only}", sure=True)

    def _class(self, claim: Claim) -> Finding | None:
        parts = _CLASS.fullmatch(claim.text)
        assert parts is not None
        told, name = parts[1].rstrip("."), parts[2]
        found = self._packages(name)
        ours = any(package.split(".")[:2] == told.split(".")[:2] for package in found)
        if not ours or told in found:
            return Finding(claim, "ok") if told in found else None
        new = f"{found.pop()}.{name}" if len(found) == 1 else None
        why = "in another package" if new else f"in {', '.join(sorted(found)[:3])}"
        return Finding(claim, "moved", False, new, RENAMED if new else 0.0, why=why, sure=not claim.mood.denied)

    def _member(self, claim: Claim, owner: str) -> Finding | None:
        """Return that a class, wherever it is, lacks a member that nothing in the code has."""
        name = owner.rpartition(".")[2]
        files = [hit.path for hit in self.names.hits.get(name, ()) if hit.role == "def" and hit.path.endswith(_JVM)]
        if not files or not self._packages(name) or self.names.hits.get(claim.text):
            return None
        removal = self.names.removed.get(claim.text)
        heir = self.names.heir(claim.text, self.names.is_defined)
        since = removal.change if removal else None
        if heir:
            return Finding(claim, "moved", True, heir[0], heir[1], False, since, "renamed", True)
        return Finding(claim, "missing", True, since=since, why=f"{name} has no such member", sure=True)

    def _packages(self, name: str) -> set[str]:
        """Return the packages of the files that define a class."""
        files = {hit.path for hit in self.names.hits.get(name, ()) if hit.role == "def" and hit.path.endswith(_JVM)}
        found = (_PACKAGE.search(self.project.read_text(file, MAX_BYTES)) for file in files)
        return {match[1] for match in found if match}

    def _files_of(self, path: str) -> list[str]:
        """Return the files that a Python module may be."""
        return [file for end in (".py", ".pyi", "/__init__.py") for file in self.project.ending_in(path + end)]

    def _is_folder(self, path: str) -> bool:
        return any(folder == path or folder.endswith("/" + path) for folder in self.project.folders)
