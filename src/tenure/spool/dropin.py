"""What our drop-in command lines wrote into another system's files, noted until the ledger records it as ours.

A drop-in must start in a blink, so it opens no database: it leaves one line per command here, in the user's folder,
and the next generic command on that folder turns it into events. The line is written under the other system's own
lock, after its files. If a line is lost, only the name of the writer is lost.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from tenure.files import sha256
from tenure.files.trust import home

FOLDER = "drop-ins"
# The surface that the ledger names for such changes.
SURFACE = "drop-in"
# From here on the drop-in waits while the ledger takes everything in, so that the file stays small.
LONGEST_BYTES = 512 * 1024


class Done(NamedTuple):
    """One memory that a drop-in changed: the ledger's word for it, and the record as it was left."""

    event: str
    # How the system's files name it: a lesson's id, a record's path in its folder.
    name: str = ""
    # None when the record went. A run that went by unseen is one note for all lessons, whose ids stand here.
    record: dict[str, Any] | None = None
    reason: str = ""
    run: str = ""
    # The name it had before it was renamed.
    before: str = ""
    # Whether the record stands where put-aside ones do, in a system that has a place for them.
    aside: bool = False


def path(folder: str | os.PathLike[str]) -> str:
    """Return where the changes of a folder are noted."""
    name = sha256(os.path.realpath(folder).encode("utf-8", "surrogateescape")).hexdigest()[:32]
    return os.path.join(home(), FOLDER, f"{name}.jsonl")


def note(folder: str | os.PathLike[str], at: str, done: Iterable[Done]) -> None:
    """Write down what one command changed; a disk that refuses costs only the note."""
    changes = [{key: value for key, value in one._asdict().items() if value} for one in done]
    if not changes:
        return
    line = json.dumps({"at": at, "changes": changes}, separators=(",", ":")).encode("ascii") + b"\n"
    file = path(folder)
    try:
        os.makedirs(os.path.dirname(file), mode=0o700, exist_ok=True)
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
        handle = os.open(file, flags, 0o600)
        try:
            os.write(handle, line)
        finally:
            os.close(handle)
    except OSError:
        return


def is_long(folder: str | os.PathLike[str]) -> bool:
    """Tell whether so much is noted that the ledger should take it in before the next command."""
    try:
        return os.stat(path(folder)).st_size >= LONGEST_BYTES
    except OSError:
        return False


def read(file: str) -> bytes:
    """Return the notes in a file, none when there is no file."""
    try:
        with open(file, "rb") as notes:
            return notes.read()
    except OSError:
        return b""


def commands(data: bytes) -> Iterator[tuple[str, list[Done]]]:
    """Yield each command's time and changes; a torn line is passed over."""
    for line in data.splitlines():
        try:
            found = json.loads(line)
            yield found["at"], [Done(**change) for change in found["changes"]]
        except (ValueError, TypeError, LookupError, RecursionError):
            continue


def drop(file: str) -> None:
    """Remove the notes that were taken in."""
    try:
        os.unlink(file)
    except OSError:
        return
