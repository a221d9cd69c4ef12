"""Journals that wait to be learned from, and how one is taken, given up or done.

A journal is renamed when a worker takes it and removed when it is done, so a worker that dies leaves it to be found;
what the worker does is safe to repeat.
"""

from __future__ import annotations

import os

TAKEN, FAILED = ".taken", ".failed"
IDLE_SECONDS = 3600
MOST_ATTEMPTS = 5


def ready(folder: str) -> list[str]:
    """Return the journals to learn from: left by a worker, ended, or idle for long because their session was killed."""
    try:
        names = sorted(os.listdir(folder))
    except OSError:
        return []
    paths = [os.path.join(folder, name) for name in names]
    return [path for path in paths if path.endswith(TAKEN) or (path.endswith(".jsonl") and _over(path))]


def take(path: str) -> str:
    """Claim a journal and return its new name; lines written from now on start another one."""
    if path.endswith(TAKEN):
        return path
    taken = path + TAKEN
    if os.path.exists(taken):
        # A worker died on the session's first half: learn from that one first.
        return taken
    os.rename(path, taken)
    return taken


def give_back(taken: str, reason: str, attempts: int) -> None:
    """Keep a journal for another try, or put it aside for `tenure doctor` after too many."""
    import json

    with open(taken, "ab") as file:
        file.write(json.dumps({"event": "failed", "why": reason[:300]}).encode() + b"\n")
    if attempts + 1 >= MOST_ATTEMPTS:
        os.rename(taken, taken.removesuffix(TAKEN) + FAILED)


def unfinished(folder: str) -> int:
    """Return how many journals belong to sessions that go on, or were killed a short while ago."""
    waiting = set(ready(folder))
    try:
        names = os.listdir(folder)
    except OSError:
        return 0
    return sum(name.endswith(".jsonl") and os.path.join(folder, name) not in waiting for name in names)


def failed(folder: str) -> list[str]:
    """Return the journals that were given up."""
    try:
        return [os.path.join(folder, name) for name in sorted(os.listdir(folder)) if name.endswith(FAILED)]
    except OSError:
        return []


def _over(path: str) -> bool:
    try:
        with open(path, "rb") as file:
            file.seek(max(0, os.fstat(file.fileno()).st_size - 4096))
            # The end may be followed by what was delivered late.
            if b'"event": "end"' in file.read():
                return True
        from tenure.model import clock

        return clock.now().timestamp() - os.path.getmtime(path) > IDLE_SECONDS
    except OSError:
        return False
