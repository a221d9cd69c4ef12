"""What the prompt hook needs to know without a policy: the limits of an injection and the store's silence threshold.

Both are in the store's `meta`. The threshold is measured at upkeep, when the store or its vectors have grown by
half since the last time, or another model made them; a store that was never measured uses the fitted default.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime
from random import Random
from typing import TYPE_CHECKING, Any

import msgspec

from tenure.model import clock
from tenure.model.decoding import decode
from tenure.model.policy import Policy
from tenure.recall import LIMITS_KEY

if TYPE_CHECKING:
    from tenure.recall.rank import Candidate
    from tenure.store.api import Store

KEY = "silence"
# A text, and whether a model may be used.
Ask = Callable[[str, bool], "Iterable[Candidate]"]


class Measured(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What was measured: the points by words and by meaning, with how many memories, vectors of what, and when."""

    words: float = 0.0
    meaning: float = 0.0
    memories: int = 0
    # How many of them had a vector.
    vectors: int = 0
    encoder: str = ""
    at: str = ""


def keep_limits(store: Store, policy: Policy) -> None:
    """Store what an injection may cost, so that the prompt hook needs no policy."""
    names = ("limit", "budget_chars", "duplicate_overlap", "floor_share", "least_evidence")
    limits: dict[str, Any] = {name: getattr(policy.inject, name) for name in names}
    limits |= {"half_life_days": policy.decay.half_life_days, "disabled_kinds": sorted(policy.write.disabled_kinds)}
    limits |= {"once_per_session": policy.inject.once_per_session, "ask": policy.inject.ask}
    limits["session_tokens"] = policy.inject.session_tokens
    limits["top_state"] = policy.promotion.steps[-1].to if policy.promotion.steps else ""
    limits["guards"] = {name: getattr(policy.guards, name) for name in ("stops_in_a_row", "at_once")}
    limits["silence"] = known(store).words
    if store.setting("effect"):
        from tenure.usecases import effect_settings  # start-up: most stores measure nothing

        if settings := effect_settings.for_hooks(store, policy):
            limits[effect_settings.KEY] = settings
    store.keep(LIMITS_KEY, msgspec.json.encode(limits, order="sorted").decode())


def known(store: Store) -> Measured:
    """Return a store's own points of silence; those of a store that was never measured are 0."""
    try:
        return decode(store.setting(KEY) or "{}", Measured)
    except msgspec.MsgspecError:
        return Measured()


def due(store: Store) -> bool:
    """Tell whether a store has grown so much, or changed its vectors, since it was measured."""
    from tenure.recall import silence_threshold  # start-up: only upkeep measures

    before, total = known(store), _total(store)
    if before.memories and before.encoder != store.vectors.encoder():
        return True
    if before.memories and _embedded(store, total) >= max(1, silence_threshold.GROWN * before.vectors):
        return True
    return total >= max(silence_threshold.FROM, silence_threshold.GROWN * before.memories)


def measure(store: Store, ask: Ask, now: datetime) -> Measured:
    """Measure a store's points of silence and keep them; `ask` ranks what there is for a text, without any point."""
    points = {name: _point(store, ask, model) for name, model in (("words", False), ("meaning", True))}
    total = _total(store)
    found = Measured(
        **points, memories=total, vectors=_embedded(store, total), encoder=store.vectors.encoder(), at=clock.stamp(now)
    )
    store.keep(KEY, msgspec.json.encode(found, order="sorted").decode())
    return found


def _point(store: Store, ask: Ask, model: bool) -> float:
    from tenure.recall import silence_threshold  # start-up: only upkeep measures

    total = _total(store)

    def lend(dice: Random) -> tuple[str, str]:
        rows = store.find(numbers=[dice.randint(1, total)])
        return (rows[0].memory.id, rows[0].memory.text) if rows else ("", "")

    reached = []
    for text, lenders in silence_threshold.prompts(lend):
        evidence = [item.evidence for item in ask(text, model) if item.id not in lenders]
        reached.append(max(evidence, default=silence_threshold.LOWEST))
    return silence_threshold.point(reached)


def _embedded(store: Store, total: int) -> int:
    """Return about how many memories have a vector: those that are gone count as if they had."""
    made = store.vectors.encoder()
    return total - store.vectors.count_missing(made) if made else 0


def _total(store: Store) -> int:
    return store.search("", 0).query.total
