"""How a memory changes: one event at a time, and in no other way.

`evolve` needs no policy. What an event sets was decided when it was made, so folding a ledger gives the same memory
today, next year and on another machine.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

import msgspec

from tenure.model.decoding import convert
from tenure.model.errors import StoreDamaged
from tenure.model.events import Event, EventType
from tenure.model.memory import Memory, Signals

_SIGNALS = frozenset(Signals.__struct_fields__)
_BIRTHS = frozenset({EventType.CREATED, EventType.IMPORTED})
_DEATHS = frozenset({EventType.PURGED, EventType.FORGOTTEN, EventType.LOST})
_TYPES = {field.name: field.type for field in msgspec.structs.fields(Memory)}


def evolve(memory: Memory | None, event: Event) -> Memory | None:
    """Return the memory after the event: None when the event erased it."""
    if event.type in _DEATHS:
        return None
    try:
        if event.type in _BIRTHS:
            return convert(event.set, Memory)
        if memory is None:
            raise StoreDamaged(f"The ledger has {event.type} for {event.memory_id!r} before it was created.")
        return _changed(memory, event)
    except (msgspec.ValidationError, AttributeError, KeyError, TypeError) as error:
        raise StoreDamaged(
            f"The ledger has a {event.type} of {event.memory_id!r} that makes no sense: {error}."
        ) from None


def _changed(memory: Memory, event: Event) -> Memory:
    fields: dict[str, Any] = {}
    signals: dict[str, Any] = {}
    for name, value in event.set.items():
        if name in _SIGNALS:
            signals[name] = convert(value, int)
        else:
            fields[name] = convert(value, _TYPES[name])
    for name, items in event.add.items():
        fields[name] = getattr(memory, name) + convert(tuple(items), _TYPES[name])
    if signals:
        fields["signals"] = msgspec.structs.replace(memory.signals, **signals)
    # Clocks may run backwards; the order of events does not.
    fields["updated_at"] = max(memory.updated_at, event.at)
    return msgspec.structs.replace(memory, **fields)


def fold(events: Iterable[Event]) -> Memory | None:
    """Return the memory that a sequence of events makes."""
    memory: Memory | None = None
    for event in events:
        memory = evolve(memory, event)
    return memory


def born(memory: Memory, *, type: EventType = EventType.CREATED, **facts: Any) -> Event:
    """Return the event that creates this memory."""
    return Event(type=type, memory_id=memory.id, at=memory.updated_at, set=msgspec.to_builtins(memory), **facts)


def change(
    memory: Memory,
    type: EventType,
    now: datetime,
    *,
    set: Mapping[str, Any] | None = None,
    add: Mapping[str, Iterable[Any]] | None = None,
    **facts: Any,
) -> Event:
    """Return the event that sets and adds these values, remembering what was there before."""
    wanted = {name: as_recorded(value) for name, value in (set or {}).items()}
    current = {name: as_recorded(value_of(memory, name)) for name in wanted}
    changed = {name: value for name, value in wanted.items() if current[name] != value}
    added = {name: as_recorded(list(items)) for name, items in (add or {}).items()}
    return Event(
        type=type,
        memory_id=memory.id,
        at=now,
        set=changed,
        before={name: current[name] for name in changed},
        add={name: items for name, items in added.items() if items},
        **facts,
    )


def as_recorded(value: Any) -> Any:
    """Return a value as a ledger gives it back: a tuple becomes a list, a time its text."""
    return msgspec.json.decode(msgspec.json.encode(value))


def value_of(memory: Memory, name: str) -> Any:
    """Return a field of the memory or of its signals."""
    return getattr(memory.signals if name in _SIGNALS else memory, name)
