"""The lock around every write: ours, which the kernel releases, and the directory the original waits for.

It is never skipped. A leftover directory of a writer that died is taken over at once when it was ours (we
hold our lock, so nobody else of us is alive) and after a minute when it was the original's.
"""

from __future__ import annotations

import contextlib
import os
import stat
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from tenure.files.lock import exclusive
from tenure.model.errors import StoreBusy
from tenure.systems.claude_memory.refusal import Refusal

NAME = ".index.lockdir"
WAIT_SECONDS = 15.0
STALE_SECONDS = 60.0
POLL_SECONDS = 0.05
# The original never sets the sticky bit, so it tells our directory from its.
OURS = 0o1700


@contextlib.contextmanager
def held(root: Path, *, warn: Callable[[str], None], wait_seconds: float | None = None) -> Iterator[bool]:
    """Hold the folder's lock; the value says whether another writer died inside it."""
    wait = WAIT_SECONDS if wait_seconds is None else wait_seconds
    deadline = time.monotonic() + wait
    with contextlib.ExitStack() as stack:
        try:
            stack.enter_context(exclusive(os.path.realpath(root), wait_seconds=wait))
        except StoreBusy as error:
            raise _timeout(root, wait) from error
        interrupted = _make(root, deadline, wait, warn)
        stack.callback(_leave, root / NAME)
        yield interrupted


def died_inside(root: Path) -> bool:
    """Return whether one of our writers left its directory behind, or is writing right now."""
    try:
        return bool(os.lstat(root / NAME).st_mode & stat.S_ISVTX)
    except OSError:
        return False


def _make(root: Path, deadline: float, wait: float, warn: Callable[[str], None]) -> bool:
    interrupted = False
    while True:
        try:
            os.mkdir(root / NAME, OURS)
            return interrupted
        except FileExistsError:
            reason = _leftover(root)
        if reason:
            with contextlib.suppress(OSError):
                os.rmdir(root / NAME)
                warn(f"[WARN] Broke stale index lock ({reason})")
                interrupted = True
                continue
        if time.monotonic() >= deadline:
            raise _timeout(root, wait)
        time.sleep(POLL_SECONDS)


def _leftover(root: Path) -> str:
    if died_inside(root):
        return "its writer died"
    try:
        age = _file_system_time(root) - os.lstat(root / NAME).st_mtime
    except OSError:
        return ""
    return f"older than {STALE_SECONDS:.0f}s" if age > STALE_SECONDS else ""


def _file_system_time(root: Path) -> float:
    # The directory's age is by the clock that stamped it, which need not be this machine's.
    probe = root / f"{NAME}.{os.urandom(6).hex()}"
    os.mkdir(probe, 0o700)
    try:
        return os.lstat(probe).st_mtime
    finally:
        os.rmdir(probe)


def _leave(path: Path) -> None:
    with contextlib.suppress(OSError):
        os.rmdir(path)


def _timeout(root: Path, wait: float) -> Refusal:
    return Refusal(
        "LOCK_TIMEOUT_ERROR",
        f"Another process has held the index for {wait:g} seconds; nothing was written. Try again.",
        lock=root / NAME,
    )
