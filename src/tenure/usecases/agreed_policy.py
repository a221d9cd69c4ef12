"""Which policy a person agreed to: a changed policy file waits until they agree again, whoever changed it.

An agent can write files, and a policy decides what an agent is shown and what it may promote. So the user's folder
keeps each policy file's table as it was agreed to; while a change waits, that table stays in force. Where what was
kept cannot be read, nobody has agreed to anything, and every file waits.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from tenure.files import durable, locate
from tenure.files.lock import exclusive
from tenure.files.settings import AGREED, UNCAPTURED
from tenure.model import policy as policies
from tenure.model.actor import Actor, Kind, Presence
from tenure.model.decoding import decode
from tenure.model.errors import InvalidInput, StoreUnusable

_Tables = dict[str, dict[str, Any]]
# Stands among the names once what was kept could not be read: from then on no file counts before a person agrees.
_LOST = ""


def in_force(path: Path, table: Mapping[str, Any], actor: Actor, policy: str) -> Mapping[str, Any]:
    """Return the table of a policy file that counts: its own when it was agreed to, else the one before.

    A store that is older than this rule has its first one agreed to, unless an agent brings it; in an unattended home
    every one is. `policy` names the packaged policy it changes.
    """
    if actor.presence is Presence.UNATTENDED:
        return table
    known = _agreed()
    before = known.get(_name(path))
    if before is None and table and actor.kind is Kind.PERSON and _LOST not in known:
        policies.load(policy, {str(path): table})
        with contextlib.suppress(StoreUnusable):  # where nothing can be kept, the next command of theirs agrees
            _keep(path, table)
        return table
    return before if before and _is_valid(path, before, policy) else {}


def with_uncaptured(agreed: Mapping[str, Any], table: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the table in force with every kind that the file as it is keeps from being captured.

    What must not be stored does not wait for anybody's consent: it would be stored meanwhile.
    """
    write, asked = agreed.get("write", {}), table.get("write", {})
    kinds = asked.get(UNCAPTURED, []) if isinstance(asked, Mapping) else []
    known = write.get(UNCAPTURED, [])
    new = [kind for kind in kinds if isinstance(kind, str) and kind not in known] if isinstance(kinds, list) else []
    return {**agreed, "write": {**write, UNCAPTURED: [*known, *new]}} if new else agreed


def of_team(path: Path, policy: str) -> Mapping[str, Any]:
    """Return the table of a policy that came with a repository as a person agreed to it; nothing where nobody did.

    The first one is not taken for granted, whoever comes by and wherever: it never is the person's own work.
    """
    found = _agreed().get(_name(path), {})
    return found if _is_valid(path, found, policy) else {}


def withdraw(path: Path) -> None:
    """Take back that a person agreed to a policy file; raise `StoreUnusable` where that cannot be written down."""
    if is_known(_name(path)):
        with _changing() as known:
            known.pop(_name(path), None)


def begin(paths: Iterable[Path]) -> None:
    """Keep that a store was made without these files: one that is written later waits, whoever writes it."""
    known = _agreed()
    if new := {_name(path): dict[str, Any]() for path in paths if _name(path) not in known}:
        # In a folder that cannot be written they wait all the same, but for a person's own first one.
        with contextlib.suppress(StoreUnusable), _changing() as known:
            known.update(new | known)


def is_known(origin: str) -> bool:
    """Tell whether a person agreed to an earlier version of a policy file."""
    return origin in _agreed()


def agree(path: Path, table: Mapping[str, Any], policy: str) -> None:
    """Keep that a person agreed to a policy file as it is; raise `InvalidInput` for one that cannot be in force."""
    policies.load(policy, {str(path): table})
    _keep(path, table)


def _is_valid(path: Path, table: Mapping[str, Any], policy: str) -> bool:
    try:
        policies.load(policy, {str(path): table})
    except InvalidInput:
        return False
    return True


def _keep(path: Path, table: Mapping[str, Any]) -> None:
    with _changing() as known:
        known[_name(path)] = dict(table)


@contextlib.contextmanager
def _changing() -> Iterator[_Tables]:
    """Change what is kept, one process after the other; raise `StoreUnusable` when it cannot be written."""
    file = locate.home() / AGREED
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with exclusive(file.with_name(f"{AGREED}.lock")):
            known = _agreed()
            yield known
            durable.replace(file, msgspec.json.encode(known), mode=0o600)
    except OSError as error:
        raise StoreUnusable(
            f"{str(file)!r} cannot be written ({error.strerror}), so what you agree to is not kept.",
            hint="Make the folder writable, then run the command again.",
        ) from None


def _agreed() -> _Tables:
    try:
        return decode((locate.home() / AGREED).read_bytes(), _Tables)
    except FileNotFoundError:
        return {}
    except (OSError, msgspec.DecodeError):
        return {_LOST: {}}


def _name(path: Path) -> str:
    return str(path.absolute())
