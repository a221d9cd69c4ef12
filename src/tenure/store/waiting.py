"""Memories of another system's files that came with a commit and wait until a person agrees to them.

Which ones wait, and the version that counted last, is kept in the companion database. The one rule: a memory that
waits is never eligible, whoever judges it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from tenure.model.decoding import decode
from tenure.model.evolve import evolve
from tenure.model.memory import Memory, Verdict

if TYPE_CHECKING:
    from tenure.store.sqlite.store import SqliteStore

KEY = "waiting"
# What a memory says; whoever changes it in a file of their own has made it theirs.
WORDS = ("title", "text", "content")


def read(store: SqliteStore) -> dict[str, int]:
    """Return the memories that wait, each with the version that counted last, 0 for a new one."""
    kept = store.setting(KEY)
    return decode(kept, dict[str, int]) if kept else {}


def keep(store: SqliteStore, waits: dict[str, int]) -> None:
    """Store which memories wait."""
    store.keep(KEY, msgspec.json.encode(waits).decode())


def held_back(verdict: Verdict) -> Verdict:
    """Return a verdict as it counts for a memory that waits."""
    return msgspec.structs.replace(verdict, eligible=False, weight=0)


def at(store: SqliteStore, id: str, version: int) -> Memory | None:
    """Return a memory as it was at a version; None for one that was not there, or was erased since."""
    memory: Memory | None = None
    for entry in store.history(id):
        if entry.version > version:
            break
        memory = evolve(memory, entry.event)
    return memory


def same_words(one: Memory | None, other: Memory) -> bool:
    """Tell whether two versions of a memory say the same."""
    return one is not None and all(getattr(one, name) == getattr(other, name) for name in WORDS)


def parts(value: Any) -> set[Any]:
    """Return what a value consists of, as git merges it: the lines of a text, the items of a list or a table."""
    if isinstance(value, str):
        return {line.strip() for line in value.splitlines()} - {""}
    if isinstance(value, dict):
        return {(name, part) for name, item in value.items() for part in parts(item)}
    if isinstance(value, list | tuple):
        return {part for item in value for part in parts(item)}
    return set() if value is None else {repr(value)}
