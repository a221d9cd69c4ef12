"""What came from one person, agent, program or session: the answer to "what do you hold from me?" (P3).

A memory counts when any part of it does: who said it, the runs that support it, and every entry of its history. A name
is compared as a whole and without case, with or without the word before its colon (`session:s-1` or `s-1`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from tenure.model import actor as actors
from tenure.model.errors import BadRequest
from tenure.model.events import WHO, Event
from tenure.model.memory import Memory
from tenure.store.api import Store


def contributed_by(store: Store, source: str) -> Callable[[Memory], bool]:
    """Return a function that says whether a source contributed to a memory."""
    wanted = source.strip().casefold()
    if not wanted:
        raise BadRequest("A source needs a name.", hint="As in: tenure export out.jsonl --from s-1")

    def contributed(memory: Memory) -> bool:
        if any(_is_named(name, wanted) for name in _names(memory)):
            return True
        events = (recorded.event for recorded in store.history(memory.id))
        return any(_is_named(name, wanted) for event in events for name in _acted(event))

    return contributed


def _is_named(name: str, wanted: str) -> bool:
    name = name.casefold()
    word, _, rest = name.partition(":")
    return wanted in (name, word, rest)


def _names(memory: Memory) -> Iterator[str]:
    yield from (memory.source, memory.agent, *memory.runs, *memory.evidence)
    yield from (name for each in memory.approvals for name in (each.by, each.user))


def _acted(event: Event) -> Iterator[str]:
    yield from (event.actor, event.run, event.task, str(event.detail.get("by") or ""))
    if who := actors.read(event.detail.get(WHO)):
        yield from (who.user, who.host)
