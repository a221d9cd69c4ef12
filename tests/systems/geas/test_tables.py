"""The geas tables of the policy file."""

from __future__ import annotations

import tomllib

import pytest

from tenure.model.errors import InvalidInput
from tenure.model.policy import packaged_text
from tenure.systems.geas.artifacts import AGENT_TYPES, MEMORY_TYPES
from tenure.systems.geas.tables import from_policy, packaged


def test_the_names_in_the_tables_are_names_geas_has() -> None:
    """Spec 1.4: a typing mistake in a table would silently never match."""
    tables = packaged()
    slots = {name for profile in tables.slots.values() for name in profile}
    assert set(tables.reviewers.values()) <= {*AGENT_TYPES, *slots}
    assert {agent for profile in tables.slots.values() for agent in profile.values()} <= set(AGENT_TYPES)
    assert set(tables.layers.types) <= set(MEMORY_TYPES)
    assert set(tables.layers.types.values()) == set(tables.layers.order)
    assert {rule.type for rule in tables.triggers.values()} <= set(MEMORY_TYPES)
    assert set(tables.concern_types.values()) <= set(MEMORY_TYPES)


def test_the_weights_are_those_of_the_skill() -> None:
    """Spec 1.9: the maximum without bonus is 0.95."""
    assert sum(packaged().packet.weights.values()) == pytest.approx(0.95)


def test_a_wrong_value_is_named() -> None:
    """STYLE: errors say what was found and what was expected."""
    with pytest.raises(InvalidInput, match="profile"):
        from_policy({"geas": {"profile": 5}})


def test_a_name_that_no_table_has_is_refused() -> None:
    """DESIGN: an unknown key is an error, or a typing mistake would silently change nothing."""
    policy = tomllib.loads(packaged_text("geas"))
    policy["geas"]["joint_approval"]["seconds_when_same"] = "product_authority"
    with pytest.raises(InvalidInput, match="seconds_when_same"):
        from_policy(policy)
