"""Which file is at a path: its inode number and birth time, so that a replacement can be recognised.

The number of a removed file is reused for the next one, so the number alone proves nothing. The file is not opened:
closing a database would drop the locks this process has on it.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import sys

_AT_FDCWD, _BTIME, _SIZE = -100, 0x800, 256


def file_at(path: str) -> str:
    """Return what tells the file at a path from every other one there, empty when nothing does."""
    try:
        facts = os.stat(path)
    except (OSError, ValueError):
        return ""
    made = str(getattr(facts, "st_birthtime", "")) or _made(path)
    return f"{facts.st_dev}:{facts.st_ino}:{made}" if made else ""


def _made(path: str) -> str:
    """Ask Linux when a file was made; empty where the file system does not know."""
    if not sys.platform.startswith("linux"):
        return ""
    with contextlib.suppress(AttributeError, OSError, ValueError):
        found = ctypes.create_string_buffer(_SIZE)
        if ctypes.CDLL(None).statx(_AT_FDCWD, os.fsencode(path), 0, _BTIME, found) == 0:
            mask = int.from_bytes(found.raw[0:4], sys.byteorder)
            seconds = int.from_bytes(found.raw[80:88], sys.byteorder, signed=True)
            nanoseconds = int.from_bytes(found.raw[88:92], sys.byteorder)
            return f"{seconds}.{nanoseconds}" if mask & _BTIME else ""
    return ""
