"""Copies of other people's edits, kept because a program may have read our version before we withdrew it.

Somebody's edit that came out of an exchange goes back to its place. A program that read our version in between does
not know that edit and writes over it: the edit is then in no file at all. So it is copied first, and the copy follows
our own later writes; it is removed when enough time has passed and nobody wrote over the edit.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import NamedTuple, Protocol

from tenure.files.durable import fingerprint
from tenure.model import clock

ENDING = ".withdrawn"
MARK_CHARS = 12
# For so long a program may still hold what it read before it writes.
SECONDS = 300


class Copies(Protocol):
    """The folder of the copies, as `files.shared_folder` has it."""

    def names(self) -> list[str]: ...

    def read(self, place: str) -> bytes | None: ...

    def facts(self, place: str) -> os.stat_result | None: ...

    def change(self, place: str, rule: Callable[[bytes | None], bytes | None]) -> bytes | None: ...

    def remove(self, place: str) -> None: ...


class Copy(NamedTuple):
    """A copy by its name, and the mark of the version it is of."""

    name: str
    mark: str


def keep(kept: Copies, lead: str, data: bytes) -> None:
    """Keep a copy of an edit; `lead` is how the names of a file's copies begin."""
    kept.change(".gitignore", lambda now: now or b"*\n")
    kept.change(f"{lead}{fingerprint(data)[:MARK_CHARS]}{ENDING}", lambda now: data)


def follow(kept: Copies, lead: str, expected: str, data: bytes) -> None:
    """Let the copy of a version that we replaced ourselves be of the one that took its place."""
    for copy in _copies(kept, lead):
        if copy.mark == expected[:MARK_CHARS] and fingerprint(data)[:MARK_CHARS] != copy.mark:
            keep(kept, lead, data)
            kept.remove(copy.name)


def settle(kept: Copies, lead: str, now: bytes | None) -> None:
    """Drop copies of what is still there, when they are old enough; one of a lost edit becomes a kept copy."""
    for copy in _copies(kept, lead):
        data = kept.read(copy.name) or b""
        if now is None or not holds(now, data):
            kept.change(copy.name.removesuffix(ENDING), _always(data))
            kept.remove(copy.name)
        elif _age(kept, copy.name) > SECONDS:
            kept.remove(copy.name)


def holds(now: bytes, before: bytes) -> bool:
    """Tell whether a file still has every line of an earlier version; the comma of a list's last line aside."""
    lines = {line.strip().rstrip(b",") for line in now.split(b"\n")}
    return all(line.strip().rstrip(b",") in lines for line in before.split(b"\n"))


def _always(data: bytes) -> Callable[[bytes | None], bytes | None]:
    return lambda now: data


def _copies(kept: Copies, lead: str) -> Iterator[Copy]:
    for name in kept.names():
        if name.startswith(lead) and name.endswith(ENDING):
            yield Copy(name, name.removesuffix(ENDING)[len(lead) :])


def _age(kept: Copies, name: str) -> float:
    facts = kept.facts(name)
    return clock.seconds() - facts.st_mtime if facts else 0.0
