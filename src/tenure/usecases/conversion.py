"""A memory from another store, converted to fit this one without losing anything it says.

What this store cannot take as it is (a state, a kind, a text without typed content) becomes the nearest thing it can.
`extra` remembers both, so that a memory nobody changed here goes back as it was.
"""

from __future__ import annotations

from typing import Any

import msgspec

from tenure.model.decoding import convert
from tenure.model.memory import Memory
from tenure.model.policy import Policy
from tenure.systems.api import System

# Under this key of `extra`: field -> [what it was, what it became here].
ORIGIN = "origin"
_FIELDS = ("id", "kind", "state", "phase", "title", "text", "content", "tags", "changes", "previous_state")
# Where a memory that may not influence yet waits, in a system whose memories all do.
_ASIDE = "archived"


def fitted(system: System, policy: Policy, memory: Memory) -> Memory:
    """Return the memory in a state and of a kind that this store has."""
    state = fitting_state(memory, policy)
    return msgspec.structs.replace(
        memory,
        state=state,
        phase=policy.phase(state),
        kind=memory.kind if memory.kind in system.kinds else system.default_kind,
        previous_state=memory.previous_state if memory.previous_state in policy.states else None,
    )


def fitting_state(memory: Memory, policy: Policy) -> str:
    """Return the memory's state where the policy has it, else one of the same phase; never one of more influence."""
    if policy.states.get(memory.state) == memory.phase:
        return memory.state
    usual = {
        "live": policy.promotion.start_stated,
        "pending": policy.promotion.start,
        "held": policy.promotion.hold.state,
        "gone": policy.retention.retired_state,
    }[memory.phase]
    if policy.states.get(usual) == memory.phase:
        return usual
    same = [state for state, phase in policy.states.items() if phase == memory.phase]
    return next(iter(same), _ASIDE if _ASIDE in policy.states else policy.retention.retired_state)


def returned(memory: Memory) -> Memory:
    """Return the memory with whatever another store had to change put back, where nobody changed it since."""
    origin = memory.extra.get(ORIGIN)
    if not isinstance(origin, dict):
        return memory
    now = _fields(memory)
    back = {
        name: pair[0]
        for name, pair in origin.items()
        if name in _FIELDS and isinstance(pair, list) and len(pair) == 2 and now.get(name) == pair[1]
    }
    extra = {key: value for key, value in memory.extra.items() if key != ORIGIN}
    return convert({**msgspec.to_builtins(memory), **back, "extra": extra}, Memory)


def marked(was: Memory, now: Memory) -> Memory:
    """Return the memory as it is here, remembering what it was where that differs."""
    before, after = _fields(was), _fields(now)
    changed = {name: [before[name], after[name]] for name in _FIELDS if before[name] != after[name]}
    return msgspec.structs.replace(now, extra={**now.extra, ORIGIN: changed}) if changed else now


def _fields(memory: Memory) -> dict[str, Any]:
    """Return the fields as they look once stored: tuples are lists there."""
    found: dict[str, Any] = msgspec.json.decode(msgspec.json.encode({name: getattr(memory, name) for name in _FIELDS}))
    return found
