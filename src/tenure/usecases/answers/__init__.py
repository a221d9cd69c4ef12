"""The records the workspace takes and returns: every field is named, and `notes` say what the user should know.

The command line prints these records as they are, so a field that is added here appears in its JSON too. This module
has the records that many use cases share; one module per subject has the others.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from tenure.model.memory import Memory

# Called with what is done and what there is to do.
Progress = Callable[[int, int], None]


class Record(msgspec.Struct, frozen=True, kw_only=True):
    """A record of the API."""


class LeftOut(Record, frozen=True):
    """A memory or a line that was left out, and why."""

    id: str
    why: str


class Problem(Record, frozen=True):
    """Something that does not hold: in a file, or in the store."""

    path: str
    field: str
    message: str


class Written(Memory, frozen=True, kw_only=True):
    """A memory as a change left it, and what the user should know about that."""

    notes: tuple[str, ...] = ()
    # To an agent that proposed it: what is known already and may say the same.
    nearest: tuple[Nearest, ...] = ()


class Nearest(Record, frozen=True):
    """A memory that is near to a new one."""

    id: str
    text: str


def written(memory: Memory, notes: Sequence[str] = (), nearest: Sequence[Nearest] = ()) -> Written:
    """Return the memory as an answer."""
    fields = {name: getattr(memory, name) for name in Memory.__struct_fields__}
    return Written(**fields, notes=tuple(notes), nearest=tuple(nearest))
