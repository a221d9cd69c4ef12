"""The shape of every geas artifact, as data.

Written in the subset of JSON Schema 2020-12 that `schemas.py` understands, so that any other validator can be
laid beside it. Every object is closed: a field that is not named here is not allowed.
"""

from __future__ import annotations

from typing import Any

Schema = dict[str, Any]

MEMORY_TYPES = (
    "project_rule",
    "agent_rule",
    "decision_precedent",
    "failure_lesson",
    "security_pattern",
    "performance_tip",
    "test_strategy",
    "integration_pattern",
    "ux_pattern",
    "architecture_precedent",
    "process_improvement",
    "risk_pattern",
)
# Still in use, or on the way there.
LIVE_OR_PENDING = ("candidate", "provisional", "stable", "canonical", "under_review")
STATES = (*LIVE_OR_PENDING, "decayed", "superseded", "archived", "rejected")
SCOPES = ("task", "mission", "project", "agent", "global")
EFFECTS = ("positive", "negative", "neutral", "neutral_but_risky", "unknown")
AGENT_TYPES = (
    "orchestration_authority",
    "product_authority",
    "design_authority",
    "challenger",
    "software_engineer",
    "qa_engineer",
    "security_engineer",
    "platform_engineer",
    "technical_writer",
    "literature_analyst",
    "research_analyst",
    "methodology_reviewer",
    "research_integrity_reviewer",
    "research_engineer",
    "research_writer",
)
DECISIONS = (
    "promote_provisional",
    "promote_stable",
    "promote_canonical",
    "keep",
    "weaken",
    "supersede",
    "reject",
    "archive",
)
SURFACES = (
    "task_packet",
    "session_summary",
    "review_context",
    "gate_context",
    "recovery_context",
    "decision_context",
)
FOLLOWUPS = ("none", "strengthen", "weaken", "supersede", "review_required")
COUNTERS = ("evidence_count", "reuse_count", "successful_reuses", "failed_reuses", "contradiction_count")
RETROSPECTIVE_LISTS = (
    "what_went_well",
    "what_broke",
    "what_was_surprising",
    "rule_candidates",
    "memory_candidates",
    "debt_candidates",
    "next_time_guidance",
)
CONCERN_CATEGORIES = (
    "structural_risk",
    "hidden_assumption",
    "excessive_complexity",
    "missing_edge_case",
    "technical_debt",
    "security_concern",
    "other",
)
RECOVERY_CLASSES = (
    "post_compact_resume",
    "warm_session_resume",
    "interrupted_subagent_resume",
    "dirty_state_recovery",
    "manual_repair_required",
)

TEXT: Schema = {"type": "string"}
NAME: Schema = {"type": "string", "minLength": 1}
TEXT_OR_NULL: Schema = {"type": ["string", "null"]}
FLAG: Schema = {"type": "boolean"}
COUNT: Schema = {"type": "integer", "minimum": 0}
SHARE: Schema = {"type": "number", "minimum": 0, "maximum": 1}
TIME: Schema = {"type": "string", "format": "date-time"}
STAMP: Schema = {**TIME, "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z$"}
TEXTS: Schema = {"type": "array", "items": TEXT}
UNIQUE_TEXTS: Schema = {**TEXTS, "uniqueItems": True}
SOME_NAMES: Schema = {"type": "array", "items": NAME, "minItems": 1}


def one_of(values: tuple[str, ...]) -> Schema:
    """Return the schema of a text that must be one of `values`."""
    return {"type": "string", "enum": list(values)}


def rating(highest: int) -> Schema:
    """Return the schema of a whole number from 1 to `highest`."""
    return {"type": "integer", "minimum": 1, "maximum": highest}


def closed(required: dict[str, Schema], optional: dict[str, Schema] | None = None) -> Schema:
    """Return the schema of an object with these fields and no others."""
    return {
        "type": "object",
        "properties": {**required, **(optional or {})},
        "required": list(required),
        "additionalProperties": False,
    }


AGENT = one_of(AGENT_TYPES)
META = closed(
    {"version": NAME, "artifact_type": NAME, "artifact_id": NAME, "producer_type": NAME, "created_at": STAMP},
    {"updated_at": STAMP},
)
SIGNALS = closed({**dict.fromkeys(COUNTERS, COUNT), "confidence": SHARE})
_MEMORY_HEAD = {"meta": META, "memory_id": NAME, "memory_type": one_of(MEMORY_TYPES)}
_MEMORY_TEXT = {
    "title": NAME,
    "summary": NAME,
    "scope": one_of(SCOPES),
    "evidence_refs": SOME_NAMES,
    "signals": SIGNALS,
}
_INDEX_ROW = closed(
    {
        "memory_id": TEXT,
        "memory_type": one_of(MEMORY_TYPES),
        "state": one_of(STATES),
        "confidence": SHARE,
        "tags": TEXTS,
        "review_after": STAMP,
    }
)


def _flat(artifact_type: str, producer: Schema, identity: Schema, created: Schema) -> dict[str, Schema]:
    """Return the head of an artifact that carries its metadata at the top instead of in `meta`."""
    return {
        "version": {"type": "string", "const": "1.0"},
        "artifact_type": {"type": "string", "const": artifact_type},
        "artifact_id": identity,
        "producer_type": producer,
        "created_at": created,
    }


_ORCHESTRATOR: Schema = {"type": "string", "const": "orchestration_authority"}
_CHALLENGER: Schema = {"type": "string", "const": "challenger"}

