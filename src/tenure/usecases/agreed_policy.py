"""Which policy a person agreed to: a changed policy file waits until they agree again, whoever changed it.

An agent can write files, and a policy decides what it is shown and what it may promote. So the user's folder keeps
each policy file's table as it was agreed to; while a change waits, that table stays in force.
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from tenure.files import durable, locate
from tenure.files.settings import AGREED
from tenure.model.actor import Actor, Kind, Presence

_Tables = dict[str, dict[str, Any]]


def in_force(path: Path, table: Mapping[str, Any], actor: Actor) -> Mapping[str, Any]:
    """Return the table of a policy file that counts: its own when it was agreed to, else the one before.

    The first one seen is agreed to unless an agent brings it; in an unattended home every one is.
    """
    if actor.presence is Presence.UNATTENDED:
        return table
    known = _agreed()
    before = known.get(_name(path))
    if before is None and table and actor.kind is Kind.PERSON:
        agree(path, table)
        return table
    return before or {}


def is_known(origin: str) -> bool:
    """Tell whether a person agreed to an earlier version of a policy file."""
    return origin in _agreed()


def agree(path: Path, table: Mapping[str, Any]) -> None:
    """Keep that a person agreed to a policy file as it is."""
    known = _agreed() | {_name(path): dict(table)}
    folder = locate.home()
    with contextlib.suppress(OSError):  # a folder that cannot be written keeps nothing, and the file waits again
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        durable.replace(folder / AGREED, msgspec.json.encode(known), mode=0o600)


def _agreed() -> _Tables:
    with contextlib.suppress(OSError, msgspec.DecodeError):
        return msgspec.json.decode((locate.home() / AGREED).read_bytes(), type=_Tables)
    return {}


def _name(path: Path) -> str:
    return str(path.absolute())
