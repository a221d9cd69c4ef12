"""How other programs store knowledge, for `tenure import FORMAT:PATH` and `tenure export FORMAT:PATH`.

One module per format. A reader returns what each record says as a proposal: it cannot claim a state, a counter or a
person's word, and its source names the program, so it waits for a person. `_READERS` and `_WRITERS` list them.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from tenure.model.memory import Memory

# What comes first in an address -> the module that reads it with `read(path)`.
_READERS = {
    "okf": "okf",
    "markdown": "markdown",
    "cursor": "cursor_rules",
    "copilot": "copilot",
    "codex": "codex",
    "mcp-memory": "mcp_memory",
    "basic-memory": "basic_memory",
    "mem0": "mem0",
    "claude-mem": "claude_mem",
    "kage": "kage",
    "hindsight": "hindsight",
}
# The same for modules that write with `write(path, memories)`.
_WRITERS = {"okf": "okf", "markdown": "markdown"}
# Of those, the modules that write many files and know their own again with `remove(path, memories, used_ids)`.
_REMOVERS = {"okf": "okf"}
READ, WRITTEN = tuple(_READERS), tuple(_WRITERS)
# What a plain path is most likely to hold, by its ending.
_ENDINGS = {".md": "markdown", ".markdown": "markdown", ".txt": "markdown", ".mdc": "cursor", ".json": "mem0"}


class ForeignRecord(NamedTuple):
    """One record of another program: where it stands, and what it says."""

    where: str
    says: dict[str, Any]


class Unread(NamedTuple):
    """One file or record that cannot be read, and why."""

    where: str
    why: str


def reader(url: str) -> tuple[str, Callable[[], Iterable[ForeignRecord | Unread]]] | None:
    """Return a format's name and what reads the records at an address; None when it names none of the formats."""
    name, path = _split(url)
    if name not in _READERS:
        return None
    module = import_module(f"tenure.formats.{_READERS[name]}")
    return name, lambda: module.read(path)


def writer(url: str) -> Callable[[Sequence[Memory]], int] | None:
    """Return what writes memories to an address and returns how many files it wrote; None for another address."""
    name, path = _split(url)
    if name not in _WRITERS:
        return None
    module = import_module(f"tenure.formats.{_WRITERS[name]}")
    return lambda memories: module.write(path, memories)


def remover(url: str) -> Callable[[Sequence[Memory], Callable[[list[str]], set[str]]], int] | None:
    """Return what removes our own files of memories no longer in use from an address; None where there are none."""
    name, path = _split(url)
    if name not in _REMOVERS:
        return None
    module = import_module(f"tenure.formats.{_REMOVERS[name]}")
    return lambda memories, used_ids: module.remove(path, memories, used_ids)


def hint(path: Path | None) -> str:
    """Return the command that reads a path which is no export of ours, empty when nothing is known of it."""
    if path is not None and path.is_dir():
        return f"A folder is read with: tenure import okf:{path}, or markdown:{path}"
    name = _ENDINGS.get(path.suffix.lower()) if path is not None and path.is_file() else None
    return f"Read it with: tenure import {name}:{path}" if name else ""


def _split(url: str) -> tuple[str, Path]:
    name, separator, rest = url.partition(":")
    return (name, Path(os.path.expanduser(rest))) if separator and rest else ("", Path())
