"""One index of the project: its files, folders, packages, targets and branches, read once per audit."""

from __future__ import annotations

import os
import posixpath
import re
from collections import defaultdict
from collections.abc import Callable, Iterable
from functools import cached_property
from pathlib import Path

from tenure.audit import manifests, words
from tenure.files.git import Git

MAX_FILES = 500_000
MAX_MANIFEST_BYTES = 4 * 1024 * 1024
LOCK_NAMES = words.listed(
    """
    package-lock.json yarn.lock pnpm-lock.yaml poetry.lock uv.lock Pipfile.lock Cargo.lock go.sum
    Gemfile.lock composer.lock pdm.lock bun.lock
    """
)
MAX_LOCK_BYTES = 32 * 1024 * 1024
SKIPPED_FOLDERS = words.GENERATED_FOLDERS | {".hg", ".svn"}


class Project:
    """The project at `root`, without the folder `apart`; what could not be read is told in `notices`."""

    def __init__(self, root: Path, apart: Path | None = None) -> None:
        self.root = root
        self.notices: list[str] = []
        self.git = Git(root)
        self.has_git = (self.git.text("rev-parse", "--is-inside-work-tree")) == "true"
        self.is_shallow = self.has_git and self.git.text("rev-parse", "--is-shallow-repository") == "true"
        self.prefix = (self.git.text("rev-parse", "--show-prefix") or "") if self.has_git else ""
        if self.is_shallow:
            self.notices.append("shallow clone: history is cut, so when something broke may be unknown")
        if not self.has_git:
            self.notices.append("not a git repository (or git is missing): no history, no branches")
        self.blobs: dict[str, str] = {}
        self.submodules: list[str] = []
        self.files = _without(self._list(), root, apart)

    def _list(self) -> frozenset[str]:
        if not self.has_git:
            return self._walk()
        found: set[str] = set()
        for row in self.git.paths("ls-files", "-z", "--stage"):
            facts, _, path = row.partition("\t")
            mode, blob, _stage = facts.split(" ")
            if mode == "160000":
                self.submodules.append(path)
            else:
                found.add(path)
                self.blobs[path] = blob
        found.difference_update(self.git.paths("ls-files", "-z", "--deleted"))
        others = self.git.run("ls-files", "-z", "--others", "--exclude-standard")
        if others is None:
            self.notices.append("git did not tell which files are new: every file that is here counts as one")
            found.update(self._walk())
        else:
            found.update(os.fsdecode(path) for path in others.split(b"\0") if path)
        for submodule in self.submodules:
            inner = Git(self.root / submodule)
            if (self.root / submodule / ".git").exists():
                found.update(f"{submodule}/{path}" for path in inner.paths("ls-files", "-z"))
            else:
                self.notices.append(f"submodule {submodule!r} is not checked out: claims about it are unchecked")
        return frozenset(found)

    def _walk(self) -> frozenset[str]:
        found: set[str] = set()
        for folder, names, files in os.walk(self.root, followlinks=False):
            names[:] = [name for name in names if name not in SKIPPED_FOLDERS]
            relative = os.path.relpath(folder, self.root).replace(os.sep, "/")
            lead = "" if relative == "." else relative + "/"
            found.update(lead + name for name in files)
            if len(found) > MAX_FILES:
                self.notices.append(f"more than {MAX_FILES:,} files: the rest was not listed")
                break
        return frozenset(found)

    @cached_property
    def folders(self) -> frozenset[str]:
        """Return every folder that holds a file, at any depth."""
        found: set[str] = set()
        for path in self.files:
            parent = path.rpartition("/")[0]
            while parent and parent not in found:
                found.add(parent)
                parent = parent.rpartition("/")[0]
        return frozenset(found | set(self.submodules))

    @cached_property
    def by_name(self) -> dict[str, list[str]]:
        """Return the paths that share a file name."""
        found: dict[str, list[str]] = defaultdict(list)
        for path in sorted(self.files):
            found[path.rpartition("/")[2]].append(path)
        return found

    @cached_property
    def stems(self) -> frozenset[str]:
        """Return the names of files without their endings, and of folders: modules, to those who import them."""
        files = {path.rpartition("/")[2].split(".")[0] for path in self.files}
        return frozenset(files | {path.rpartition("/")[2] for path in self.folders})

    @cached_property
    def by_blob(self) -> dict[str, list[str]]:
        """Return the paths that have the same content, by its git id."""
        found: dict[str, list[str]] = defaultdict(list)
        for path, blob in sorted(self.blobs.items()):
            if path in self.files:
                found[blob].append(path)
        return found

    @cached_property
    def _folders_by_name(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = defaultdict(list)
        for path in sorted(self.folders):
            found[posixpath.basename(path)].append(path)
        return found

    def find(self, path: str, beside: str = "") -> str | None:
        """Return the project path that `path` names, from the root or from the folder `beside`."""
        plain = path.rstrip("/")
        for base in ("", beside):
            joined = posixpath.normpath(posixpath.join(base, plain))
            if joined in self.files or joined in self.folders or joined == ".":
                return joined
            if not joined.startswith("../") and self._on_disk(joined):
                return joined
        return self.matching(plain.removeprefix("./")) if re.search(r"[*?\[]", plain) else None

    def has_stem(self, path: str) -> bool:
        """Return whether files have this path but for their ending: `src/scan` for scan.h and scan.cpp."""
        folder, _, name = path.removeprefix("./").rpartition("/")
        return bool(name) and "." not in name and name in self._stems_by_folder.get(folder, ())

    @cached_property
    def _stems_by_folder(self) -> dict[str, set[str]]:
        found: dict[str, set[str]] = defaultdict(set)
        for path in self.files:
            folder, _, name = path.rpartition("/")
            found[folder].add(name.split(".")[0])
        return found

    def ending_in(self, path: str) -> list[str]:
        """Return the paths that end in `path`, as people shorten them."""
        plain = path.removeprefix("./").rstrip("/")
        name = posixpath.basename(plain)
        named = [*self.by_name.get(name, ()), *self._folders_by_name.get(name, ())]
        return [each for each in named if each == plain or each.endswith("/" + plain)]

    def _on_disk(self, path: str) -> bool:
        try:
            return os.path.lexists(self.root / path)
        except (OSError, ValueError):
            return False

    def matching(self, pattern: str) -> str | None:
        """Return the first path that a pattern fits, from the root or from any folder."""
        matches = matcher(pattern)
        return next((path for path in self._everything if matches(path)), None)

    @cached_property
    def _everything(self) -> list[str]:
        return sorted(self.files | self.folders)

    def is_unknowable(self, path: str) -> bool:
        """Return whether the path's absence says nothing: generated, fetched, or in a submodule not there."""
        parts = path.removeprefix("./").rstrip("/").split("/")
        made = parts[0] in words.GENERATED_FOLDERS or any(part in words.MADE_ANYWHERE for part in parts)
        return made or self.in_submodule(path)

    def in_submodule(self, path: str) -> bool:
        """Return whether the path is, or lies in, another repository that is mounted here."""
        plain = path.removeprefix("./").rstrip("/")
        return any(plain == each or plain.startswith(each + "/") for each in self.submodules)

    def ignored(self, paths: Iterable[str]) -> set[str]:
        """Return those of the paths that git is told to ignore; one that ends in a slash is asked as a folder."""
        if not self.has_git:
            return set()
        asked = {each for each in paths if each and self._may_be_asked(each)}
        if not asked:
            return set()
        given = "\0".join(sorted(asked)).encode("utf-8", errors="surrogateescape")
        answers = self.git.paths("check-ignore", "-v", "-z", "--stdin", "--no-index", stdin=given)
        # Each is a file, a line, a pattern and a path. An empty line that ends as on Windows fits every folder.
        told = zip(answers[2::4], answers[3::4], strict=False)
        return {path for pattern, path in told if pattern.strip() and not pattern.startswith("!")}

    def _may_be_asked(self, path: str) -> bool:
        """Return whether git answers for the path: one beyond a link or a submodule fails them all."""
        plain = posixpath.normpath(path)
        parents = [plain[:at] for at, letter in enumerate(plain) if letter == "/"]
        beyond = any(each in self.submodules or (self.root / each).is_symlink() for each in parents)
        return not beyond and not plain.startswith(("../", "/", ":", ".git/")) and plain not in ("..", ".git")

    @cached_property
    def manifests(self) -> manifests.Manifests:
        """Return the packages and targets of every manifest in the project."""
        found = manifests.Manifests()
        for path in sorted(self.files):
            if manifests.is_manifest(path):
                found.read(path, self.read_text(path, MAX_MANIFEST_BYTES))
        return found

    @cached_property
    def branches(self) -> frozenset[str]:
        """Return local and remote branches, the latter with and without the remote's name."""
        printed = self.git.text("for-each-ref", "--format=%(refname)", "refs/heads", "refs/remotes", "refs/tags")
        found: set[str] = set()
        for name in (printed or "").split("\n"):
            kind, _, rest = name.removeprefix("refs/").partition("/")
            found.add(rest)
            if kind == "remotes":
                found.add(rest.partition("/")[2])
        head = self.git.text("symbolic-ref", "--short", "-q", "HEAD")
        return frozenset((found | ({head} if head else set())) - {""})

    @cached_property
    def remotes(self) -> frozenset[str]:
        """Return the names of the remotes that were fetched from."""
        printed = self.git.text("for-each-ref", "--format=%(refname)", "refs/remotes") or ""
        return frozenset(name.split("/")[2] for name in printed.split("\n") if name.count("/") > 1)

    @cached_property
    def locks(self) -> list[str]:
        """Return the texts of the lock files in small letters: they are asked about every package that a page names."""
        named = sorted(path for path in self.files if posixpath.basename(path) in LOCK_NAMES)
        return [self.read_text(path, MAX_LOCK_BYTES).lower() for path in named]

    def read_text(self, path: str, limit: int) -> str:
        """Return the file's text, or nothing when it is too large, not a regular file or unreadable."""
        full = self.root / path
        try:
            if full.is_symlink() or not full.is_file() or full.stat().st_size > limit:
                return ""
            return full.read_bytes().decode("utf-8", errors="replace")
        except OSError:
            return ""


def matcher(pattern: str) -> Callable[[str], object]:
    """Return a test of paths, whole or from any folder on: `*` stays within a folder, `**` does not."""
    expression = ""
    for piece in re.findall(r"\*\*/?|\*|\?|\[[^\]/]*\]|[^*?\[]+|\[", pattern.rstrip("/")):
        if piece.startswith("**"):
            expression += "(?:.*/)?" if piece.endswith("/") else ".*"
        elif piece in ("*", "?"):
            expression += "[^/]*" if piece == "*" else "[^/]"
        else:
            expression += re.escape(piece)
    return re.compile(rf"(?:.*/)?{expression}").fullmatch


def _without(files: frozenset[str], root: Path, apart: Path | None) -> frozenset[str]:
    """Return the files outside `apart`: what we keep of an audit is no part of what it looks at."""
    if apart is None:
        return files
    lead = os.path.relpath(os.path.realpath(apart), os.path.realpath(root)).replace(os.sep, "/") + "/"
    return files if lead.startswith("../") else frozenset(path for path in files if not path.startswith(lead))
