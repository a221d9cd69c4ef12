"""What the kernel reports about processes through /proc, read so that nobody can substitute other files.

Somebody in their own mount namespace may mount a folder over /proc, or one file over that of a process. So it has to
be the kernel's own file system, and no mount below it is crossed. The one rule: a process that cannot be inspected
never counts as harmless.
"""

from __future__ import annotations

import errno
import os
import sys

PROC = "/proc"
# From Linux's headers: what statfs says of /proc, the number of openat2, and "cross no mount".
_PROC_MAGIC = 0x9FA0
_OPENAT2, _NO_XDEV = 437, 0x01


class Covered(Exception):
    """Something else is mounted where the kernel tells of a process."""


def is_genuine() -> bool:
    """Tell whether /proc is the kernel's own; true where a system never had one, as macOS and Windows."""
    if not sys.platform.startswith("linux"):
        return True
    import ctypes  # start-up: only commands that speak for somebody ask

    # Longer than the structure is anywhere; its first word is the kind of the file system.
    facts = (ctypes.c_long * 64)()
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.statfs(PROC.encode(), ctypes.byref(facts)) != 0:
        return False
    return int(facts[0]) == _PROC_MAGIC


def read(process: int | str, name: str) -> bytes:
    """Return what /proc says of a process; raise `OSError` without it, `Covered` when something is mounted over it."""
    with os.fdopen(_opened(f"{PROC}/{process}/{name}"), "rb") as file:
        return file.read()


def exists(process: int) -> bool:
    """Tell whether the kernel knows a process, whatever /proc shows."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True  # somebody else's
    return True


def stat(process: int | str) -> list[bytes]:
    """Return the fields of a process from its state on: 1 is its parent, 3 its session, 19 when it started."""
    # The name may hold blanks and brackets, so the fields are counted from the last bracket.
    return read(process, "stat").rpartition(b")")[2].split()


def parent(process: int | str) -> int:
    """Return the parent of a process; raise `OSError` when it is gone."""
    return int(stat(process)[1])


def started(process: int | str) -> str:
    """Return a process's number and when it started, as numbers are used again; the number alone when it is gone."""
    try:
        return f"{process}-{stat(process)[19].decode()}"
    except (OSError, IndexError, Covered):
        return str(process)


def _opened(path: str) -> int:
    """Open a file below /proc without crossing a mount; as usual where the kernel cannot do that."""
    if not sys.platform.startswith("linux"):
        return os.open(path, os.O_RDONLY)
    import ctypes  # start-up: only commands that speak for somebody ask

    folder = os.open(PROC, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        # struct open_how: flags, mode, resolve
        how = (ctypes.c_uint64 * 3)(os.O_RDONLY | os.O_CLOEXEC, 0, _NO_XDEV)
        libc = ctypes.CDLL(None, use_errno=True)
        below = path.removeprefix(f"{PROC}/").encode()
        found = libc.syscall(_OPENAT2, folder, below, ctypes.byref(how), ctypes.sizeof(how))
        if found >= 0:
            return int(found)
        number = ctypes.get_errno()
    finally:
        os.close(folder)
    if number == errno.EXDEV:
        raise Covered(path)
    if number in (errno.ENOSYS, errno.EPERM, errno.E2BIG):
        return os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    raise OSError(number, os.strerror(number), path)
