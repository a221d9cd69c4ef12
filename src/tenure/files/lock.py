"""An exclusive lock on a file, released by the kernel when its holder dies.

It is never broken by age and never skipped: a caller that cannot get it in time is told so.
"""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from tenure.model.errors import StoreBusy

if sys.platform == "win32":
    import msvcrt

    def _try(handle: int) -> bool:
        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True
else:
    import fcntl

    def _try(handle: int) -> bool:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


@contextlib.contextmanager
def exclusive(
    path: Path | str, *, dir_fd: int | None = None, wait_seconds: float = 30.0, shown: Path | str = ""
) -> Iterator[None]:
    """Hold the lock file at `path`, waiting for it; raise `StoreBusy`, which calls it `shown`, when it stays taken.

    A folder is locked itself, so that nothing has to be left behind in it; `.` is the folder of `dir_fd`.
    """
    flags = os.O_RDONLY if path == "." or (dir_fd is None and os.path.isdir(path)) else os.O_RDWR | os.O_CREAT
    flags |= getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
    handle = os.open(path, flags, 0o600, dir_fd=dir_fd)
    try:
        deadline = time.monotonic() + wait_seconds
        pause = 0.001
        while not _try(handle):
            if time.monotonic() >= deadline:
                who, name = _holder(handle), str(shown or path)
                raise StoreBusy(
                    f"Another process has held {name!r} for {wait_seconds:g} seconds{f': {who}' if who else ''}.",
                    hint="Try again when it has finished.",
                )
            time.sleep(pause)
            pause = min(pause * 1.5, 0.05)
        yield
    finally:
        os.close(handle)


def _holder(handle: int) -> str:
    """Return which process holds the lock, where the kernel lists locks; empty where it does not."""
    inode = os.fstat(handle).st_ino
    try:
        with open("/proc/locks", encoding="ascii", errors="replace") as locks:
            held = [line.split() for line in locks]
        # 1: FLOCK ADVISORY WRITE 4711 08:02:131083 0 EOF; a waiting process has an arrow after the number.
        pid = next(part[4] for part in held if part[1] == "FLOCK" and part[5].rpartition(":")[2] == str(inode))
        with open(f"/proc/{int(pid)}/cmdline", encoding="utf-8", errors="replace") as file:
            command = " ".join(file.read().replace("\0", " ").split())
    except (OSError, StopIteration, ValueError, IndexError):
        return ""
    return f"process {pid} ({command[:80]})" if command.isprintable() and command else f"process {pid}"
