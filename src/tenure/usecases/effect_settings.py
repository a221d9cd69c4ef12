"""Whether effects are measured in a project, and what hooks must know to hold memories back.

It is kept as one text beside the memories; hooks find their part of it among the limits of an injection.
"""

from __future__ import annotations

from typing import Any

import msgspec

from tenure.model.decoding import decode
from tenure.model.policy import Policy
from tenure.store.api import Store

KEY = "effect"


class Measuring(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What the person asked for, and what was found so far."""

    # When it was started; empty when it is off.
    since: str = ""
    # Whether what the person stated may be held back too, and whether whole blocks are.
    stated: bool = False
    block: bool = False
    # Memory -> "helps" or "hurts", once that was proven.
    proven: dict[str, str] = {}

    @property
    def on(self) -> bool:
        return bool(self.since)


def known(store: Store) -> Measuring:
    """Return how a store measures; one that never did does not."""
    try:
        return decode(store.setting(KEY) or "{}", Measuring)
    except msgspec.MsgspecError:
        return Measuring()


def keep(store: Store, measuring: Measuring) -> None:
    """Write down how a store measures; hooks hear of it when the limits are kept."""
    store.keep(KEY, msgspec.json.encode(measuring, order="sorted").decode())


def for_hooks(store: Store, policy: Policy) -> dict[str, Any] | None:
    """Return what `recall.holdout` needs, None while nothing is measured."""
    measuring = known(store)
    if not measuring.on:
        return None
    shares = msgspec.structs.asdict(policy.effect)
    del shares["no_sign_exposures"]
    return {
        **shares,
        "block_share": policy.effect.block_share if measuring.block else 0.0,
        "stated": measuring.stated,
        "proven": sorted(measuring.proven),
        "top_state": policy.promotion.steps[-1].to if policy.promotion.steps else "",
    }
