"""Staleness: 0 (fresh) to 100, by age alone. It advises; only `decay` changes a state."""

from __future__ import annotations

import math
from datetime import datetime

from tenure.model import clock
from tenure.model.memory import Memory
from tenure.model.policy import Policy


def staleness(memory: Memory, policy: Policy, now: datetime) -> float:
    """Return 0-100: how far the memory has aged since it was last checked, or else written."""
    half_lives = policy.decay.half_life_days
    half_life = half_lives.get(memory.kind, half_lives["unknown"])
    since = memory.verified_at or memory.created_at
    return 100 * (1 - math.exp(-clock.age_days(since, now) * math.log(2) / half_life))
