"""What time alone does to memories: retired ones leave after the grace period, old active ones expire.

Nothing is purged in the run that retired it, and archived memories are never touched.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import NamedTuple

from tenure.model import clock
from tenure.model.errors import InvalidInput
from tenure.systems.claude_memory.config import Config
from tenure.systems.claude_memory.folder import Stored
from tenure.systems.claude_memory.records import Record, is_active, status_of

PURGED, KEPT = "its grace period is over", "kept at gc"
EXPIRED = "Retention: not changed for {days} days (retention_days is {limit})"


class Due(NamedTuple):
    """A memory that time has caught up with, and by how many whole days."""

    item: Stored
    days: int


class Plan(NamedTuple):
    """What gc will do, and what it could not judge."""

    leaving: list[Due]
    expiring: list[Due]
    skipped: list[str]


def plan(items: Iterable[Stored], settings: Config, now: datetime) -> Plan:
    """Return which retired memories are past their grace and which active ones past their retention."""
    result = Plan([], [], [])
    for item in items:
        if status_of(item.record) == "retired":
            stamp = item.record.get("retired_at")
            days = days_since(stamp, now)
            if days is None:
                what = "invalid" if stamp else "missing"
                result.skipped.append(f"SKIP {item.path.name}: {what} retired_at timestamp")
            elif days >= settings.grace_days:
                result.leaving.append(Due(item, days))
        elif is_active(item.record):
            limit = settings.retention_days(item.category)
            days = _unchanged_days(item.record, now)
            if limit and days is not None and days >= limit:
                result.expiring.append(Due(item, days))
    return result


def days_since(stamp: object, now: datetime) -> int | None:
    """Return the whole days since a time in a record, or nothing when it is not one; never negative."""
    if not isinstance(stamp, str) or not stamp:
        return None
    try:
        return clock.age(clock.parse(stamp), now).days
    except InvalidInput:
        return None


def _unchanged_days(record: Record, now: datetime) -> int | None:
    days = [days_since(record.get(field), now) for field in ("updated_at", "created_at")]
    known = [value for value in days if value is not None]
    return min(known) if known else None
