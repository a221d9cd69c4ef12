"""The measured effects of memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tenure.usecases.answers import Record

if TYPE_CHECKING:
    from tenure.usecases.answers import LeftOut


class ArmCount(Record, frozen=True):
    """How often a memory was in one arm, and in how many of those sessions trouble followed."""

    exposures: int
    troubles: int


class MemoryEffect(Record, frozen=True):
    """What is known of one memory's effect."""

    id: str
    title: str
    kind: str
    # "helps", "hurts" or "cannot tell yet".
    verdict: str
    # About how many more sessions a proof takes; None when there is one, or when it would take very long.
    more_sessions: int | None
    shown: ArmCount
    held: ArmCount
    # Held back, and reached the agent another way; it still counts as held back.
    crossed: int
    # Shown minus held, pulled towards what all memories do: for putting them in order.
    change: float
    # Whether it had many chances and shows nothing: then `tenure review` offers to retire it.
    no_sign: bool
    # About how many tokens it has cost so far.
    tokens: int


class BlockEffect(Record, frozen=True):
    """What is known of the effect of showing anything at all."""

    verdict: str
    more_sessions: int | None
    shown: ArmCount
    held: ArmCount


class HostCost(Record, frozen=True):
    """What memories cost in the sessions of one host, in tokens (about four characters each)."""

    host: str
    sessions: int
    tokens: int
    tokens_per_session: int


class SessionEffect(Record, frozen=True):
    """One session: what was shown and held back in it, and what came of it; None is unknown."""

    session: str
    at: str
    host: str
    shown: int
    held: int
    trouble: bool | None
    corrections: int | None
    same_errors: int | None
    edits_taken_back: int | None
    ended_red: bool | None
    violations: int | None
    interruptions: int | None
    failed_commands: int | None
    turns: int | None
    tokens: int | None
    seconds: int | None
    # About how many tokens of memories were put into it.
    injected_tokens: int


class EffectReport(Record, frozen=True):
    """Whether memory helps in this project, as far as that is known."""

    on: bool
    since: str | None
    stated: bool
    block_held_back: bool
    # Sessions that are over, and those with an exposure that are not.
    sessions: int
    waiting: int
    verdict: str
    more_sessions: int | None
    shown: ArmCount
    held: ArmCount
    crossed: int
    # Shown minus held, as a share of sessions, and where the truth lies for 95 of 100 users at every look.
    change: float | None
    low: float | None
    high: float | None
    memories: Sequence[MemoryEffect] = ()
    block: BlockEffect | None = None
    costs: Sequence[HostCost] = ()
    each_session: Sequence[SessionEffect] = ()
    notes: Sequence[str] = ()


class Pooled(Record, frozen=True):
    """What the measurements of several people say together."""

    people: int
    # Files that were left out, and why.
    left_out: Sequence[LeftOut]
    sessions: int
    verdict: str
    shown: ArmCount
    held: ArmCount
    change: float | None
    kinds: dict[str, dict[str, ArmCount]] = {}
    # Fingerprints of the keys that signed what counted.
    signers: Sequence[str] = ()
    # How many files counted although no known key signed them.
    unproved: int = 0
    notes: Sequence[str] = ()
