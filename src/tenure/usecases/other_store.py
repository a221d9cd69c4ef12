"""Whether a project's memory is where it was: another store in use, a file that is gone, or a new one in its place.

A line in the project's settings or a moved file makes a full store look like an empty one, and its guards stop
working. The user's folder knows which stores were trusted in a project and how far they had come, so this is reported
until the person agrees, with `tenure trust` or `tenure init --use`.
"""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

import msgspec

from tenure.files import durable, forgotten_ids, locate, trust
from tenure.files.locate import Place
from tenure.model.decoding import decode
from tenure.model.errors import TenureError
from tenure.store import open_for_hook
from tenure.store.api import Store
from tenure.usecases import project_trust, store_progress

FILE = trust.OTHER_STORES


class _Known(msgspec.Struct):
    """What is kept: for each store the others that a person knows of, and the marks of those it took the place of."""

    accepted: dict[str, list[str]] = {}
    replaced: dict[str, list[str]] = {}


def elsewhere(place: Place, store: Store) -> str:
    """Say that this project had another store, how much it held and how to get back; empty when all is as it was."""
    if place.origin in project_trust.NAMED or place.address or place.path == locate.users().path:
        return ""
    known, path = _read(), os.path.realpath(place.path)
    if not place.path.exists() and trust.known(path):
        return f"The store of this project is gone: {path}{_held(trust.known(path) or '', path)}. {_BACK.format(path)}"
    for mark in known.replaced.get(path, []):
        return f"A new store stands where another one was: {path}{_held(mark, path)}. {_BACK.format(path)}"
    trusted_as = trust.known(path)
    if place.native and trusted_as and store.exists and store.identity != trusted_as:
        return f"The store at {path} is not the one you trusted there{_held(trusted_as, path)}. {_BACK.format(path)}"
    if place.origin in ("default", "found in the project") and store.exists and store.counts():
        return ""
    accepted = {path, *known.accepted.get(path, [])}
    for other in trust.stores():
        if other not in accepted and Path(other).is_relative_to(os.path.realpath(place.project)):
            how = f"remove `store` from {place.origin}" if place.origin.endswith(".toml") else f"look for {other}"
            return (
                f"This project used another store before: {other}{_held(trust.known(other) or '', other)}."
                f" To go back, {how}. If this one is meant: tenure trust"
            )
    return ""


_BACK = "Put {} back from where it went. If it went on purpose: tenure trust"


def accept(place: Place) -> None:
    """Keep that a person means the store at a place, whatever the project had before."""
    known, path = _read(), os.path.realpath(place.path)
    known.replaced.pop(path, None)
    known.accepted[path] = [other for other in trust.stores() if other != path]
    _keep(known)


def note_replaced(path: Path, mark: str) -> None:
    """Keep that a store was made where another one, of this mark, had been."""
    known, name = _read(), os.path.realpath(path)
    known.replaced[name] = [*dict.fromkeys([*known.replaced.get(name, []), mark])]
    _keep(known)


def _held(mark: str, path: str) -> str:
    """Return how much a store holds, or held when it was last looked at."""
    with contextlib.suppress(Exception):
        if os.path.isfile(path):
            found = open_for_hook(path, lambda: False)
            try:
                if found.identity() == mark:
                    return _memories("with", found.count_live())
            finally:
                found.close()
    head = store_progress.kept(Path(forgotten_ids.place(mark, path))) if mark else None
    return _memories("which had", head.memories) if head and head.memories else ""


def _memories(lead: str, count: int) -> str:
    return f", {lead} {count} {'memory' if count == 1 else 'memories'} in use"


def _read() -> _Known:
    with contextlib.suppress(OSError, TenureError, msgspec.DecodeError):
        return decode(durable.read_bytes(locate.home() / FILE), _Known)
    return _Known(accepted={}, replaced={})


def _keep(known: _Known) -> None:
    with contextlib.suppress(OSError):  # then it is said again
        durable.replace(locate.home() / FILE, msgspec.json.encode(known), mode=0o600)
