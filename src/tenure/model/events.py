"""What can happen to a memory: the entries of the ledger.

An event says what happened, to which memory, when, by whom and why, and carries the exact values it set. Folding
events therefore needs no policy: a threshold changed today cannot rewrite what was decided yesterday.
"""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Any

import msgspec

from tenure.model import clock
from tenure.model.decoding import decoder
from tenure.model.memory import Memory

# Under this key of `detail` an event says through which surface an agent caused it.
VIA = "via"
# Under this key it says who acted, as a value: see `model/actor.py`.
WHO = "who"
# Under this key a verdict says by what it is the person's where no person was asked: words they typed in a session, or
# what they had decided before, on another machine or before an old copy was put back.
PROVED_BY, BY_QUOTE, BY_EARLIER = "proved_by", "quote", "earlier"


class EventType(StrEnum):
    """The names of events, with what each one means."""

    CREATED = "Created", "The memory was written for the first time."
    IMPORTED = "Imported", "The memory came from another store or was found in a dialect's files."
    EDITED = "Edited", "Its title, text, content, tags or files changed."
    EVIDENCED = "Evidenced", "Something that happened in another run supports it."
    REVIEWED = "Reviewed", "A reviewer gave a verdict that waits for more before it takes effect."
    PROMOTED = "Promoted", "It rose to a state of more trust."
    KEPT = "Kept", "A reviewer reaffirmed it; its review date starts again."
    APPLIED = "Applied", "An agent used it, and this is what came of it."
    HELD = "Held", "It went under review and is not injected until someone decides."
    REINSTATED = "Reinstated", "A review returned it to the state it had before."
    WEAKENED = "Weakened", "A review put it back to a state of less trust."
    SUPERSEDED = "Superseded", "Another memory took its place."
    SUCCEEDED = "Succeeded", "It took the place of another memory."
    REJECTED = "Rejected", "A reviewer found it wrong or useless."
    DECAYED = "Decayed", "It was taken out of use because of age, contradiction or lack of confidence."
    FADED = "Faded", "It went unseen for many runs and lost one piece of evidence."
    UNSEEN = "Unseen", "A run ended without seeing it."
    RETIRED = "Retired", "It was taken out of use; it can be restored until `gc` removes it, after its grace period."
    ARCHIVED = "Archived", "It was put aside for good, and is kept."
    RESTORED = "Restored", "It came back from retirement, the archive or decay."
    CONFLICTED = "Conflicted", "Another memory gives the opposite advice."
    RECONCILED = "Reconciled", "A contradiction was settled."
    GUARDED = "Guarded", "Its guard was proposed, confirmed, changed or switched off."
    JUDGED = "Judged", "A person said whether its guard was right to fire."
    VERIFIED = "Verified", "Its claims were checked against the project."
    LOST = "Lost", "Its file was removed outside Tenure."
    UNDONE = "Undone", "An earlier event was reversed."
    PURGED = "Purged", "Its content was removed: its grace period ended, or `scrub` rewrote it."
    FORGOTTEN = "Forgotten", "It was erased on request; only its id remains."

    meaning: str

    def __new__(cls, value: str, meaning: str = "") -> EventType:
        member = str.__new__(cls, value)
        member._value_ = value
        member.meaning = meaning
        return member


class Event(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """One entry of the ledger."""

    type: str
    memory_id: str
    at: datetime
    actor: str = ""
    reason: str = ""
    run: str = ""
    task: str = ""
    # Fields of the memory (or of its signals) that took a new value, and the values they had before.
    set: dict[str, Any] = {}
    before: dict[str, Any] = {}
    # Items appended to list fields.
    add: dict[str, list[Any]] = {}
    # What happened besides, for `history`: effect, surface, notes, verdict, the event undone.
    detail: dict[str, Any] = {}


class Recorded(msgspec.Struct, frozen=True, kw_only=True):
    """An event as the ledger holds it: `version` is the memory's version after it.

    When its content was `erased`, only type, time and actor are left of the event.
    """

    seq: int
    version: int
    event: Event
    erased: bool = False


class LedgerEntry(msgspec.Struct, frozen=True, gc=False):
    """An event as the ledger takes it: what the ledger says of it in columns, and all of it encoded."""

    memory_id: str
    type: str
    at: str
    actor: str
    event: bytes


def encoded(event: Event) -> LedgerEntry:
    """Return an event as it is written."""
    return LedgerEntry(event.memory_id, event.type, clock.stamp(event.at), event.actor, _encode(event))


def decoded(entry: LedgerEntry) -> Event:
    """Return the event that is written so."""
    return _decode(entry.event)


_encode = msgspec.json.Encoder().encode
_decode = decoder(Event)


class Life(msgspec.Struct, frozen=True, gc=False):
    """A memory that comes with its whole history, as it stands in an export: both encoded already."""

    memory: Memory
    record: str
    entries: tuple[LedgerEntry, ...]


class Revision(msgspec.Struct, frozen=True, kw_only=True):
    """One memory's part of a changeset: what happened to it, what it is now, and which version was seen before.

    `after` is None when the memory was purged or forgotten.
    """

    memory_id: str
    events: tuple[Event, ...]
    after: Memory | None
    expected_version: int
