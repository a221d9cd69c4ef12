"""What guards did, and which rules are obeyed."""

from __future__ import annotations

from collections.abc import Sequence

from tenure.usecases.answers import Record


class PastFire(Record, frozen=True):
    """A call at which a guard fired, or would have; `followed` says what came of the call, where anything tells."""

    session: str
    host: str
    at: str
    about: str
    # The call, or for a real fire what came of it.
    call: str
    followed: str = ""
    number: int = 0


class DryRun(Record, frozen=True):
    """Where a guard would have fired in the sessions that agents have kept."""

    sessions: int
    calls: int
    fires: Sequence[PastFire]


class GuardReport(Record, frozen=True):
    """One guard: what it looks for, how far it goes, and what came of it in the last 30 days."""

    id: str
    title: str
    # proposed, on, off, ended, or idle with the reason.
    state: str
    level: str
    looks_for: str
    fires: int
    unjudged: Sequence[PastFire]
    right: int
    wrong: int
    until: str


class RuleKept(Record, frozen=True):
    """One rule that a check could be derived from: in how many sessions it mattered, was kept and was broken."""

    where: str
    rule: str
    relevant: int
    kept: int
    broken: int
    # Some of the calls that broke it.
    calls: Sequence[PastFire]
    # Another place that states the same, empty when this is the first.
    same_as: str = ""


class Obeyed(Record, frozen=True):
    """Which rules agents keep; of `rules` lines only those in `checked` can be judged."""

    sessions: int
    calls: int
    rules: int
    checked: Sequence[RuleKept]
