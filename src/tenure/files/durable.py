"""Reading and replacing files so that nobody ever sees, or is left with, half of one.

A replacement is written beside its target, flushed, renamed over it, and the folder is flushed too; without the
last step a power cut now and then brings the old file back. Symbolic links are never followed. Files that other
programs write too are replaced by `shared_folder`.
"""

from __future__ import annotations

import hashlib
import os
import stat
from pathlib import Path

from tenure.model.errors import InvalidInput, Refused

MAX_FILE_BYTES = 64 * 1024 * 1024


def read_bytes(path: Path, *, limit: int = MAX_FILE_BYTES) -> bytes:
    """Return the file's bytes; refuse a symbolic link, a device or a file above `limit`."""
    try:
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    except OSError as error:
        if path.is_symlink():
            raise Refused(f"{str(path)!r} is a symbolic link, and those are not followed here.") from error
        raise
    with os.fdopen(handle, "rb") as file:
        facts = os.fstat(file.fileno())
        if not stat.S_ISREG(facts.st_mode):
            raise Refused(f"{str(path)!r} is not a regular file.")
        if facts.st_size > limit:
            raise InvalidInput(f"{str(path)!r} has {facts.st_size:,} bytes; at most {limit:,} are read.")
        return file.read(limit + 1)


def replace(path: Path, data: bytes, *, mode: int | None = None) -> None:
    """Put `data` at `path` durably and all at once, keeping the permissions of a file already there."""
    if path.is_symlink():
        raise Refused(f"{str(path)!r} is a symbolic link, and those are not followed here.")
    if is_special(path):
        raise Refused(f"{str(path)!r} is not a regular file.")
    if mode is None:
        mode = stat.S_IMODE(path.stat().st_mode) if path.exists() else 0o644
    temporary = path.with_name(f".{path.name}.{os.urandom(6).hex()}.tmp")
    handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0), mode)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    flush_folder(path.parent)


def is_special(path: Path) -> bool:
    """Tell whether a device, a pipe or a socket is there: renaming over /dev/null takes it away from everybody."""
    return path.exists() and not path.is_file() and not path.is_dir()


def flush_folder(folder: Path) -> None:
    """Make a rename or a removal in `folder` survive a power cut."""
    if os.name == "nt":  # Windows cannot open folders; NTFS journals renames itself.
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def remove(path: Path) -> None:
    """Remove the file durably."""
    path.unlink()
    flush_folder(path.parent)


def fingerprint(data: bytes) -> str:
    """Return the hash by which an edit behind our back is noticed."""
    return hashlib.sha256(data).hexdigest()
