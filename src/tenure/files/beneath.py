"""Opening what lies below a folder by its parent's descriptor, part by part, without following a link.

A path that is checked and then opened can be swapped for a link in between; a descriptor cannot.
"""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from tenure.model.errors import InvalidInput, Refused

NO_LINKS = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
READING = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | NO_LINKS
_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_CLOEXEC", 0)


class Beneath:
    """A folder whose last `guarded` parts may not be links; what lies above is the user's affair."""

    def __init__(self, root: Path, guarded: int) -> None:
        self.root = root
        parts = root.absolute().parts
        self.base = Path(*parts[: len(parts) - guarded])
        self._own = parts[len(parts) - guarded :]

    @contextlib.contextmanager
    def opened(self, place: str, *, make: bool = False) -> Iterator[int]:
        """Open a folder below this one, made on the way when asked to; raise `Refused` at a link."""
        if make:
            self.base.mkdir(parents=True, exist_ok=True)
        handle = os.open(self.base, _FOLDER)
        try:
            for part in (*self._own, *parts(place)):
                inner = self._inner(handle, part, make=make)
                os.close(handle)
                handle = inner
            yield handle
        finally:
            os.close(handle)

    @contextlib.contextmanager
    def parent(self, place: str, *, make: bool = False) -> Iterator[tuple[int, str]]:
        """Open the folder a file lies in, and return it with the file's name."""
        folder, name = split(place)
        with self.opened(folder, make=make) as handle:
            yield handle, name

    def _inner(self, handle: int, part: str, *, make: bool) -> int:
        if make:
            with contextlib.suppress(FileExistsError):
                os.mkdir(part, dir_fd=handle)
                os.fsync(handle)
        try:
            return os.open(part, _FOLDER | NO_LINKS, dir_fd=handle)
        except OSError as error:
            raise self._explained(handle, part, error) from error

    def open(self, handle: int, name: str, flags: int) -> int:
        """Open a file in an open folder; raise `Refused` when it is a link."""
        try:
            return os.open(name, flags, 0o644, dir_fd=handle)
        except OSError as error:
            raise self._explained(handle, name, error) from error

    def _explained(self, handle: int, name: str, error: OSError) -> Exception:
        with contextlib.suppress(OSError):
            if stat.S_ISLNK(os.stat(name, dir_fd=handle, follow_symlinks=False).st_mode):
                return Refused(f"{name!r} in {str(self.root)!r} is a symbolic link, and those are not followed here.")
        return error

    def listed(self, place: str, *, folders: bool) -> list[str]:
        """Return the sorted names of the folders in a folder, or of everything else; nothing when it is not there."""
        try:
            with self.opened(place) as handle, os.scandir(handle) as entries:
                return sorted(entry.name for entry in entries if entry.is_dir(follow_symlinks=False) is folders)
        except (FileNotFoundError, NotADirectoryError):
            return []

    def read(self, handle: int, name: str, limit: int) -> bytes:
        """Return a file's bytes; refuse what is no plain file, and one above the limit."""
        opened = self.open(handle, name, READING)
        facts = os.fstat(opened)
        if not stat.S_ISREG(facts.st_mode):
            # Before Python makes a file of it, which raises an error of its own for a folder.
            os.close(opened)
            raise Refused(f"{name!r} in {str(self.root)!r} is not a regular file.")
        with os.fdopen(opened, "rb") as file:
            if facts.st_size > limit:
                raise InvalidInput(f"{name!r} has {facts.st_size:,} bytes; at most {limit:,} are read.")
            return file.read(limit + 1)


def split(place: str) -> tuple[str, str]:
    """Return the folder a place lies in, and its name."""
    *folders, name = parts(place)
    return "/".join(folders), name


def parts(place: str) -> tuple[str, ...]:
    """Return the parts of a place; refuse one that could lead out of its folder."""
    if not place:
        return ()
    parts = PurePosixPath(place).parts
    if place.startswith("/") or ".." in parts or "\0" in place:
        raise Refused(f"{place!r} is not the place of a file here.")
    return parts
