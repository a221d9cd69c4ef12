"""The local socket on which a running server answers prompt hooks: its path, its owner, one question and one answer.

A socket belongs to one store, by a hash of its path, and is in a folder only its owner can enter. Each side checks
who is on the other one where the system can tell. The one rule: whatever is wrong with it, the hook works without a
server. This module is on the hooks' path: `socket` itself would import enum and selectors.
"""

from __future__ import annotations

import os
import stat
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# What both sides speak; another version means that the hook answers alone.
VERSION = 1
MOST_BYTES = 256 * 1024
# Of how often a hook had to answer alone so much is kept, a few bytes each.
MISSED, LONGEST_MISSED = ".missed", 16 * 1024


def identity(database: str) -> str:
    """Return what tells the very file of a store from another that takes its place."""
    found = os.stat(database)
    return f"{found.st_dev}:{found.st_ino}"


def refusal(path: str) -> str:
    """Return why a socket is not to be used; empty when it may be."""
    folder, found = os.lstat(os.path.dirname(path)), os.lstat(path)
    if not stat.S_ISDIR(folder.st_mode) or folder.st_uid != os.getuid() or folder.st_mode & 0o077:
        return "foreign folder"
    if not stat.S_ISSOCK(found.st_mode) or found.st_uid != os.getuid():
        return "foreign file"
    return ""


def is_ours(connection: Any) -> bool:
    """Tell whether the process on the other side is the same user's, as far as the system says."""
    import _socket

    option = getattr(_socket, "SO_PEERCRED", None)
    if option is None:
        return True
    # pid, uid, gid
    found = connection.getsockopt(_socket.SOL_SOCKET, option, 12)
    return int.from_bytes(found[4:8], sys.byteorder) == os.getuid()


def ask(path: str, question: bytes, seconds: float) -> bytes:
    """Return the line that answers a line; raises OSError (also for a foreign or a late one) when there is none."""
    import _socket

    until = time.monotonic() + seconds
    if reason := refusal(path):
        raise PermissionError(reason)
    connection = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    try:
        connection.settimeout(seconds)
        connection.connect(path)
        if not is_ours(connection):
            raise PermissionError("foreign process")
        connection.sendall(question + b"\n")
        answer = bytearray()
        while not answer.endswith(b"\n"):
            left = until - time.monotonic()
            if left <= 0:
                raise TimeoutError("late")
            connection.settimeout(left)
            piece = connection.recv(65536)
            if not piece or len(answer) > MOST_BYTES:
                raise OSError("no whole answer")
            answer += piece
    finally:
        connection.close()
    return bytes(answer)


def miss(path: str, error: BaseException) -> None:
    """Count for `tenure doctor` that a hook answered alone although there was a socket."""
    reason = "late" if isinstance(error, TimeoutError) else "dead" if isinstance(error, ConnectionError) else str(error)
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
    try:
        handle = os.open(path + MISSED, flags, 0o600)
    except OSError:
        return
    try:
        if os.fstat(handle).st_size < LONGEST_MISSED:
            os.write(handle, " ".join(reason[:60].split()).encode("utf-8", "replace") + b"\n")
    finally:
        os.close(handle)


def missed(path: str) -> dict[str, int]:
    """Return how often hooks answered alone since a server last began, by reason."""
    counts: dict[str, int] = {}
    try:
        with open(path + MISSED, encoding="utf-8", errors="replace") as file:
            for line in file.read(2 * LONGEST_MISSED).splitlines():
                counts[line] = counts.get(line, 0) + 1
    except OSError:
        return {}
    return counts
