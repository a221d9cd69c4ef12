"""ArcheFlow's thresholds as one record that every rule takes; `policy.toml` says where each comes from."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from tenure.systems import thresholds


class Rules(NamedTuple):
    """Every number and word list of the system."""

    word_chars: int
    finding_percent: int
    audit_percent: int
    regression_percent: int
    below_warning: frozenset[str]
    tag_chars: int
    tags: int
    remembered_runs: int
    least_frequency: int
    universal_frequency: int
    immediate_types: frozenset[str]
    shared_domain: str
    limit: int
    unseen_runs: int
    lasting_types: frozenset[str]
    hint_runs: int
    not_archetypes: frozenset[str]
    revived_frequency: int


def from_policy(policy: Mapping[str, Any]) -> Rules:
    """Return the rules that a policy spells out: what other systems have too in its sections, the rest in its own."""
    own = policy["archeflow"]
    match, extract, inject = own["match"], own["extract"], own["inject"]
    return Rules(
        word_chars=match["word_chars"],
        finding_percent=round(100 * policy["match"]["similar_overlap"]),
        audit_percent=match["audit_percent"],
        regression_percent=match["regression_percent"],
        below_warning=frozenset(extract["below_warning"]),
        tag_chars=extract["tag_chars"],
        tags=extract["tags"],
        remembered_runs=extract["remembered_runs"],
        least_frequency=next((step["evidence"] for step in policy["promotion"]["steps"] if step["to"] == "active"), 1),
        universal_frequency=inject["universal_frequency"],
        immediate_types=frozenset(inject["immediate_types"]),
        shared_domain=inject["shared_domain"],
        limit=policy["inject"]["limit"],
        unseen_runs=policy["decay"]["unseen_runs"],
        lasting_types=frozenset(policy["decay"]["kept_when_stated"]),
        hint_runs=own["hint"]["runs"],
        not_archetypes=frozenset(own["hint"]["not_archetypes"]),
        revived_frequency=own["revive"]["frequency"],
    )


def packaged() -> Rules:
    """Return the rules as they are shipped."""
    return from_policy(thresholds.packaged("archeflow"))


def in_force(folder: Path) -> Rules:
    """Return the rules that count for a `.archeflow/` folder, with the user's settings."""
    return from_policy(thresholds.load("archeflow", folder))
