"""What exposures and outcomes show: for all memories together, for each one, and for the block as a whole.

A session counts when it is over. An exposure counts as intended, shown or held, and is troubled when trouble came
after it; a memory with a signal of its own is judged by that one. Exposures never expire.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from tenure.capture.session_outcome import after
from tenure.recall import holdout
from tenure.rules import effect_proof
from tenure.rules.effect_proof import Exposure, Interval, Proof, Rates
from tenure.store.records import Exposed, SessionOutcome

HELPS, HURTS, OPEN = "helps", "hurts", "cannot tell yet"
# A forecast beyond this says no more than that it takes very long.
MOST_SESSIONS = 999
RECENT = 10


class Evidence(NamedTuple):
    """The evidence about one memory, all of them or the block."""

    bet: Proof
    # Sessions since the first one with an exposure.
    sessions: int
    exposures: int
    crossed: int
    # The shares of the last exposures: those to come will be like them.
    shares: tuple[float, ...]

    @property
    def rates(self) -> Rates:
        return self.bet.rates

    def direction(self) -> str:
        """Return what a proof would say."""
        return HELPS if self.rates.difference < 0 else HURTS

    @property
    def more_sessions(self) -> int | None:
        """About how many more sessions a proof takes if things go on so; None when it takes very long."""
        if not self.shares or not (self.rates.shown and self.rates.held) or not self.rates.difference:
            return None
        with_it, without = self.rates.shrunken
        left = effect_proof.sessions_left(self.bet.log_e, with_it, without, self.shares)
        left *= len(self.shares) * self.sessions / self.exposures
        return max(1, round(left)) if left <= MOST_SESSIONS else None


class Estimate(NamedTuple):
    """Everything that is known now."""

    together: Evidence
    bounds: tuple[float, float]
    memories: dict[str, Evidence]
    # Those of the memories that are proven now, with what is proven.
    proven: dict[str, str]
    block: Evidence | None
    # Sessions that are over and had an exposure, and those with one that are not.
    sessions: int
    waiting: int


def estimate(exposures: Sequence[Exposed], outcomes: Sequence[SessionOutcome]) -> Estimate:
    """Return what is known, session by session in the order they ended."""
    by_session: dict[str, list[Exposed]] = {}
    for one in exposures:
        by_session.setdefault(one.session, []).append(one)
    together, interval, block = _Open(), Interval(), _Open()
    memories: dict[str, _Open] = {}
    total = 0
    for outcome in outcomes:
        group = by_session.pop(outcome.session, [])
        counted = [(one, y) for one in group if (y := troubled(one, outcome)) is not None]
        single = [(one, y) for one, y in counted if one.memory != holdout.BLOCK]
        if single:
            interval.add([Exposure(one.shown, one.share, float(y)) for one, y in single])
        for one, y in counted:
            own = block if one.memory == holdout.BLOCK else memories.setdefault(one.memory, _Open(total))
            own.add(one, y)
        for one, y in single:
            together.add(one, y)
        total += bool(counted)
    found = {id: evidence.closed(total) for id, evidence in memories.items()}
    names = list(found)
    proven = {
        names[place]: found[names[place]].direction()
        for place in effect_proof.proven([e.bet.log_e for e in found.values()])
    }
    return Estimate(
        together.closed(total),
        interval.bounds,
        found,
        proven,
        block.closed(total) if block.shares else None,
        total,
        len(by_session),
    )


def troubled(exposed: Exposed, outcome: SessionOutcome) -> bool | None:
    """Return whether a session ran into trouble after an exposure; None where nobody knows."""
    if exposed.own is not None:
        return exposed.own
    return None if outcome.troubled is None else outcome.troubled and after(outcome.trouble_at, exposed.at)


class _Open:
    """Evidence under construction."""

    def __init__(self, before: int = 0) -> None:
        # Sessions that were over before the first exposure.
        self.bet, self.before, self.crossed = Proof(), before, 0
        self.shares: list[float] = []

    def add(self, exposed: Exposed, trouble: bool) -> None:
        self.bet.add(exposed.shown, exposed.share, trouble)
        self.crossed += exposed.crossed
        self.shares.append(exposed.share)

    def closed(self, total: int) -> Evidence:
        return Evidence(self.bet, total - self.before, len(self.shares), self.crossed, tuple(self.shares[-RECENT:]))
