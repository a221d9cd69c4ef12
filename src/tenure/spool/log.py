"""Why a hook stayed silent: a short log in the user's folder that `tenure doctor` shows."""

from __future__ import annotations

import os

from tenure.files.trust import home

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

FILE = "hooks.log"
# Beyond this the older half is dropped.
LONGEST_BYTES = 64 * 1024
# How a line begins that may hold a memory's words; such lines go when a memory is forgotten.
LEARNED = "work learned:"


def write(event: str, reason: str) -> None:
    """Add one line: time, event, reason."""
    from tenure.model import clock  # start-up: most hooks have nothing to log

    line = " ".join(f"{clock.stamp(clock.now())} {event} {reason}".split())[:500] + "\n"
    path = os.path.join(home(), FILE)
    os.makedirs(home(), mode=0o700, exist_ok=True)
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
    handle = os.open(path, flags, 0o600)
    try:
        os.write(handle, line.encode("utf-8", "replace"))
        too_long = os.fstat(handle).st_size > LONGEST_BYTES
    finally:
        os.close(handle)
    if too_long:
        _shorten(path)


def read(most: int = 20) -> list[str]:
    """Return the last lines, oldest first."""
    try:
        with open(os.path.join(home(), FILE), encoding="utf-8", errors="replace") as file:
            return file.read(4 * LONGEST_BYTES).splitlines()[-most:]
    except OSError:
        return []


def read_for(places: Iterable[str]) -> list[str]:
    """Return the lines on these stores and folders, oldest first, and those that name no place but Tenure's own."""
    import re  # start-up: hooks only write

    known = {way(place) for place in (*places, home()) for way in (os.path.abspath, os.path.realpath)}
    here = re.compile("|".join(rf"(?<![\w./-]){re.escape(place)}(?![\w.-])(?!/(?!\.tenure/))" for place in known))
    elsewhere = re.compile(r"(?<![\w./-])/\w[^'\"]*/\.tenure/|^\S+ \S+ /")
    return [line for line in read(LONGEST_BYTES) if here.search(line) or not elsewhere.search(line)]


def drop(beginning: str) -> None:
    """Remove the lines that begin so behind their time."""
    path, start = os.path.join(home(), FILE), f"{beginning} ".encode()
    if not os.path.exists(path):
        return
    with open(path, "rb") as file:
        lines = file.read().splitlines(keepends=True)
    kept = [line for line in lines if not line.partition(b" ")[2].startswith(start)]
    if len(kept) < len(lines):
        _put(path, b"".join(kept))


def _shorten(path: str) -> None:
    """Keep the newer half; a log that is cut off half-way is no loss, so nothing is flushed."""
    with open(path, "rb") as file:
        kept = file.read()[-LONGEST_BYTES // 2 :]
    _put(path, kept[kept.find(b"\n") + 1 :])


def _put(path: str, kept: bytes) -> None:
    shorter = f"{path}.{os.getpid()}.tmp"
    handle = os.open(shorter, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0), 0o600)
    with os.fdopen(handle, "wb") as file:
        file.write(kept)
    os.replace(shorter, path)
