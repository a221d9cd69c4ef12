"""What becomes of a guard when its memory says something else: a person agreed to it for the words of then.

Words that still forbid the same keep it. Otherwise it waits for a person again, and one that was read off words that
are gone goes with them; the ledger keeps it for `undo`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from tenure.guards.derive import Proposal, derive
from tenure.model.evolve import as_recorded
from tenure.model.guard import Guard, matcher
from tenure.model.memory import Memory
from tenure.text.words import folded

_SAID = ("title", "text")


def words_of(memory: Memory) -> str:
    """Return what a guard is read off: the text, behind a title that is not its beginning."""
    return f"{memory.title}.\n\n{memory.text}" if memory.title != memory.text else memory.text


def set_along(memory: Memory, fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a change of a memory's fields sets of its guard: nothing where that stays as it is."""
    guard = memory.guard
    if guard is None or "guard" in fields or not any(name in fields for name in _SAID):
        return {}
    after = replace(memory, **{name: str(fields[name]) for name in _SAID if name in fields})
    if all(_same(getattr(memory, name), getattr(after, name)) for name in _SAID):
        return {}
    left = reworded(guard, derive(words_of(memory)), derive(words_of(after)))
    return {} if left == guard else {"guard": as_recorded(left)}


def _same(one: str, other: str) -> bool:
    return folded(one).rstrip(".! ") == folded(other).rstrip(".! ")


def reworded(guard: Guard, before: Proposal | None, after: Proposal | None) -> Guard | None:
    """Return the guard of a memory whose words changed, by what both versions suggest."""
    looks_for = matcher(guard)
    if after is not None and matcher(after.guard) == looks_for:
        return guard
    if before is not None and matcher(before.guard) == looks_for:
        return replace(after.guard, state="proposed") if after is not None else None
    return replace(guard, state="proposed", right=0, wrong=0, until=None, vouched=False)
