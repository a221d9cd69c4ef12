"""Which file a `--target` names, and that it lies inside the memory folder.

The folder is found by its own name in the path, `.claude/memory`. A target may not leave it by `..`, by a
folder that is a symbolic link, or by a name that merely begins like it.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

from tenure.systems.claude_memory.records import CATEGORY_OF_FOLDER
from tenure.systems.claude_memory.refusal import Refusal

MARKER = (".claude", "memory")
SUFFIX = ".json"


class Target(NamedTuple):
    """A record's file, and the path the index shows for it."""

    path: Path
    shown: str
    root: Path


def memory_root(target: str, cwd: Path) -> Path:
    """Return the memory folder the target lies in by its own words; raise `Refusal` when it names none."""
    parts = (cwd / target).parts
    for number in range(1, len(parts)):
        if parts[number - 1 : number + 1] == MARKER:
            return Path(*parts[: number + 1])
    raise Refusal(
        "PATH_ERROR",
        "Target path must contain '.claude/memory/' components. Example: .claude/memory/decisions/my-decision.json",
        target=target,
    )


def confined(target: str, root: Path, cwd: Path) -> Target:
    """Return the target, proven to be a record's place directly in one of the six folders of `root`."""
    given = cwd / target
    path = Path(os.path.normpath(given))
    normal_root = Path(os.path.normpath(root))
    if "\0" in target or not path.is_relative_to(normal_root) or path == normal_root:
        raise _outside(given, root)
    folder = path.relative_to(normal_root).parts[:-1]
    if len(folder) != 1 or folder[0] not in CATEGORY_OF_FOLDER or path.suffix != SUFFIX:
        folders = ", ".join(CATEGORY_OF_FOLDER)
        raise Refusal(
            "PATH_ERROR",
            f"Target must be a .json file directly in one of: {folders} (in {root})",
            target=given,
        )
    _refuse_links(normal_root, path, given)
    return Target(path, _shown(target, path, normal_root), normal_root)


def _refuse_links(root: Path, path: Path, given: Path) -> None:
    project = root.parent.parent
    # The folder may be reached through links above the project, never through one that a project ships.
    for place in (root.parent, root):
        if place.is_symlink() and not place.resolve().is_relative_to(project.resolve()):
            raise _outside(given, root)
    if path.parent.is_symlink() or path.is_symlink():
        raise _outside(given, root)


def _outside(given: Path, root: Path) -> Refusal:
    return Refusal("PATH_ERROR", f"Target must be within the memory directory ({root})", target=given)


def _shown(target: str, path: Path, root: Path) -> str:
    # The index keeps an absolute target absolute, as the original does; a relative one starts at the project.
    return str(path) if os.path.isabs(target) else path.relative_to(root.parent.parent).as_posix()
