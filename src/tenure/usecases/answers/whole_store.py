"""A whole store in pages and by week."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tenure.model.memory import Memory
from tenure.usecases.answers import Record
from tenure.usecases.answers.found import PastInjection

if TYPE_CHECKING:
    from tenure.model.events import Recorded


class MemoryPage(Record, frozen=True):
    """Some memories of a long list, and the id after which the next page begins; empty on the last."""

    memories: Sequence[Memory]
    next: str


class Totals(Record, frozen=True):
    """How many memories there are, by state and by kind."""

    memories: int
    states: dict[str, int]
    kinds: dict[str, int]


class LedgerPage(Record, frozen=True):
    """Some entries of the ledger, newest first, and the number before which the next page begins; None on the last."""

    entries: Sequence[Recorded]
    next: int | None


class Week(Record, frozen=True):
    """One week of a store: what there was at its end, and what happened in it."""

    # The Monday it began on.
    monday: str
    # Phase -> memories at its end.
    phases: dict[str, int]
    born: int
    promoted: int
    decayed: int
    approved: int
    rejected: int
    injections: int
    # Prompts that hooks answered, those that got nothing, and those at which the hook gave up.
    prompts: int
    silent: int
    given_up: int
    # How long a prompt waited for its hook, in milliseconds: half of them at most so long, and 95 of 100.
    half_ms: int | None
    most_ms: int | None


class Trend(Record, frozen=True):
    """A store by week, and how long ago live memories were verified."""

    weeks: Sequence[Week]
    # Days up to -> live memories that a check of their claims or a person's verdict last confirmed so long ago.
    unverified: dict[int, int]
    never_verified: int


class Contradiction(Record, frozen=True):
    """Two memories that give opposite advice."""

    left: Memory
    right: Memory


class SessionInjection(PastInjection, frozen=True):
    """An injection of a session, with the ids of what it showed."""

    ids: Sequence[str]


class SessionSeen(Record, frozen=True):
    """One session of an agent: what it was shown, what was held back, and what came of it; None is unknown."""

    session: str
    agent: str
    began: str
    last: str
    injections: Sequence[SessionInjection]
    shown: Sequence[str]
    held: Sequence[str]
    # Ids of memories that an answer of the agent named or that an outcome was read of, and those it taught.
    cited: Sequence[str]
    learned: Sequence[str]
    outcome: dict[str, int | str | bool | None] | None
