"""Targets that the files at the root lost, while a folder below still has one of that name.

A page at the root speaks of the root: that a workspace has a script `dev` does not make `pnpm dev` work there. Only a
loss is told, with the commit that brought it, and only of a line that the page had before.
"""

from __future__ import annotations

import posixpath

from tenure.audit import targets
from tenure.audit.moved_files import Commit, _change
from tenure.audit.project import Project
from tenure.files.git import Objects

# So many versions of a root file are looked at, newest first.
MAX_VERSIONS = 150
SECONDS = 10.0


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
        for path in self.project.manifests.root_paths(runner):
            newer: Commit | None = None
            for change, found in self._read(path):
                if targets.knows([found], target):
                    return newer
                newer = change
        return None

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
