"""Whether showing a memory changes the outcome of a session, in a form that may be checked after every session.

An ordinary 95 % interval that is looked at day after day is wrong for a third of its users. Everything here is a bet
whose capital cannot grow on average when there is nothing to find, so the chance that it *ever* reaches 20 is at most
5 % (Ville's inequality): `Proof` bets on which arm came, given the outcome; `Interval` bets against each size of
effect. Memories are compared as intended, shown or held, whatever reached the agent another way.

Nothing of a session may be used before the session is over: exposures of one session share its outcome, so they are
added together.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import log, sqrt
from typing import NamedTuple

# Proof at 5 %: capital of 20.
ENOUGH = log(20.0)
# Certainty is never claimed of an arm, so that no single surprise ruins the bet.
_LEAST, _MOST = 0.02, 0.98
# Points at which an effect is looked at, from -1 to 1, and what they are apart.
POINTS = 101
STEP = 2 / (POINTS - 1)
# Smallest variance, and how much of what could be lost is bet.
_LEAST_VARIANCE, _BOLDNESS = 0.02, 0.75
# Outcomes imagined before the first: a mean of 0.3 that four sessions outweigh.
_IMAGINED, _IMAGINED_TROUBLES = 4.0, 1.2
# What a bet costs until it knows the rates, in logarithms; fitted by scripts/simulate-effect.
_LEARNING_COST = 1.4


class Exposure(NamedTuple):
    """A memory that would be shown in a session: whether it was, how likely it was held, and what came of it (0-1)."""

    shown: bool
    share_held: float
    trouble: float


class Rates(NamedTuple):
    """How often there was trouble, by arm."""

    shown: int
    shown_troubles: float
    held: int
    held_troubles: float

    @property
    def difference(self) -> float:
        """Shown minus held, each rate shrunken towards both; below 0 the memory helps.

        Arms of unlike sizes are shrunken by unlike parts, which must not make a difference out of none.
        """
        with_it, without = self.shrunken
        found = with_it - without
        if not (self.shown and self.held):
            return found
        plain = self.shown_troubles / self.shown - self.held_troubles / self.held
        return max(min(found, max(plain, 0.0)), min(plain, 0.0))

    @property
    def shrunken(self) -> tuple[float, float]:
        """The rate of trouble when shown and when held, as if two more sessions of each had gone like all together."""
        troubles = self.shown_troubles + self.held_troubles
        both = (troubles + _IMAGINED_TROUBLES) / (self.shown + self.held + _IMAGINED)
        return (self.shown_troubles + 2 * both) / (self.shown + 2), (self.held_troubles + 2 * both) / (self.held + 2)

    def plus(self, other: Rates) -> Rates:
        """Return both counted together."""
        return Rates(
            self.shown + other.shown,
            self.shown_troubles + other.shown_troubles,
            self.held + other.held,
            self.held_troubles + other.held_troubles,
        )


NOTHING = Rates(0, 0.0, 0, 0.0)


class Proof:
    """Evidence that it makes a difference whether a memory is shown.

    If it made none, the arm would be independent of the outcome, and nobody could win by predicting the arm from it.
    """

    __slots__ = ("_held", "_shown", "highest", "log_e")

    def __init__(self) -> None:
        # Outcome (0 none, 1 trouble) -> earlier exposures with it, by arm.
        self._shown, self._held = [0, 0], [0, 0]
        self.log_e = 0.0
        # Proof at any time stays proof: this is the most that the bet was ever worth.
        self.highest = 0.0

    def add(self, shown: bool, share_held: float, trouble: bool) -> None:
        """Bet on the arm of one exposure, take gain or loss, and learn from it."""
        h, y = share_held, 1 if trouble else 0
        with_it, without = self._shown, self._held
        more_shown, more_held = 2.0 * (1.0 - h), 2.0 * h
        here = (with_it[y] + more_shown) / (without[y] + more_held)
        anywhere = (with_it[0] + with_it[1] + more_shown) / (without[0] + without[1] + more_held)
        odds = (1.0 - h) / h * here / anywhere
        predicted = min(max(odds / (1.0 + odds), _LEAST), _MOST)
        self.log_e += log(predicted / (1.0 - h)) if shown else log((1.0 - predicted) / h)
        (with_it if shown else without)[y] += 1
        if self.log_e > self.highest:
            self.highest = self.log_e

    @property
    def rates(self) -> Rates:
        """What was counted so far."""
        return Rates(sum(self._shown), float(self._shown[1]), sum(self._held), float(self._held[1]))

    @property
    def is_proven(self) -> bool:
        """Whether one memory, or all together, was proven to make a difference at any time."""
        return self.highest >= ENOUGH


class Scores:
    """One number per session whose mean is the effect: shown minus held, weighted by how likely each arm was."""

    __slots__ = ("exposures", "sessions", "squares", "total", "troubles")

    def __init__(self) -> None:
        self.exposures, self.troubles, self.sessions, self.total, self.squares = 0, 0.0, 0, 0.0, 0.0

    @property
    def spread(self) -> tuple[float, float]:
        """Mean and variance of earlier scores, both as if one session without effect had come first."""
        mean = self.total / (self.sessions + 1)
        return mean, max(_LEAST_VARIANCE, self.squares / (self.sessions + 1) - mean * mean)

    def add(self, session: Sequence[Exposure]) -> tuple[float, float]:
        """Return the score of a session's exposures, and the most that can be bet on it."""
        usual = (_IMAGINED_TROUBLES + self.troubles) / (self.exposures + _IMAGINED)
        total, rarest = 0.0, 0.5
        for shown, h, y in session:
            total += (y - usual) / (1.0 - h) if shown else (usual - y) / h
            rarest = min(rarest, h, 1.0 - h)
        score = total / len(session)
        for one in session:
            self.troubles += one[2]
        self.exposures += len(session)
        self.sessions += 1
        self.total += score
        self.squares += score * score
        return score, _BOLDNESS / (1.0 / rarest + 1.0)


