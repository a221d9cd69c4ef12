"""The tables of `policy.toml` that only geas has, typed.

A rule takes the `Tables` it works by as an argument; nothing below this module reads the file itself.
"""

from __future__ import annotations

import functools
import importlib.resources
import tomllib
from collections.abc import Mapping
from typing import Any

import msgspec

from tenure.model.decoding import convert
from tenure.model.errors import InvalidInput


class JointApproval(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Who must both agree before a memory becomes canonical."""

    first: str
    second_when_same: str


class Packet(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How memories are scored and how many an agent gets."""

    eligible_states: tuple[str, ...]
    freshness_days: int
    reuse_success_without_history: float
    contradiction_penalty: float
    contradiction_penalty_limit: float
    risk_bonus: float
    risk_bonus_type: str
    risk_bonus_levels: tuple[str, ...]
    caution_below: float
    max_lines: int
    weights: dict[str, float]
    scope_match: dict[str, dict[str, float]]
    budgets: dict[str, int]


class Layers(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which memory wins when two contradict each other: earlier layers outrank later ones."""

    order: tuple[str, ...]
    types: dict[str, str]


class Extraction(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How a retrospective's sentence becomes a candidate."""

    default_type: str
    default_scope: str
    title_characters: int
    label_weight: int


class Trigger(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """When a repeated pattern becomes a candidate by itself."""

    type: str
    confidence: float
    at_least: int
    count: str


class TriggerDetails(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What counts as a record of a trigger."""

    low_confidence_at_most: int
    recipe_prefixes: tuple[str, ...]
    conflict_paths_at_most: int


class Tables(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Every geas-only table of the policy."""

    profile: str
    reviewers: dict[str, str]
    slots: dict[str, dict[str, str]]
    joint_approval: JointApproval
    entitled: dict[str, tuple[str, ...]]
    entitled_on_candidates: dict[str, tuple[str, ...]]
    packet: Packet
    layers: Layers
    extraction: Extraction
    triggers: dict[str, Trigger]
    trigger_details: TriggerDetails
    concern_types: dict[str, str]
    type_words: dict[str, tuple[str, ...]]
    scope_words: dict[str, tuple[str, ...]]


def from_policy(policy: Mapping[str, Any]) -> Tables:
    """Return the tables under `geas` of a policy already read; raise `InvalidInput` naming a wrong value."""
    try:
        return convert(policy.get("geas", {}), Tables)
    except msgspec.ValidationError as error:
        raise InvalidInput(f"policy geas: {error}", hint="Compare it with `tenure policy geas`.") from error


@functools.cache
def packaged() -> Tables:
    """Return the tables as Tenure ships them."""
    text = importlib.resources.files("tenure").joinpath("systems/geas/policy.toml").read_text("utf-8")
    return from_policy(tomllib.loads(text))
