"""Changes to a memory folder as data: planned by pure functions, applied here in the order given.

Every operation names what it expects to find, so that somebody else's edit is noticed and never overwritten,
and applying returns the operations that take everything back.
"""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Sequence
from pathlib import Path

import msgspec

from tenure.files import durable
from tenure.model.errors import Conflict, Refused, TenureError

_SAFE_NAME = re.compile(r"(?:archive/)?[^/\\\x00-\x1f.][^/\\\x00-\x1f]{0,200}")


class Write(msgspec.Struct, frozen=True, tag="write"):
    """Put `data` at `path`; `expected` is the fingerprint of what must be there, None when nothing may be."""

    path: str
    data: bytes
    expected: str | None


class Move(msgspec.Struct, frozen=True, tag="move"):
    """Rename `path` to `to`, where nothing may be yet; times and bytes stay."""

    path: str
    to: str


class Remove(msgspec.Struct, frozen=True, tag="remove"):
    """Remove `path`, whose fingerprint must be `expected`."""

    path: str
    expected: str


Operation = Write | Move | Remove


def apply(folder: Path, operations: Sequence[Operation]) -> list[Operation]:
    """Carry out the operations one by one and return those that undo them, last first.

    The caller holds the folder's lock. Raises `Conflict` instead of touching a file that has changed.
    """
    for operation in operations:
        _check_names(operation)
    folder.mkdir(parents=True, exist_ok=True)
    undo: list[Operation] = []
    try:
        for operation in operations:
            undo.insert(0, _apply(folder, operation))
    except BaseException:
        take_back(folder, undo)
        raise
    return undo


def take_back(folder: Path, undo: Sequence[Operation]) -> None:
    """Carry out what undoes earlier operations, as far as the folder still allows it."""
    for operation in undo:
        with contextlib.suppress(OSError, TenureError):
            _apply(folder, operation)


def _apply(folder: Path, operation: Operation) -> Operation:
    path = _inside(folder, operation.path)
    if isinstance(operation, Move):
        target = _inside(folder, operation.to)
        if target.exists() or not path.exists():
            raise Conflict(f"{operation.path!r} cannot be moved to {operation.to!r}: the folder has changed.")
        os.rename(path, target)
        for parent in {path.parent, target.parent}:
            durable.flush_folder(parent)
        if path.parent != folder:
            with contextlib.suppress(OSError):  # an archive that is empty again is not left behind
                path.parent.rmdir()
        return Move(operation.to, operation.path)
    found = durable.read_bytes(path) if path.exists() or path.is_symlink() else None
    mark = None if found is None else durable.fingerprint(found)
    if mark != operation.expected:
        raise Conflict(f"{operation.path!r} changed since it was read; nothing was written to it.")
    if isinstance(operation, Write):
        durable.replace(path, operation.data)
        written = durable.fingerprint(operation.data)
        return Remove(operation.path, written) if found is None else Write(operation.path, found, written)
    durable.remove(path)
    return Write(operation.path, found or b"", None)


def _inside(folder: Path, name: str) -> Path:
    """Return the path of `name`, making `archive/` on demand and refusing a link in its place."""
    path = folder / name
    if path.parent != folder:
        if path.parent.is_symlink():
            raise Refused(f"{str(path.parent)!r} is a symbolic link, and those are not followed here.")
        path.parent.mkdir(exist_ok=True)
    return path


def _check_names(operation: Operation) -> None:
    names = (operation.path, operation.to) if isinstance(operation, Move) else (operation.path,)
    for name in names:
        if not _SAFE_NAME.fullmatch(name) or not name.endswith(".md"):
            raise Refused(f"{name!r} is not the name of a file in a memory folder.")
