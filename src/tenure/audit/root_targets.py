"""Targets that files lost, read from their versions: the root's own, and those of runners that cannot be read whole.

A page at the root speaks of the root: that a workspace has a script `dev` does not make `pnpm dev` work there. Only a
loss is told, with the commit that brought it, and only of a line that the page had before.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterable

from tenure.audit import targets
from tenure.audit.moved_files import Commit, _change
from tenure.audit.project import Project
from tenure.audit.removed_names import is_prose
from tenure.files.git import Objects

# So many versions of a root file are looked at, newest first.
MAX_VERSIONS = 150
SECONDS = 10.0
# So many files of a runner are looked at, those nearest to the root first.
MAX_FILES = 8


class RootTargets:
    """What the root's own files define, and defined."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self._versions: dict[str, list[tuple[Commit, targets.Targets]]] = {}

    def below(self, runner: str, target: str) -> tuple[str, ...]:
        """Return the folders whose files define the target when the root's, which can be read whole, do not."""
        at_root = self.project.manifests.of_root(runner)
        if not at_root or runner not in targets.READ_WHOLE or targets.knows(at_root, target):
            return ()
        return self.project.manifests.folders_with(runner, target)

    def lost(self, runner: str, target: str) -> Commit | None:
        """Return the newest commit that took the target out of a file at the root."""
        return self._newest(self.project.manifests.root_paths(runner), target)

    def lost_anywhere(self, runner: str, target: str) -> Commit | None:
        """Return the newest commit that took the target out of a file, of a runner whose files are seldom many."""
        paths = [] if runner in targets.READ_WHOLE else self.project.manifests.paths_of(runner)[:MAX_FILES]
        change = self._newest(paths, target) if self.project.has_git else None
        return None if change is None or self._may_be_elsewhere(runner, target) else change

    def _newest(self, paths: Iterable[str], target: str) -> Commit | None:
        found = [change for path in paths if (change := self._lost_from(path, target))]
        return max(found, key=lambda each: each.date, default=None)

    def _lost_from(self, path: str, target: str) -> Commit | None:
        newer: Commit | None = None
        for change, found in self._read(path):
            if targets.defines([found], target):
                return newer
            newer = change
        return None

    def _may_be_elsewhere(self, runner: str, target: str) -> bool:
        """Return whether code still says the word, where a plugin or a macro may define what no file lists."""
        if not any(each.open for each in self.project.manifests.targets.get(runner, ())):
            return False
        word = target.rpartition(":")[2]
        said = self.project.git.paths("grep", "-z", "-l", "-I", "-w", "-F", "-e", word, "HEAD", "--")
        return any(not is_prose(path) for path in said)

    def _read(self, path: str) -> list[tuple[Commit, targets.Targets]]:
        if path not in self._versions:
            arguments = ("log", "-z", f"--max-count={MAX_VERSIONS}", "--relative", "--format=%H %ct %s", "HEAD", "--")
            rows = self.project.git.stream(*arguments, path, separator=b"\0", seconds=SECONDS)
            changes = [_change(row.decode("utf-8", errors="replace")) for row in rows if row.strip()]
            with Objects(self.project.git) as objects:
                self._versions[path] = [
                    (each, targets.read(posixpath.basename(path), text.decode("utf-8", errors="replace")))
                    for each in changes
                    if (text := objects.read(f"{each.commit}:./{path}"))
                ]
        return self._versions[path]
