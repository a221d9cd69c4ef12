"""What the commands show about one memory, about what waits, and about the store in a few lines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec

from tenure.model.memory import Memory
from tenure.usecases.answers import Record

if TYPE_CHECKING:
    from tenure.rules.promote import Need
    from tenure.usecases.answers.found import PastInjection
    from tenure.usecases.answers.shared import Reviewed


class Why(Record, frozen=True):
    """Whether a memory may be injected, what it needs next, and what else should be known."""

    id: str
    state: str
    eligible: bool
    next_state: str | None
    reasons: Sequence[Need]
    staleness: float
    injections: Sequence[PastInjection]
    # Who gave it the state it has, and whether a person was there; empty where the ledger does not say.
    decided_by: str = ""
    # Of a memory that the team shares: its file, whose domain that is, and the commits that changed it.
    path: str = ""
    owners: tuple[str, ...] = ()
    reviewed: Sequence[Reviewed] = ()


class Waiting(Record, frozen=True):
    """A memory that waits for a reviewer, why, and what one needs to know to decide."""

    id: str
    title: str
    state: str
    needs: str
    reviewer: str
    why: str
    kind: str = ""
    phase: str = ""
    text: str = ""
    # Who it comes from, by name and by class of trust, and a person's words that it was taken from.
    source: str = ""
    trust: str = ""
    quote: str = ""
    # Runs and references that speak for it, how often it was used, and how certain it is, from 0 to 1.
    evidence: Sequence[str] = ()
    evidence_count: int = 0
    uses: int = 0
    confidence: float = 0.0
    files: Sequence[str] = ()
    created_at: str = ""
    # Memories that say the opposite.
    conflicts: Sequence[str] = ()
    # The verdicts that keep it and drop it; empty where none is left to give.
    keep: str = ""
    drop: str = ""


class QueuePage(Record, frozen=True):
    """A page of what waits for a reviewer, and how many wait in all."""

    total: int
    items: list[Waiting]


class Claimed(Record, frozen=True):
    """Something a memory says that can be looked up in the project, and what was found."""

    text: str
    kind: str
    # "ok", "missing", "moved" or "unchecked".
    status: str
    repair: str = ""
    why: str = ""
    # The change after which it was no longer so: its day and subject.
    since: str = ""


class Dossier(Record, frozen=True):
    """What somebody needs who is to decide about a memory."""

    memory: Memory
    # Names this state of it in a later change.
    version: int
    # The words it was learned from, empty when none were kept.
    quote: str
    # The state an approval would lead to, None at the top.
    next_state: str | None
    # Exactly what is missing for it.
    needs: Sequence[Need]
    # Memories that give the opposite advice, and those that say nearly the same.
    against: Sequence[Memory]
    alike: Sequence[Memory]
    claims: Sequence[Claimed]


class HeldBack(Record, frozen=True):
    """What is measured of effects: whether it is on, how many exposures there were, and how many were held back."""

    on: bool
    exposures: int
    held: int
    # Sessions that are over.
    sessions: int


class Notices(Record, frozen=True):
    """What a person should know of that is no damage, by memory, and in sentences."""

    # Memories in use that were learned from the person's own words in the last thirty days, newest first.
    from_your_words: list[str]
    # Memories that sessions speak against and a person decided or that guard something; they stay until one decides.
    doubted: list[str]
    # Memories in use that were written while no terminal was around and that nobody has kept since, newest first.
    without_terminal: list[str]
    # Memories that were decided on a terminal with no person in sight, newest first.
    unwatched: list[str]
    said: list[str]


class Status(Record, frozen=True):
    """Counts by state and kind, what is due, sizes, and where the store is."""

    store: str
    # Why this store is used: an option, a variable, a settings file, found, or the default.
    chosen_by: str
    policy: str
    memories: int
    states: dict[str, int]
    kinds: dict[str, int]
    due: int
    runs: int
    # What the hooks may show one session together, and what they showed the last one, in tokens.
    session_tokens: int
    last_session_tokens: int
    bytes: int
    now: str
    # That an earlier copy of the database was put back; absent when it was not.
    older: str | msgspec.UnsetType = msgspec.UNSET
    # What is held back to measure effects; absent where nothing ever was.
    effect: HeldBack | msgspec.UnsetType = msgspec.UNSET
    # How many memories came with a commit and wait for `tenure trust`; absent when none does.
    waiting: int | msgspec.UnsetType = msgspec.UNSET
    # Ledger entries among the newest that decide what only a person may, without one; absent when there are none.
    unproved: list[int] | msgspec.UnsetType = msgspec.UNSET
    # Memories in use that were learned from the person's own words in the last thirty days, newest first.
    from_your_words: list[str] | msgspec.UnsetType = msgspec.UNSET
    # Memories that sessions speak against; they stay as they are until a person decides.
    doubted: list[str] | msgspec.UnsetType = msgspec.UNSET
    # Memories in use that were written while no terminal was around, newest first.
    without_terminal: list[str] | msgspec.UnsetType = msgspec.UNSET
    # Memories that were decided on a terminal with no person in sight, newest first.
    unwatched: list[str] | msgspec.UnsetType = msgspec.UNSET
    # The same and more in sentences, each with what to do; absent when there is nothing to say.
    notices: list[str] | msgspec.UnsetType = msgspec.UNSET
    # How many `tenure review` lists, and how many candidates there are, some of which may wait for evidence only.
    undecided: int = 0
    pending: int = 0
    # Of the last seven days: memories written down, injections, and the memories that were in them.
    learned_this_week: int = 0
    injections_this_week: int = 0
    shown_this_week: int = 0
