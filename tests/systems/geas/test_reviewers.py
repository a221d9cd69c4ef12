"""Who reviews what."""

from __future__ import annotations

from typing import Any

import pytest

from tenure.model.errors import InvalidInput
from tenure.systems.geas import reviewers
from tenure.systems.geas.artifacts import DECISIONS, MEMORY_TYPES
from tenure.systems.geas.tables import packaged

from . import samples

TABLES = packaged()
ORCHESTRATOR = "orchestration_authority"


@pytest.mark.parametrize(
    ("memory_type", "software", "research"),
    [
        ("security_pattern", "security_engineer", "research_integrity_reviewer"),
        ("architecture_precedent", "design_authority", "design_authority"),
        ("test_strategy", "qa_engineer", "methodology_reviewer"),
        ("performance_tip", "design_authority", "design_authority"),
        ("integration_pattern", "design_authority", "design_authority"),
        ("ux_pattern", "technical_writer", "research_writer"),
        ("process_improvement", ORCHESTRATOR, ORCHESTRATOR),
        ("failure_lesson", ORCHESTRATOR, ORCHESTRATOR),
        ("decision_precedent", "product_authority", "product_authority"),
        ("risk_pattern", ORCHESTRATOR, ORCHESTRATOR),
        ("project_rule", ORCHESTRATOR, ORCHESTRATOR),
        ("agent_rule", ORCHESTRATOR, ORCHESTRATOR),
    ],
)
def test_each_type_has_its_domain_authority(memory_type: str, software: str, research: str) -> None:
    """Seed: the table of reviewers; contradiction 7 for the slots."""
    assert reviewers.reviewer(memory_type, TABLES) == software
    assert reviewers.reviewer(memory_type, TABLES, profile="research") == research


def review(by: str, decision: str = "promote_canonical") -> dict[str, Any]:
    return {**samples.valid("memory-review"), "reviewer_type": by, "decision": decision}


@pytest.mark.parametrize("memory_type", MEMORY_TYPES)
def test_canonical_always_takes_two_different_authorities(memory_type: str) -> None:
    """Seed: joint approval; contradiction 24 where the domain authority is the orchestrator."""
    first, second = ORCHESTRATOR, reviewers.reviewer(memory_type, TABLES)
    if second == first:
        second = "product_authority"
    one = reviewers.joint_approval(memory_type, [review(first), review(first)], TABLES)
    assert (one.complete, one.missing) == (False, (second,))
    assert reviewers.joint_approval(memory_type, [review(first), review(second)], TABLES).complete


def test_other_verdicts_are_no_approval() -> None:
    """Seed: joint approval needs both."""
    found = reviewers.joint_approval(
        "architecture_precedent", [review(ORCHESTRATOR), review("design_authority", "keep")], TABLES
    )
    assert found.missing == ("design_authority",)


def test_one_recorded_approval_is_not_enough() -> None:
    """Recorded case stable-one-approval."""
    case = samples.case("stable-one-approval")["given"]
    found = reviewers.joint_approval(case["entry"]["memory_type"], case["reviews"], TABLES)
    assert not found.complete


@pytest.mark.parametrize(
    ("state", "memory_type", "decision", "by", "allowed"),
    [
        ("candidate", "security_pattern", "promote_provisional", "security_engineer", True),
        ("candidate", "security_pattern", "promote_provisional", "risk_specialist", True),
        ("candidate", "security_pattern", "promote_provisional", "research_integrity_reviewer", True),
        ("candidate", "security_pattern", "promote_provisional", "qa_engineer", False),
        ("candidate", "security_pattern", "promote_provisional", ORCHESTRATOR, False),
        ("candidate", "security_pattern", "reject", ORCHESTRATOR, False),
        ("provisional", "test_strategy", "promote_stable", "qa_engineer", True),
        ("provisional", "test_strategy", "promote_stable", ORCHESTRATOR, False),
        ("stable", "architecture_precedent", "promote_canonical", ORCHESTRATOR, True),
        ("stable", "architecture_precedent", "promote_canonical", "design_authority", True),
        ("stable", "architecture_precedent", "promote_canonical", "product_authority", False),
        ("stable", "failure_lesson", "promote_canonical", "product_authority", True),
        ("stable", "ux_pattern", "request_review", ORCHESTRATOR, True),
        ("under_review", "ux_pattern", "keep", "technical_writer", True),
        ("under_review", "ux_pattern", "archive", "software_engineer", False),
        ("under_review", "ux_pattern", "archive", "nobody", False),
    ],
)
def test_a_verdict_counts_only_from_those_entitled_to_it(
    state: str, memory_type: str, decision: str, by: str, allowed: bool
) -> None:
    """Spec 1.5, the column of actors."""
    memory = samples.memory(state=state, memory_type=memory_type)
    found = reviewers.entitlement(by, memory, decision, TABLES)
    assert found.ok is allowed
    assert allowed or (repr(by) in found.reason and found.expected[0] in found.reason)


def test_every_decision_of_the_schema_has_someone_entitled() -> None:
    """Spec 1.4: eight decisions, and the manual request."""
    assert {*DECISIONS, "request_review"} == set(TABLES.entitled)


def test_names_nobody_knows_are_refused() -> None:
    """STYLE: errors say what was found and what was expected."""
    with pytest.raises(InvalidInput, match="wizard"):
        reviewers.resolved("wizard", TABLES)
    with pytest.raises(InvalidInput, match="cooking"):
        reviewers.reviewer("ux_pattern", TABLES, profile="cooking")
    with pytest.raises(InvalidInput, match="poem"):
        reviewers.reviewer("poem", TABLES)
    with pytest.raises(InvalidInput, match="burn"):
        reviewers.entitlement("qa_engineer", samples.memory(), "burn", TABLES)
