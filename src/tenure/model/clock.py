"""The only module that asks for the time.

`TENURE_NOW` freezes it, for tests and replays. Times are UTC, whole seconds, written `YYYY-MM-DDTHH:MM:SSZ`.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import lru_cache

from tenure.model.errors import InvalidInput

# Ages are clamped to this, so that a clock set wrong by decades cannot overflow a formula.
MAX_AGE = timedelta(days=36500)


def now() -> datetime:
    """Return the current time, or the one `TENURE_NOW` names."""
    frozen = os.environ.get("TENURE_NOW")
    if frozen:
        return parse(frozen, field="TENURE_NOW")
    return datetime.now(UTC).replace(microsecond=0)


def is_set() -> bool:
    """Tell whether `TENURE_NOW` says what time it is, so that what is written now may bear any date."""
    return bool(os.environ.get("TENURE_NOW"))


def within(seconds: float) -> Callable[[], bool]:
    """Return a question that is true until so many seconds have passed, whatever the wall clock does."""
    deadline = time.monotonic() + seconds
    return lambda: time.monotonic() < deadline


def seconds() -> float:
    """Return the real time in seconds since 1970, which `TENURE_NOW` does not freeze: for what a person just did."""
    return time.time()


def unfrozen() -> datetime:
    """Return the real time, whatever `TENURE_NOW` says: for what a person must learn about."""
    return datetime.now(UTC).replace(microsecond=0)


def parse(text: str, *, field: str = "time") -> datetime:
    """Return the UTC time an ISO 8601 text names; a text without an offset is taken as UTC."""
    try:
        moment = datetime.fromisoformat(text.strip())
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=UTC)
        return moment.astimezone(UTC).replace(microsecond=0)
    except (ValueError, OverflowError):
        raise InvalidInput(
            f"{field}: {text[:80]!r} is not a time.",
            hint="Write it as 2026-04-03T14:00:00Z.",
            field=field,
        ) from None


@lru_cache(maxsize=256)
def stamp(moment: datetime) -> str:
    """Return the time as it is written in every file and column."""
    return moment.astimezone(UTC).replace(tzinfo=None).isoformat(timespec="seconds") + "Z"


def after(moment: datetime, days: float) -> datetime:
    """Return the time so many days later, earlier for a negative number, or the last or first one there is."""
    try:
        return moment + timedelta(days=days)
    except OverflowError:
        return (datetime.max if days > 0 else datetime.min).replace(tzinfo=UTC, microsecond=0)


def age(since: datetime, now: datetime) -> timedelta:
    """Return how long ago `since` was, never negative and never absurd, whatever the clocks say."""
    return min(max(now - since, timedelta(0)), MAX_AGE)


def age_days(since: datetime, now: datetime) -> float:
    """Return the age in days, as a fraction."""
    return age(since, now).total_seconds() / 86400
