"""The thresholds of `policy.toml` as one record that every rule takes."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

POLICY_FILE = Path(__file__).with_name("policy.toml")


class Rules(NamedTuple):
    """Every number and word list of the dialect; the policy file says where each comes from."""

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


def from_table(table: Mapping[str, Any]) -> Rules:
    """Return the rules that the `[archeflow]` table of a policy spells out."""
    match, extract, inject = table["match"], table["extract"], table["inject"]
    return Rules(
        word_chars=match["word_chars"],
        finding_percent=match["finding_percent"],
        audit_percent=match["audit_percent"],
        regression_percent=match["regression_percent"],
        below_warning=frozenset(extract["below_warning"]),
        tag_chars=extract["tag_chars"],
        tags=extract["tags"],
        remembered_runs=extract["remembered_runs"],
        least_frequency=inject["least_frequency"],
        universal_frequency=inject["universal_frequency"],
        immediate_types=frozenset(inject["immediate_types"]),
        shared_domain=inject["shared_domain"],
        limit=inject["limit"],
        unseen_runs=table["decay"]["unseen_runs"],
        lasting_types=frozenset(table["decay"]["lasting_types"]),
        hint_runs=table["hint"]["runs"],
        not_archetypes=frozenset(table["hint"]["not_archetypes"]),
        revived_frequency=table["revive"]["frequency"],
    )


def packaged() -> Rules:
    """Return the rules as they are shipped."""
    return from_table(tomllib.loads(POLICY_FILE.read_text(encoding="utf-8"))["archeflow"])
