"""What `tenure effect` promises, simulated: thousands of users who look at it after every session.

For each scenario: how many ever saw an interval without the true effect, how many ever saw a proof that was false, how
many sessions a proof took, and beside it how many an ordinary 95 % interval, looked at as often, misleads. Exits with
1 when a promise does not hold.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from collections.abc import Callable, Iterator
from math import exp, sqrt
from random import Random
from typing import NamedTuple

import msgspec

from tenure.model import policy as policies
from tenure.recall import holdout
from tenure.rules import effect_proof
from tenure.rules.effect_proof import Exposure

PROMISED = 0.05
# An ordinary interval is not looked at before it has so many exposures in each arm.
NAIVE_LEAST = 5
# Standard errors above 5 % from which a share counts as too high: one chance in a hundred for each cell.
TOO_HIGH = 2.33
TYPICAL = msgspec.structs.asdict(policies.load("tenure")[0].effect)


class Scenario(NamedTuple):
    """A world: how often there is trouble without and with each memory."""

    name: str
    # Memory -> rate of trouble when held, when shown.
    rates: tuple[tuple[float, float], ...]
    # A fixed share, or 0 for the shares that Tenure uses.
    share: float = 0.2
    drift: bool = False
    # One outcome for all memories of a session, instead of one each.
    is_shared: bool = False
    # Held memories that reach the agent another way.
    crossing: float = 0.0

    @property
    def effect(self) -> float:
        """The true effect of intending to show, on average over the memories."""
        kept = 1.0 - self.crossing
        return kept * sum(shown - held for held, shown in self.rates) / len(self.rates)


def three(held: float, shown: float) -> tuple[tuple[float, float], ...]:
    return ((held, shown),) * 3


SCENARIOS = (
    Scenario("no effect, 5 % trouble", ((0.05, 0.05),)),
    Scenario("no effect, 10 %", ((0.10, 0.10),)),
    Scenario("no effect, 30 %", ((0.30, 0.30),)),
    Scenario("30 -> 10 %", ((0.30, 0.10),)),
    Scenario("50 -> 5 %", ((0.50, 0.05),)),
    Scenario("no effect, drift and autocorrelation, three memories", three(0.30, 0.30), drift=True),
    Scenario("30 -> 20 %, drift and autocorrelation, three memories", three(0.30, 0.20), drift=True),
    Scenario("50 -> 5 %, three memories", three(0.50, 0.05)),
    Scenario("three memories with differing effects", ((0.50, 0.05), (0.30, 0.20), (0.30, 0.30))),
    Scenario("one shared outcome, three memories, 15 points each", three(0.55, 0.40), is_shared=True),
    Scenario("one shared outcome, no effect", three(0.30, 0.30), is_shared=True),
    Scenario("changing shares, no effect", ((0.30, 0.30),), share=0),
    Scenario("changing shares, 50 -> 5 %, three memories", three(0.50, 0.05), share=0),
    Scenario("5 % crossing, 30 -> 10 %", ((0.30, 0.10),), crossing=0.05),
)
# Rates and exposures a session for which the forecast is compared with what really happens.
FORECASTS = (
    Scenario("50 -> 5 %, one memory", ((0.50, 0.05),)),
    Scenario("50 -> 5 %, half held", ((0.50, 0.05),), share=0.5),
    Scenario("30 -> 10 %, three memories", three(0.30, 0.10)),
    Scenario("40 -> 20 %, three memories, half held", three(0.40, 0.20), share=0.5),
    Scenario("20 -> 10 %, three memories", three(0.20, 0.10)),
    Scenario("10 -> 5 %, six memories", ((0.10, 0.05),) * 6),
    Scenario("25 -> 40 %, three memories", three(0.25, 0.40)),
)
FORECAST_SESSIONS = 2000


class Told(NamedTuple):
    """What one user was told over all looks."""

    missed: bool
    naive_missed: bool
    # A false proof over all memories together, and of one of them.
    false_together: bool
    false_memory: bool
    # Session of the first proof over all memories together, 0 for none.
    proven_at: int


class Result(NamedTuple):
    scenario: Scenario
    users: int
    missed: float
    naive_missed: float
    false_together: float
    false_memories: float
    # Median and 80 % point of the sessions to a proof; infinite where too few got there.
    median: float
    most: float

    def too_high(self, share: float) -> bool:
        return share > PROMISED + TOO_HIGH * sqrt(PROMISED * (1 - PROMISED) / self.users)


def sessions(scenario: Scenario, count: int, chance: Random, share: Callable[[int], float]) -> Iterator[list[Exposure]]:
    """Yield the exposures of one session after another; `share` says how likely a memory is held now."""
    latent, toss, crossing = 0.0, chance.random, scenario.crossing
    for number in range(count):
        away = 0.0
        if scenario.drift:
            latent = 0.9 * latent + chance.gauss(0, 0.3)
            # From a little below the usual rate to a little above it, and never so far that a rate leaves 0 to 1.
            away = 0.18 * (1 / (1 + exp(-latent - 2.0 * (number / count - 0.5))) - 0.5) * 2
        arms, chances = [], []
        for place, (held_rate, shown_rate) in enumerate(scenario.rates):
            h = share(place)
            shown = toss() >= h
            reaches = shown or (crossing > 0.0 and toss() < crossing)
            arms.append((shown, h))
            chances.append((shown_rate if reaches else held_rate) + away)
        if scenario.is_shared:
            base = scenario.rates[0][0]
            y = float(toss() < base + sum(one - base for one in chances))
            yield [Exposure(shown, h, y) for shown, h in arms]
        else:
            yield [Exposure(shown, h, float(toss() < rate)) for (shown, h), rate in zip(arms, chances, strict=True)]


def simulate(scenario: Scenario, count: int, chance: Random) -> Told:
    """Return what one user is told in so many sessions."""
    effects = [shown - held for held, shown in scenario.rates]
    own = [effect_proof.Proof() for _ in effects]
    together, interval = effect_proof.Proof(), effect_proof.Interval((scenario.effect,))
    exposed = [0] * len(effects)
    is_proven: set[str] = set()
    naive, naive_missed, proven_at = [0, 0, 0, 0], False, 0
    false_together = false_memory = False

    def share(place: int) -> float:
        return scenario.share or holdout.share_of({**TYPICAL, "proven": is_proven}, str(place), exposed[place])

    for number, session in enumerate(sessions(scenario, count, chance, share), 1):
        interval.add(session)
        for place, (shown, h, y) in enumerate(session):
            trouble = y > 0.0
            together.add(shown, h, trouble)
            own[place].add(shown, h, trouble)
            exposed[place] += 1
            arm = 0 if shown else 2
            naive[arm] += 1
            naive[arm + 1] += trouble
        naive_missed = naive_missed or _naive_misses(naive, scenario.effect)
        if together.is_proven and not proven_at:
            proven_at = number
            false_together = not _right(together.rates.difference, scenario.effect)
        found = effect_proof.proven([one.log_e for one in own])
        is_proven = {str(place) for place in found}
        false_memory = false_memory or any(not _right(own[p].rates.difference, effects[p]) for p in found)
    return Told(interval.excludes(scenario.effect), naive_missed, false_together, false_memory, proven_at)


def _right(found: float, effect: float) -> bool:
    return effect != 0 and (found < 0) == (effect < 0)


def _naive_misses(counts: list[int], effect: float) -> bool:
    shown, shown_troubles, held, held_troubles = counts
    if shown < NAIVE_LEAST or held < NAIVE_LEAST:
        return False
    with_it, without = shown_troubles / shown, held_troubles / held
    error = sqrt(with_it * (1 - with_it) / shown + without * (1 - without) / held)
    return abs(with_it - without - effect) > 1.96 * error


def measure(scenario: Scenario, users: int, count: int, seed: int) -> Result:
    """Return what becomes of so many users in one scenario."""
    told = [simulate(scenario, count, Random(f"{seed}/{scenario.name}/{user}")) for user in range(users)]
    times = sorted(one.proven_at or float("inf") for one in told)
    return Result(
        scenario,
        users,
        sum(one.missed for one in told) / users,
        sum(one.naive_missed for one in told) / users,
        sum(one.false_together for one in told) / users,
        sum(one.false_memory for one in told) / users,
        statistics.median_high(times),
        times[int(0.8 * users)],
    )


def forecast(scenario: Scenario, users: int, seed: int) -> tuple[float, float]:
    """Return how many sessions a proof takes by the formula, and in the median of so many users."""
    (held, shown), *_ = scenario.rates
    expected = effect_proof.sessions_left(0.0, shown, held, [scenario.share] * len(scenario.rates))
    taken = []
    for user in range(users):
        chance, together = Random(f"{seed}/forecast/{scenario.name}/{user}"), effect_proof.Proof()
        time = FORECAST_SESSIONS
        for number, session in enumerate(sessions(scenario, FORECAST_SESSIONS, chance, lambda _: scenario.share), 1):
            for exposure in session:
                together.add(exposure.shown, exposure.share_held, exposure.trouble > 0)
            if together.is_proven:
                time = number
                break
        taken.append(time)
    return expected, statistics.median(taken)


def _number(value: float) -> str:
    return f"{value:.0f}" if value != float("inf") else "-"


def main() -> int:
    """Print both tables; return 1 when a promise does not hold."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--users", type=int, default=2000)
    parser.add_argument("--sessions", type=int, default=200)
    parser.add_argument("--seed", type=int, default=20)
    asked = parser.parse_args()
    broken = []
    print(f"{asked.users} users a scenario, {asked.sessions} sessions, looked at after every session\n")
    print("| scenario | interval misses | false proof, all | one memory | sessions to proof (80 %) | naive misses |")
    print("|---|--:|--:|--:|--:|--:|", flush=True)
    for scenario in SCENARIOS:
        found = measure(scenario, asked.users, asked.sessions, asked.seed)
        times = f"{_number(found.median)} ({_number(found.most)})" if scenario.effect else ""
        wrong = f"{found.missed:.1%} | {found.false_together:.1%} | {found.false_memories:.1%}"
        print(f"| {scenario.name} | {wrong} | {times} | {found.naive_missed:.0%} |", flush=True)
        if found.too_high(found.missed):
            broken.append(f"{scenario.name}: the interval missed for {found.missed:.1%}")
        for false, of in ((found.false_together, "all memories together"), (found.false_memories, "one memory")):
            if found.too_high(false):
                broken.append(f"{scenario.name}: {false:.1%} were shown a false proof of {of}")
        if scenario.share == 0 and scenario.effect and found.median > 20:
            broken.append(f"{scenario.name}: proven in a median of {found.median:.0f} sessions, not 20")
    print("\n| about N more sessions | by the formula | simulated median | off by |")
    print("|---|--:|--:|--:|", flush=True)
    for scenario in FORECASTS:
        expected, median = forecast(scenario, max(50, asked.users // 8), asked.seed)
        off = expected / median - 1
        print(f"| {scenario.name} | {expected:.0f} | {median:.0f} | {off:+.0%} |", flush=True)
        if abs(off) > 0.25:
            broken.append(f"{scenario.name}: {expected:.0f} sessions forecast, {median:.0f} taken")
    for line in broken:
        print(f"BROKEN: {line}", file=sys.stderr)
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
