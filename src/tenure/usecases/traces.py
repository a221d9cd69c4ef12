"""What files of the user's other than the store keep of memories' words; erased with any memory.

All of it can do without: answers that audits kept are found again, a repair of a file that is gone cannot be taken
back, and what the worker noted of a session was told already. So nothing is searched for the words of one memory.
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from pathlib import Path
from typing import TypedDict

import msgspec

from tenure.files import durable, locate, sync_remote
from tenure.model.decoding import decode
from tenure.model.errors import TenureError
from tenure.spool import log

AUDITS = "audit"
FIXES = "fixes.json"
# What a memory claims, what it repeats, and the names in it that the code has no more.
_ANSWERS = ("claims.msgpack", "repeats.msgpack", "removals.msgpack")


class _Fixed(TypedDict):
    """One file's repairs, as `audit` keeps them; written back as they were read."""

    file: str
    edits: list[dict[str, str | int]]


def erase(texts: Sequence[str] = ()) -> None:
    """Erase what is kept of any memory's words, and of repairs what stood in these texts."""
    with contextlib.suppress(OSError):
        log.drop(log.LEARNED)
    sync_remote.remove_left()
    for folder in (locate.home() / AUDITS).glob("*"):
        for name in _ANSWERS:
            with contextlib.suppress(OSError):
                (folder / name).unlink()
        with contextlib.suppress(OSError, TenureError, msgspec.DecodeError):
            _without(folder / FIXES, texts)


def _without(path: Path, texts: Sequence[str]) -> None:
    """Take the repairs of a file out that such a text was in."""
    fixes = decode(durable.read_bytes(path), list[list[_Fixed]])
    kept = [[each for each in one if not _in_any(each, texts)] for one in fixes]
    if kept != fixes:
        durable.replace(path, msgspec.json.encode([one for one in kept if one]), mode=0o600)


def _in_any(fixed: _Fixed, texts: Sequence[str]) -> bool:
    return any(str(edit.get(side)) in text for edit in fixed["edits"] for side in ("old", "new") for text in texts)