SCHEMAS: dict[str, Schema] = {
    "memory-candidate": closed(
        {
            **_MEMORY_HEAD,
            "state": {"const": "candidate"},
            **_MEMORY_TEXT,
            "candidate_reason": NAME,
            "source_artifacts": SOME_NAMES,
        }
    ),
    "memory-entry": closed(
        {
            **_MEMORY_HEAD,
            "state": one_of(STATES),
            **_MEMORY_TEXT,
            "review_after": STAMP,
            "supersedes": UNIQUE_TEXTS,
            "superseded_by": TEXT_OR_NULL,
            "tags": UNIQUE_TEXTS,
            "body": TEXTS,
        }
    ),
    "memory-application-log": closed(
        {
            "meta": META,
            "memory_id": NAME,
            "task_id": NAME,
            "applied_by_type": AGENT,
            "usage_surface": one_of(SURFACES),
            "effect": one_of(EFFECTS),
            "notes": TEXT,
            "followup_action": one_of(FOLLOWUPS),
        }
    ),
    "memory-review": closed(
        {
            "meta": META,
            "memory_id": NAME,
            "reviewer_type": AGENT,
            "decision": one_of(DECISIONS),
            "rationale": NAME,
            "required_followup": TEXTS,
            "supersedes": UNIQUE_TEXTS,
        }
    ),
    "memory-index": closed({"meta": META, "entries": {"type": "array", "items": _INDEX_ROW}}),
    "memory-packet": closed(
        {
            "meta": META,
            "packet_id": NAME,
            "target_agent_type": AGENT,
            "target_task_id": TEXT_OR_NULL,
            "pinned_items": TEXTS,
            "applicable_memory_ids": TEXTS,
            "caution_items": TEXTS,
            "suppressed_memory_ids": TEXTS,
            "assembly_reason": NAME,
        }
    ),
    "retrospective": closed(
        {
            **_flat("retrospective", _ORCHESTRATOR, TEXT, TEXT),
            "task_id": TEXT,
            **dict.fromkeys(RETROSPECTIVE_LISTS, TEXTS),
        }
    ),
    "failure-record": closed(
        {
            **_flat("failure_record", _ORCHESTRATOR, NAME, TIME),
            "task_id": NAME,
            "failed_at_state": one_of(("implementing", "reviewed", "integrated", "verified")),
            "failure_reason": NAME,
            "rewind_target": one_of(("ready", "implementing", "reviewed", "escalated")),
            "retry_budget_before": COUNT,
            "retry_budget_after": COUNT,
        },
        {
            "failure_source": one_of(
                ("gate_fail", "gate_block", "verdict_iterate", "integration_failure", "unrecoverable_error")
            ),
            "iterate_count": COUNT,
        },
    ),
    "specialist-review": closed(
        {
            **_flat("specialist_review", AGENT, TEXT, STAMP),
            "task_id": TEXT,
            "reviewer_type": AGENT,
            "status": one_of(("approved", "changes_requested", "blocked")),
            "summary": NAME,
            "blocking_concerns": {
                "type": "array",
                "items": closed({"concern": NAME, "severity": one_of(("minor", "major")), "resolved": FLAG}),
            },
        },
        {
            "rubric_scores": {
                "type": "array",
                "items": closed({"dimension": NAME, "score": rating(5), "rationale": NAME}),
            },
            "recommendations": {"type": "array", "items": NAME},
            "memory_suggestions": TEXTS,
        },
    ),
    "challenge-review": closed(
        {
            **_flat("challenge_review", _CHALLENGER, NAME, TIME),
            "task_id": NAME,
            "reviewer_type": _CHALLENGER,
            "concerns": {
                "type": "array",
                "minItems": 1,
                "items": closed(
                    {"severity": one_of(("blocking", "non_blocking")), "description": NAME},
                    {"category": one_of(CONCERN_CATEGORIES)},
                ),
            },
            "blocking": FLAG,
        },
        {"summary": TEXT, "memory_suggestions": TEXTS},
    ),
    "worker-self-check": closed(
        {
            **_flat("worker_self_check", AGENT, TEXT, TEXT),
            "task_id": TEXT,
            "known_risks": TEXTS,
            "untested_paths": TEXTS,
            "possible_stubs": TEXTS,
            "what_to_test_next": TEXTS,
            "confidence": rating(5),
            "summary": TEXT,
        },
        {"memory_suggestions": TEXTS},
    ),
    "recovery-packet": closed(
        {
            **_flat("recovery_packet", AGENT, TEXT, STAMP),
            "recovery_id": NAME,
            "recovery_class": one_of(RECOVERY_CLASSES),
            "focus_task_id": TEXT_OR_NULL,
            "detected_problem": NAME,
            "recommended_action": NAME,
            "artifacts_found": TEXTS,
            "artifacts_missing": TEXTS,
        },
        {"rewind_target": one_of(("ready", "implementing", "reviewed", "integrated")), "resolution": TEXT},
    ),
    "integration-result": closed(
        {
            **_flat("integration_result", AGENT, TEXT, STAMP),
            "task_id": TEXT,
            "integration_branch": TEXT,
            "merge_commit": TEXT,
            "base_snapshot": TEXT,
            "conflict_status": one_of(("clean", "resolved", "failed")),
        },
        {"files_changed": TEXTS},
    ),
}
