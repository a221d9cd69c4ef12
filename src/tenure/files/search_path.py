"""Where programs that we start are looked for: the person's `PATH`, without what a project could put in front of it."""

from __future__ import annotations

import os
import shutil

from tenure.files import lies_inside, worktree_root


def without_project() -> str:
    """Return `PATH` without entries that lead into the folder this runs in or its repository.

    A relative entry does, and so does one through `/proc`, which means another folder in the program that is started.
    """
    root = worktree_root(os.getcwd())
    kept = [
        entry
        for entry in os.get_exec_path()
        if os.path.isabs(entry) and not entry.startswith("/proc/") and not lies_inside(os.path.join(entry, "x"), root)
    ]
    # An empty `PATH` means the working folder; nothing is found below a device.
    return os.pathsep.join(kept) or os.devnull


def find(program: str) -> str | None:
    """Return where a program lies that no project put there, or None."""
    return shutil.which(program, path=without_project())
