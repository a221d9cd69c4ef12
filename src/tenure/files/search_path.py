"""Where to look for the programs we start: the person's `PATH`, without entries a project could have added."""

from __future__ import annotations

import os
import shutil

from tenure.files import lies_inside, worktree_root


def without_project(*projects: str | os.PathLike[str]) -> str:
    """Return `PATH` without entries that lead into the folder this runs in, into `projects` or their repositories.

    A relative entry does, and so does one through `/proc`, which means another folder in the program that is started.
    """
    roots = [root for folder in (os.getcwd(), *projects) if (root := _root(os.path.abspath(folder)))]
    kept = [
        entry
        for entry in os.get_exec_path()
        if os.path.isabs(entry)
        and not entry.startswith("/proc/")
        and not any(lies_inside(os.path.join(entry, "x"), root) for root in roots)
    ]
    # An empty `PATH` means the working folder; nothing is found below a device.
    return os.pathsep.join(kept) or os.devnull


def find(program: str, *projects: str | os.PathLike[str]) -> str | None:
    """Return where a program lies that no project put there, or None."""
    return shutil.which(program, path=without_project(*projects))


def _root(folder: str) -> str:
    """Return the folder that is a project's; empty for one that holds the whole home or system and no repository."""
    root = worktree_root(folder)
    is_repository = os.path.lexists(os.path.join(root, ".git"))
    home = os.path.join(os.path.realpath(os.path.expanduser("~")), "")
    holds_home = home.startswith(os.path.join(os.path.realpath(root), ""))
    return "" if holds_home and not is_repository else root
