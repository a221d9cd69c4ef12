"""Two system calls the standard library does not offer, and substitutes for platforms without them.

Exchanging two names is the only way to replace a file and still hold what was really there at that moment. Linux and
macOS can; elsewhere a hard link taken just before the rename comes within microseconds of it. `shared_folder` uses
them for files that other programs write too.
"""

from __future__ import annotations

import contextlib
import errno
import os
import sys
import time
from collections.abc import Callable

_LINUX_NOREPLACE, _LINUX_EXCHANGE = 1, 2
_MACOS_EXCHANGE, _MACOS_NOREPLACE = 2, 4
# How the stand-in names what it holds between its two steps.
SPARE = ".out.tmp"
# For so long a program that has a file open is waited for.
_LOOKS, _PAUSE_SECONDS = 2000, 0.001
# What file systems and kernels say that do not know the call.
_UNKNOWN = frozenset({errno.EINVAL, errno.ENOSYS, errno.ENOTSUP, errno.EPERM, errno.EACCES})

Rename = Callable[[int, str, int, str, int], None]
_rename: Rename | None = None
_looked = False


def exchange(folder: int, one: str, other: str) -> None:
    """Give each of two files in a folder the other's name; raises FileNotFoundError when one is not there."""
    flag = _MACOS_EXCHANGE if sys.platform == "darwin" else _LINUX_EXCHANGE
    if _called(folder, one, folder, other, flag):
        return
    spare = f"{one}{SPARE}"
    os.link(other, spare, src_dir_fd=folder, dst_dir_fd=folder, follow_symlinks=False)
    try:
        os.replace(one, other, src_dir_fd=folder, dst_dir_fd=folder)
    except BaseException:
        os.unlink(spare, dir_fd=folder)
        raise
    os.rename(spare, one, src_dir_fd=folder, dst_dir_fd=folder)


def rename_new(source: int, name: str, folder: int, new_name: str) -> None:
    """Rename a file to a name that nothing has; raises FileExistsError when something does."""
    flag = _MACOS_NOREPLACE if sys.platform == "darwin" else _LINUX_NOREPLACE
    if _called(source, name, folder, new_name, flag):
        return
    os.link(name, new_name, src_dir_fd=source, dst_dir_fd=folder, follow_symlinks=False)
    os.unlink(name, dir_fd=source)


def settled(handle: int, *, wait: bool = True) -> bool:
    """Tell whether no program has an open file open for writing, waiting a little for those that do.

    The kernel grants a read lease on a file only while nobody may write to it. Where there are no leases, or not for
    this file, the answer is yes.
    """
    import fcntl
    import signal

    if not hasattr(fcntl, "F_SETLEASE"):
        return True
    # A program that opens the file while we hold the lease has a signal sent to us; the usual one would end us.
    with contextlib.suppress(OSError):
        fcntl.fcntl(handle, fcntl.F_SETSIG, signal.SIGURG)
    for _ in range(_LOOKS if wait else 1):
        try:
            fcntl.fcntl(handle, fcntl.F_SETLEASE, fcntl.F_RDLCK)
        except OSError as error:
            if error.errno != errno.EAGAIN:
                return True
        else:
            with contextlib.suppress(OSError):
                fcntl.fcntl(handle, fcntl.F_SETLEASE, fcntl.F_UNLCK)
            return True
        time.sleep(_PAUSE_SECONDS)
    return False


def _called(source: int, one: str, folder: int, other: str, flag: int) -> bool:
    """Rename by the system's own call; False where there is none or this file system does not know it."""
    global _rename, _looked
    if not _looked:
        _rename, _looked = _system_call(), True
    if _rename is None:
        return False
    try:
        _rename(source, one, folder, other, flag)
    except OSError as error:
        if error.errno in _UNKNOWN:
            return False
        raise
    return True


def _system_call() -> Rename | None:
    name = {"linux": "renameat2", "darwin": "renameatx_np"}.get(sys.platform)
    if name is None:
        return None
    import ctypes  # only a process that replaces a file pays for it

    try:
        call = getattr(ctypes.CDLL(None, use_errno=True), name)
    except (OSError, AttributeError):
        return None

    def rename(source: int, one: str, folder: int, other: str, flag: int) -> None:
        if call(source, os.fsencode(one), folder, os.fsencode(other), flag) != 0:
            code = ctypes.get_errno()
            raise OSError(code, os.strerror(code), one)

    return rename
