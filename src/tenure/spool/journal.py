"""What happened in a session, one line per event, until the worker has learned from it.

A journal lies in the user's folder, one file per session, for its owner only. It holds no text of the session: what
was run is cut to its leading words, errors and edits are hashes. The one rule: writing a line never blocks.
"""

from __future__ import annotations

import os

from tenure.files import quick_json
from tenure.files.trust import home

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

FOLDER = "sessions"
LONGEST_BYTES = 2 * 1024 * 1024


def folder() -> str:
    """Return where journals lie."""
    return os.path.join(home(), FOLDER)


def path(host: str, session: str) -> str:
    """Return the journal of a session; an id that is not plain becomes a hash, so that it never is a path."""
    plain = session if session.isascii() and session.replace("-", "").isalnum() and len(session) <= 64 else ""
    if not plain:
        from tenure.files import sha256

        plain = sha256(session.encode("utf-8", "replace")).hexdigest()[:32]
    return os.path.join(folder(), f"{host if host.replace('-', '').isalnum() else 'other'}-{plain}.jsonl")


def add(host: str, session: str, line: dict[str, Any]) -> None:
    """Append one line in one write; a journal that is full takes no more but the end."""
    os.makedirs(folder(), mode=0o700, exist_ok=True)
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
    handle = os.open(path(host, session), flags, 0o600)
    try:
        if os.fstat(handle).st_size < LONGEST_BYTES or line.get("event") == "end":
            os.write(handle, quick_json.dumps({"session": session, "host": host, **line}).encode() + b"\n")
    finally:
        os.close(handle)


def lines(file: str) -> Iterator[dict[str, Any]]:
    """Yield the lines of a journal; a torn one is skipped."""
    try:
        with open(file, "rb") as journal:
            data = journal.read(2 * LONGEST_BYTES)
    except OSError:
        return
    for line in data.splitlines():
        try:
            found = quick_json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(found, dict):
            yield found


def shown(host: str, session: str) -> set[str]:
    """Return the ids this session has been shown since it began or its context was last compacted."""
    ids: set[str] = set()
    for line in lines(path(host, session)):
        if line.get("event") == "start":
            ids.clear()
        found = line.get("shown")
        ids.update(id for id in found if isinstance(id, str)) if isinstance(found, list) else None
    return ids
