"""The log of triage scores and what became of each, one JSON line per stop, so that thresholds can be
judged later.

It lies under the project's `.tenure/`, never inside the memory folder, and holds numbers, never what was
said.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterable, Mapping

from tenure.capture.triage import Score
from tenure.files import at_once
from tenure.model import clock

FOLDER, NAME = ".tenure", "triage.jsonl"
# A longer log starts anew; the one before is kept beside it.
MAX_BYTES = 1_000_000


def append(project: str, session: str, turns: int, scores: Iterable[Score], outcomes: Mapping[str, str]) -> None:
    """Add one stop's scores; a log that cannot be written is no reason to fail."""
    judged = [
        {
            "category": score.category,
            "score": round(score.score, 4),
            "threshold": score.threshold,
            "outcome": outcomes[score.category],
        }
        for score in scores
    ]
    line = {"at": clock.stamp(clock.now()), "session": session, "turns": turns, "scores": judged}
    folder = os.path.join(project, FOLDER)
    path = os.path.join(folder, NAME)
    with contextlib.suppress(OSError):
        if os.path.islink(folder):
            return
        if not os.path.isdir(folder):
            os.mkdir(folder, 0o700)
            with open(os.path.join(folder, ".gitignore"), "x", encoding="utf-8") as ignore:
                ignore.write("*\n")
        if os.path.exists(path) and os.path.getsize(path) > MAX_BYTES:
            os.replace(path, path + ".1")
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_NOFOLLOW", 0)
        # A pipe in its place would wait for a reader that never comes.
        flags |= getattr(os, "O_NONBLOCK", 0)
        handle = os.open(path, flags, 0o600)
        try:
            os.write(handle, json.dumps(line).encode() + b"\n")
        finally:
            os.close(handle)


def blocked_at(project: str, session: str) -> int:
    """Return how many turns of the session had passed at its last block, 0 for none or an unnamed session."""
    if not session:
        return 0
    try:
        with open(os.path.join(project, FOLDER, NAME), "rb", opener=at_once) as log:
            lines = log.read(2 * MAX_BYTES).splitlines()
    except OSError:
        return 0
    for line in reversed(lines):
        with contextlib.suppress(ValueError, TypeError, AttributeError, RecursionError):
            entry = json.loads(line)
            if entry.get("session") == session and any(one["outcome"] == "fired" for one in entry["scores"]):
                return max(0, int(entry["turns"]))
    return 0
