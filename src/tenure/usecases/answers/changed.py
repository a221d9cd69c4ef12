"""What changed in many memories at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tenure.usecases.answers import Record

if TYPE_CHECKING:
    from tenure.model.events import Recorded
    from tenure.usecases.answers import LeftOut


class Promoted(Record, frozen=True, rename={"before": "from", "after": "to"}):
    """A memory that went up a step."""

    id: str
    before: str
    after: str


class Unpromoted(Record, frozen=True):
    """A memory that did not, and what it still needs."""

    id: str
    needs: Sequence[str]


class Promotions(Record, frozen=True):
    """What was promoted, and what waits."""

    promoted: Sequence[Promoted]
    waiting: Sequence[Unpromoted]
    notes: Sequence[str] = ()


class SweepChange(Record, frozen=True, rename={"before": "from", "after": "to"}):
    """What a sweep did to one memory; where its state stayed, what else changed, as in "evidence 3 -> 2"."""

    id: str
    before: str
    after: str
    reason: str
    change: str = ""


class Sweep(Record, frozen=True):
    """What a sweep changed, each with its reason, and how many memories it left alone."""

    changed: Sequence[SweepChange]
    kept: int
    postponed: int = 0
    notes: Sequence[str] = ()
    # How many memories got a vector, by which they are found by meaning.
    embedded: int = 0


class Undone(Record, frozen=True):
    """The ledger entries that were reversed."""

    entries: Sequence[Recorded]
    notes: Sequence[str] = ()


class Erased(Record, frozen=True):
    """What was erased; `pending` while a reader still holds an old view of the store."""

    id: str
    events: int
    pending: bool
    # Memories that say the same or are related by succession, for the user to look at.
    derived: Sequence[str]
    # The file by which the team still has it; empty when it was not shared.
    team_file: str = ""
    # Copies of a team's database that have not pulled since, each with whose it is.
    copies: Sequence[str] = ()


class Collected(Record, frozen=True):
    """What `gc` removed, and how many retired memories stay."""

    purged: Sequence[str]
    kept: int


class Scrubbed(Record, frozen=True):
    """What `scrub` took secrets out of; `pending` while a reader still holds an old view of the store."""

    memories: Sequence[str]
    # How many notes of what was shown named a secret in the question.
    injections: int
    pending: bool


class Arriving(Record, frozen=True):
    """A memory that an import would bring: its id or where its record stands, and what it would be."""

    where: str
    kind: str
    state: str
    title: str


class Moved(Record, frozen=True, omit_defaults=True):
    """How many memories were exported or imported, what was left out, and to where."""

    written: int
    skipped: Sequence[LeftOut]
    # How many of those were refused; what is here already, or became evidence, was not.
    declined: int = 0
    # What would arrive, listed by a dry run.
    arriving: Sequence[Arriving] = ()
    # Fields that did not count, because this user did not export them.
    not_counted: Sequence[str] = ()
    target: str | None = None
    notes: Sequence[str] = ()
