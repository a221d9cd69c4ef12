"""Changes to a folder as data: planned by pure functions, carried out here in order, all or nothing.

Every step names what it expects to find. When one fails, the earlier ones are reverted as far as the folder still
allows, so that somebody else's edit in the middle of a plan leaves neither half a plan nor a lost edit.
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence

import msgspec

from tenure.files.durable import fingerprint
from tenure.files.shared_folder import Folder
from tenure.model.errors import TenureError


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


Step = Write | Move | Remove


def apply(folder: Folder, steps: Sequence[Step]) -> list[Step]:
    """Carry out the steps one by one and return those that undo them, last first.

    The caller holds the folder's lock. Raises `Conflict` instead of touching a file that has changed.
    """
    undo: list[Step] = []
    try:
        for step in steps:
            undo.insert(0, _apply(folder, step))
    except BaseException:
        take_back(folder, undo)
        raise
    return undo


def take_back(folder: Folder, undo: Sequence[Step]) -> None:
    """Carry out what undoes earlier steps, as far as the folder still allows it."""
    for step in undo:
        with contextlib.suppress(OSError, TenureError):
            _apply(folder, step)


def _apply(folder: Folder, step: Step) -> Step:
    if isinstance(step, Move):
        folder.move(step.path, step.to)
        return Move(step.to, step.path)
    before = folder.read(step.path)
    if isinstance(step, Write):
        folder.replace(step.path, step.data, expected=step.expected)
        written = fingerprint(step.data)
        return Remove(step.path, written) if before is None else Write(step.path, before, written)
    folder.remove(step.path, expected=step.expected)
    return Write(step.path, before or b"", None)
