"""Who reviews which memory, and who may give which verdict.

The skill names reviewers by slot; a profile says which agent type fills it. Agent types of different profiles
do not overlap, so a verdict counts whichever profile its reviewer belongs to.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from tenure.model.errors import InvalidInput
from tenure.systems.geas.artifacts import AGENT_TYPES
from tenure.systems.geas.tables import Tables


class Entitlement(msgspec.Struct, frozen=True):
    """Whether a verdict counts, by whom it would, and why."""

    ok: bool
    expected: tuple[str, ...]
    reason: str


class JointApproval(msgspec.Struct, frozen=True):
    """Who has approved canonical and who still must."""

    complete: bool
    approved: tuple[str, ...]
    missing: tuple[str, ...]


def is_slot(name: str, tables: Tables) -> bool:
    """Return whether the name is a slot that a profile fills."""
    return any(name in slots for slots in tables.slots.values())


def resolved(name: str, tables: Tables, *, profile: str | None = None) -> str:
    """Return the agent type a name stands for; raise `InvalidInput` when it is neither type nor slot."""
    if name in AGENT_TYPES:
        return name
    wanted = profile or tables.profile
    if wanted not in tables.slots:
        raise InvalidInput(f"profile {wanted!r} is not known; expected one of {', '.join(tables.slots)}.")
    if name in tables.slots[wanted]:
        return tables.slots[wanted][name]
    slots = ", ".join(tables.slots[wanted])
    raise InvalidInput(f"{name!r} is not a reviewer; expected {slots} or one of {', '.join(AGENT_TYPES)}.")


def reviewer(memory_type: str, tables: Tables, *, profile: str | None = None) -> str:
    """Return the agent type that is the domain authority of a memory type."""
    if memory_type not in tables.reviewers:
        raise InvalidInput(f"{memory_type!r} is not a memory type; expected one of {', '.join(tables.reviewers)}.")
    return resolved(tables.reviewers[memory_type], tables, profile=profile)


def _holders(role: str, tables: Tables) -> set[str]:
    """Return the agent types that fill a role in any profile."""
    if role in AGENT_TYPES:
        return {role}
    return {slots[role] for slots in tables.slots.values() if role in slots}


def types_of(agent: str, tables: Tables) -> frozenset[str]:
    """Return the memory types that belong to an agent's role."""
    wanted = resolved(agent, tables) if is_slot(agent, tables) else agent
    return frozenset(kind for kind, role in tables.reviewers.items() if wanted in _holders(role, tables))


def entitlement(by: str, memory: Mapping[str, Any], decision: str, tables: Tables) -> Entitlement:
    """Return whether `by` may give this verdict on the memory."""
    rules = tables.entitled
    if memory["state"] == "candidate":
        rules = {**tables.entitled, **tables.entitled_on_candidates}
    if decision not in rules:
        raise InvalidInput(f"{decision!r} is not a decision; expected one of {', '.join(tables.entitled)}.")
    allowed: set[str] = set()
    shown: list[str] = []
    for role in rules[decision]:
        for name in _roles(role, memory["memory_type"], tables):
            allowed |= _holders(name, tables)
            shown.append(resolved(name, tables))
    expected = tuple(dict.fromkeys(shown))
    name = resolved(by, tables) if is_slot(by, tables) else by
    if name in allowed:
        return Entitlement(True, expected, f"{name} may decide {decision} on {memory['memory_type']}")
    wanted = " or ".join(expected)
    reason = f"found {by!r}, expected {wanted} to decide {decision} on a {memory['memory_type']}"
    return Entitlement(False, expected, reason)


def _roles(role: str, memory_type: str, tables: Tables) -> tuple[str, ...]:
    domain = tables.reviewers[memory_type]
    if role == "domain":
        return (domain,)
    if role == "joint":
        first = tables.joint_approval.first
        return first, domain if domain != first else tables.joint_approval.second_when_same
    return (role,)


def joint_approval(memory_type: str, reviews: Iterable[Mapping[str, Any]], tables: Tables) -> JointApproval:
    """Return how far the reviews with `promote_canonical` go towards two different approvals.

    The caller passes only the reviews that still stand: given while the memory was in its present state.
    """
    given = {review["reviewer_type"] for review in reviews if review["decision"] == "promote_canonical"}
    approved: list[str] = []
    missing: list[str] = []
    for role in _roles("joint", memory_type, tables):
        (approved if given & _holders(role, tables) else missing).append(resolved(role, tables))
    return JointApproval(not missing, tuple(approved), tuple(missing))
