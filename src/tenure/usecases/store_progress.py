"""How far a store had come and what was forgotten in it, kept in the user's folder to notice a restored old copy.

A database cannot tell by itself that it is older than it was. Its last ledger entry and its marks of the forgotten
are kept beside the user's keys: at once when something is forgotten, otherwise by upkeep, the worker and `check`.
What was forgotten is forgotten again when an old copy brings it back. Everything else goes on, and `check`, `doctor`
and `status` report it, also for a database that git tracks and a pull replaced. The companion of another system's
files is a database like any other.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from tenure.files import durable, file_identity, forgotten_ids
from tenure.model.decoding import decode
from tenure.model.errors import TenureError

if TYPE_CHECKING:
    from tenure.store.api import Store

# An entry that another one stands in the place of, or that is not there any more.
OLDER = "the database is older than it was: an earlier copy was put back"
REPLACED = "the database was replaced by one that git tracks: a commit may have brought it"
ACCEPT = "If you put it back on purpose, `tenure trust` accepts it as it is."


class Head(msgspec.Struct, frozen=True, kw_only=True):
    """The last ledger entry a store was seen with, and (mark, id) of what was forgotten in it."""

    seq: int
    chain: str
    forgotten: list[tuple[str, str]]
    # Which file it was: SQLite writes in place, and git puts another file there.
    file: str = ""
    # How many memories were in use.
    memories: int = 0


def keep(store: Store, project: Path, *, accept: bool = False) -> None:
    """Keep how far the store has come; one that is not what it was changes nothing unless that is accepted."""
    place = place_of(store)
    if place is None or (not accept and behind(store, project)):
        return
    known = kept(place)
    seq, chain = store.health.head()
    forgotten = {*store.health.forgotten_marks(), *(known.forgotten if known else [])}
    in_use = sum(count for (phase, _, _), count in store.counts().items() if phase == "live")
    file = file_identity.file_at(store.place)
    head = Head(seq=seq, chain=chain, forgotten=sorted(forgotten), file=file, memories=in_use)
    if head != known and (seq or forgotten):
        place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        durable.replace(place, msgspec.json.encode(head), mode=0o600)


def behind(store: Store, project: Path) -> str:
    """Say that the store is older than it was, or another one that a commit brought; empty when it is not."""
    place = place_of(store)
    known = kept(place) if place else None
    if known is None or not known.seq:
        return ""
    if store.health.proof_of(known.seq) != known.chain:
        return f"{OLDER} (entry {known.seq} of its ledger is not the one it had). {ACCEPT}"
    if known.file not in ("", file_identity.file_at(store.place)) and _is_tracked(store, project):
        return f"{REPLACED}. {ACCEPT}"
    return ""


def _is_tracked(store: Store, project: Path) -> bool:
    from tenure.files.git_index import Index  # start-up: only where the file is another one

    return Index(project).keeps(Path(store.place))


def place_of(store: Store) -> Path | None:
    """Return where a store's head is kept: by its key and its path, so that a copy elsewhere has one of its own."""
    return Path(forgotten_ids.place(store.identity, store.place)) if store.exists and store.identity else None


def kept(place: Path) -> Head | None:
    try:
        return decode(durable.read_bytes(place), Head)
    except (OSError, TenureError, msgspec.DecodeError):
        return None
