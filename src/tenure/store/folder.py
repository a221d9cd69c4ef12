"""The folder of a store inside a project: for its owner only, and out of version control."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

# What git ignores of the folder: everything, or everything but what the team shares as files.
IGNORED, SHARED = "*\n", "*\n!team/\n!team/**\n"


def make_folder(folder: Path) -> None:
    """Make the folder of a store, for its owner only, and keep it out of version control."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if folder.name == ".tenure":
        # Also in a folder that is there already, with a project's settings in it; never through a link.
        _ignore_all(folder)


def _ignore_all(folder: Path) -> None:
    inside, name = None, str(folder / ".gitignore")
    if os.open in os.supports_dir_fd:
        # By a handle, so that nobody can swap the folder for a link between looking and writing.
        try:
            inside, name = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW), ".gitignore"
        except (FileNotFoundError, NotADirectoryError):
            return  # moved away or swapped just now; whoever opens the store there says so
    try:
        with contextlib.suppress(FileExistsError):
            handle = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644, dir_fd=inside)
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(SHARED if (folder / "team").is_dir() else IGNORED)
    finally:
        if inside is not None:
            os.close(inside)
