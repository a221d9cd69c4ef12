"""Decisions made on a terminal with no person in sight that are in no memory's history.

`trust`, `off` or `allow` change the user's folder and not the ledger, so they are kept there: each kind of act once
for each store, with a count, so that no number of others pushes it out. Their times are the machine's own, because
whoever sets `TENURE_NOW` could make an act look old.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable

import msgspec

from tenure.files import durable, locate
from tenure.model import clock
from tenure.model.actor import Actor
from tenure.model.decoding import decode

FILE = "unwatched.json"
# The weightiest first: what opens a project or takes a guard away.
WITHOUT_ENTRY = (
    "trust", "off", "guards", "allow", "share", "sync", "effect start", "effect stop", "trust --revoke",
)  # fmt: skip


class Act(msgspec.Struct, frozen=True):
    """One kind of decision: when it was last made, for which store, which program held the terminal, and how often."""

    at: str
    act: str
    store: str
    terminal: str
    count: int = 1


def note(act: str, actor: Actor, store: str) -> None:
    """Keep that something was decided so, where the ledger has no entry for it."""
    if act not in WITHOUT_ENTRY:
        return
    kept = _grouped([*_read(), Act(clock.stamp(clock.unfrozen()), act, store, actor.terminal)])
    with contextlib.suppress(OSError):
        durable.replace(locate.home() / FILE, msgspec.json.encode(kept), mode=0o600)


def since(moment: str, store: str) -> list[Act]:
    """Return what was decided so for a store from a time on, the weightiest first."""
    found = [act for act in _grouped(_read()) if act.store == store and act.at >= moment and act.act in WITHOUT_ENTRY]
    return sorted(found, key=lambda act: WITHOUT_ENTRY.index(act.act))


def _grouped(acts: Iterable[Act]) -> list[Act]:
    """Return each kind of act once for each store, as it was done last."""
    found: dict[tuple[str, str], Act] = {}
    for act in acts:
        before = found.get((act.act, act.store))
        count = act.count + (before.count if before else 0)
        found[act.act, act.store] = msgspec.structs.replace(act, count=count)
    return list(found.values())


def _read() -> list[Act]:
    with contextlib.suppress(OSError, msgspec.DecodeError):
        return decode((locate.home() / FILE).read_bytes(), list[Act])
    return []
