"""The results of a search or an injection, and an injection shown again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tenure.usecases.answers import Record

if TYPE_CHECKING:
    from tenure.usecases.answers import LeftOut


class Hit(Record, frozen=True):
    """A memory found, with its score and what the score is made of."""

    id: str
    score: float
    title: str
    state: str
    why: str
    # Signal -> what it adds to the score.
    terms: dict[str, float] = {}
    # How sure it is that this is no coincidence; `inject` is silent below the policy's `least_evidence`.
    evidence: float = 0.0


class Word(Record, frozen=True):
    """A word of a query, and how many memories hold it."""

    word: str
    memories: int


class Silence(Record, frozen=True):
    """What chance reaches in this store, by words and by meaning; None where it was not measured yet."""

    words: float
    meaning: float
    calibrated_at: str | None


class Explained(Record, frozen=True, omit_defaults=True):
    """How a query was read: the words looked up, those left out, and the silence threshold."""

    words: Sequence[Word]
    left_out: Sequence[Word]
    # How many memories there are.
    memories: int
    # What a match must tell in a store of this size before it is more than chance.
    chance: float
    least_evidence: float
    silence: Silence
    # Memory -> signal -> what it adds to the score; only for an injection.
    terms: dict[str, dict[str, float]] | None = None


class InjectRequest(Record, frozen=True):
    """What an agent is about to do, and how much it may be told; None leaves a limit to the policy."""

    query: str = ""
    task: str = ""
    agent: str = ""
    domain: str = ""
    files: Sequence[str] = ()
    limit: int | None = None
    budget_chars: int | None = None
    run: str = ""


class Chosen(Record, frozen=True, omit_defaults=True):
    """A memory that is shown, and why; `caution` where the system warns of some."""

    id: str
    score: float
    why: str
    caution: bool | None = None


class Injection(Record, frozen=True):
    """What an agent is shown, and what was kept back and why."""

    block: str
    memories: Sequence[Chosen] = ()
    suppressed: Sequence[LeftOut] = ()
    # False when the store could not be written, so that nobody can ask later why this was shown.
    traced: bool = True
    # What was asked for and what was not, for `--explain`; None where the system does not choose by words.
    explained: Explained | None = None
    notes: Sequence[str] = ()


class PastInjection(Record, frozen=True):
    """An injection of the past: when, to whom and for what."""

    number: int
    at: str
    run: str
    task: str
    agent: str
    query: str


class Listed(PastInjection, frozen=True):
    """An injection in a list, with how many memories it showed."""

    memories: int


class Scored(PastInjection, frozen=True):
    """An injection a memory was in, with its score taken apart; no terms where only words were noted."""

    score: float
    evidence: float | None
    terms: dict[str, float]
    why: str
    version: int | None
    length: str


class Replayed(Record, frozen=True):
    """One memory of a replay: how it was shown, why, and what happened since."""

    id: str
    # "shown", "erased", "damaged" or "unknown".
    status: str
    version: int | None
    length: str
    score: float
    evidence: float | None
    terms: dict[str, float]
    why: str
    since: tuple[str, ...]
    # Whether this is, character by character, what was shown; None where nothing was noted to tell by.
    exact: bool | None


class Replay(PastInjection, frozen=True):
    """An injection shown again; `block` differs from what was shown only in its nonce when `exact` is true."""

    block: str
    exact: bool
    memories: Sequence[Replayed]
    notes: Sequence[str]
