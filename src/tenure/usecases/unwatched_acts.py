"""What was decided on a terminal that nobody was seen to look at and stands in no memory's history.

`trust`, `off` or `allow` change the user's folder and not the ledger, so they are kept there, the newest hundred.
"""

from __future__ import annotations

import contextlib

import msgspec

from tenure.files import durable, locate
from tenure.model import clock
from tenure.model.actor import Actor

FILE = "unwatched.json"
WITHOUT_ENTRY = frozenset({
    "trust", "trust --revoke", "off", "allow", "share", "sync", "guards", "effect start", "effect stop",
})  # fmt: skip
MOST_KEPT = 100


class Act(msgspec.Struct, frozen=True):
    """One decision: when, what, for which store, and which program held the terminal."""

    at: str
    act: str
    store: str
    terminal: str


def note(act: str, actor: Actor, store: str) -> None:
    """Keep that something was decided so, where the ledger has no entry for it."""
    if act not in WITHOUT_ENTRY:
        return
    kept = [*_read(), Act(clock.stamp(clock.now()), act, store, actor.terminal)][-MOST_KEPT:]
    with contextlib.suppress(OSError):
        durable.replace(locate.home() / FILE, msgspec.json.encode(kept), mode=0o600)


def since(moment: str, store: str) -> list[Act]:
    """Return what was decided so for a store from a time on, newest first."""
    return [act for act in reversed(_read()) if act.store == store and act.at >= moment]


def _read() -> list[Act]:
    with contextlib.suppress(OSError, msgspec.DecodeError):
        return msgspec.json.decode((locate.home() / FILE).read_bytes(), type=list[Act])
    return []