class Interval:
    """The sizes of effect that were never disproved: right at every look for 95 of 100 users."""

    __slots__ = ("_capital", "_scores", "_worst", "points")

    def __init__(self, points: Sequence[float] = ()) -> None:
        self.points = tuple(points) or tuple(round(-1.0 + STEP * place, 10) for place in range(POINTS))
        self._capital, self._worst = [0.0] * len(self.points), [0.0] * len(self.points)
        self._scores = Scores()

    def add(self, session: Sequence[Exposure]) -> None:
        """Bet against each size of effect on one session's exposures."""
        mean, variance = self._scores.spread
        score, most = self._scores.add(session)
        capital, worst = self._capital, self._worst
        for place, point in enumerate(self.points):
            if worst[place] >= ENOUGH:
                continue
            gap = mean - point
            stake = min(max(gap / (variance + gap * gap), -most), most)
            capital[place] += log(1.0 + stake * (score - point))
            if capital[place] > worst[place]:
                worst[place] = capital[place]

    @property
    def bounds(self) -> tuple[float, float]:
        """The least and the most that showing changes the rate of trouble; between points nothing is ruled out."""
        kept = [point for point, worst in zip(self.points, self._worst, strict=True) if worst < ENOUGH]
        if not kept:
            kept = [self.points[self._worst.index(min(self._worst))]]
        return max(-1.0, kept[0] - STEP), min(1.0, kept[-1] + STEP)

    def excludes(self, point: float) -> bool:
        """Tell whether a size of effect was disproved; only for one of the points."""
        return self._worst[self.points.index(point)] >= ENOUGH


def proven(logs: Sequence[float]) -> set[int]:
    """Return which of many bets are proof together (e-BH): at most 5 % of those returned are wrong, on average.

    Holds however much the memories have to do with each other.
    """
    order = sorted(range(len(logs)), key=lambda place: -logs[place])
    most = 0
    for k, place in enumerate(order, 1):
        if logs[place] >= ENOUGH + log(len(logs) / k):
            most = k
    return set(order[:most])


def information(share_held: float, rate_shown: float, rate_held: float) -> float:
    """Return how much one outcome tells about its arm, in logarithms: what a bet that knows the rates gains on it."""
    both = (1.0 - share_held) * rate_shown + share_held * rate_held
    return max(0.0, _surprise(both) - (1.0 - share_held) * _surprise(rate_shown) - share_held * _surprise(rate_held))


def sessions_left(log_e: float, rate_shown: float, rate_held: float, shares: Iterable[float]) -> float:
    """Return about how many more sessions a proof takes, if the rates stay so; infinite without a difference.

    `shares` holds the share of each exposure of an average session.
    """
    each = sum(information(share, rate_shown, rate_held) for share in shares)
    missing = ENOUGH + _LEARNING_COST - log_e
    return missing / each if each > 1e-9 else float("inf")


class Shrunken(NamedTuple):
    """A cautious estimate of a memory's effect: pulled towards that of all memories. For putting them in order."""

    effect: float
    spread: float


def shrunken(rates: Sequence[Rates]) -> list[Shrunken]:
    """Return each memory's effect, shrunken towards the pooled one (normal-normal, DerSimonian-Laird)."""
    if not rates:
        return []
    effects, variances = zip(*(_measured(one) for one in rates), strict=True)
    weights = [1.0 / variance for variance in variances]
    pooled = sum(w * d for w, d in zip(weights, effects, strict=True)) / sum(weights)
    unlike = sum(w * (d - pooled) ** 2 for w, d in zip(weights, effects, strict=True))
    room = sum(weights) - sum(w * w for w in weights) / sum(weights)
    between = max(0.0, (unlike - (len(rates) - 1)) / room) if len(rates) > 1 else 0.0
    again = [1.0 / (variance + between) for variance in variances]
    middle = sum(w * d for w, d in zip(again, effects, strict=True)) / sum(again)
    found = []
    for effect, variance in zip(effects, variances, strict=True):
        own = between / (between + variance)
        found.append(Shrunken(middle + own * (effect - middle), sqrt(own * variance + (1 - own) ** 2 / sum(again))))
    return found


def _measured(rates: Rates) -> tuple[float, float]:
    """Return the difference of the rates and its variance, as if one more session of each arm had gone like all."""
    troubles = rates.shown_troubles + rates.held_troubles
    both = (troubles + _IMAGINED_TROUBLES) / (rates.shown + rates.held + _IMAGINED)
    shown, held = rates.shown + 1.0, rates.held + 1.0
    effect = (rates.shown_troubles + both) / shown - (rates.held_troubles + both) / held
    # By the common rate: that of a rare arm alone may be 0, which looks certain and is not.
    return effect, both * (1.0 - both) * (1.0 / shown + 1.0 / held)


def _surprise(rate: float) -> float:
    rate = min(max(rate, 1e-12), 1.0 - 1e-12)
    return -(rate * log(rate) + (1.0 - rate) * log(1.0 - rate))
