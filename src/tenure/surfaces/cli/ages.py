"""Ages as they are typed: 12h, 30d, 8w."""

from __future__ import annotations

from tenure.model.errors import BadRequest


def days(age: str) -> float:
    """Return an age in days; raise `BadRequest` for anything else."""
    unit = {"h": 1 / 24, "d": 1.0, "w": 7.0}.get(age[-1:])
    if unit is None or not age[:-1].isdecimal() or len(age) > 7:
        raise BadRequest(f"{age[:20]!r} is not an age.", hint="Write it as 12h, 30d or 8w.")
    return int(age[:-1]) * unit
