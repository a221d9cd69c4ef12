"""The recorded cases of geas and one valid document per artifact, for the tests of this folder."""

from __future__ import annotations

import copy
import json
from datetime import datetime
from pathlib import Path
from typing import Any

CASES = Path(__file__).parent / "cases"
STAMP = "2026-04-01T09:30:15Z"
SIGNALS = {
    "evidence_count": 2,
    "reuse_count": 0,
    "successful_reuses": 0,
    "failed_reuses": 0,
    "contradiction_count": 0,
    "confidence": 0.6,
}


def case(name: str) -> dict[str, Any]:
    """Return one recorded case by its file name."""
    found: dict[str, Any] = json.loads((CASES / f"{name}.json").read_text("utf-8"))
    return found


def cases(kind: str) -> list[dict[str, Any]]:
    """Return the recorded cases of a kind, in order of name."""
    return [found for path in sorted(CASES.glob("*.json")) if (found := case(path.stem))["kind"] == kind]


def meta(artifact_type: str, artifact_id: str, created_at: str = STAMP) -> dict[str, Any]:
    """Return a `meta` block."""
    return {
        "version": "1.0",
        "artifact_type": artifact_type,
        "artifact_id": artifact_id,
        "producer_type": "orchestration_authority",
        "created_at": created_at,
    }


def flat(artifact_type: str, producer: str = "orchestration_authority") -> dict[str, Any]:
    """Return the head of an artifact that has no `meta`."""
    return {
        "version": "1.0",
        "artifact_type": artifact_type,
        "artifact_id": f"{artifact_type}-1",
        "producer_type": producer,
        "created_at": STAMP,
    }


def memory(memory_id: str = "mem-task-001-1", **changes: Any) -> dict[str, Any]:
    """Return a valid entry, with some fields replaced; `signals` are merged."""
    document: dict[str, Any] = {
        "meta": meta("memory_entry", memory_id),
        "memory_id": memory_id,
        "memory_type": "failure_lesson",
        "state": "provisional",
        "title": "Retry loops need a limit",
        "summary": "Retry loops without a limit hang the integration job",
        "scope": "project",
        "evidence_refs": ["retro-task-001", "retro-task-002"],
        "signals": {**SIGNALS, **changes.pop("signals", {})},
        "review_after": "2026-05-01T09:30:15Z",
        "supersedes": [],
        "superseded_by": None,
        "tags": [],
        "body": [],
    }
    return {**document, **changes}


def candidate(memory_id: str = "mem-task-001-1", **changes: Any) -> dict[str, Any]:
    """Return a valid candidate, with some fields replaced."""
    document: dict[str, Any] = {
        "meta": meta("memory_candidate", memory_id),
        "memory_id": memory_id,
        "memory_type": "failure_lesson",
        "state": "candidate",
        "title": "Retry loops need a limit",
        "summary": "Retry loops without a limit hang the integration job",
        "scope": "project",
        "evidence_refs": ["retro-task-001"],
        "signals": {**SIGNALS, "evidence_count": 1, "confidence": 0.4, **changes.pop("signals", {})},
        "candidate_reason": "Extracted from task task-001 retrospective",
        "source_artifacts": [".geas/missions/mission-a/tasks/task-001/retrospective.json"],
    }
    return {**document, **changes}


def log(task: str, memory_id: str = "mem-task-001-1", **changes: Any) -> dict[str, Any]:
    """Return a valid application log, with some fields replaced."""
    created = changes.pop("created_at", STAMP)
    return {
        "meta": meta("memory_application_log", f"mal-{task}-{memory_id}", created),
        "memory_id": memory_id,
        "task_id": task,
        "applied_by_type": "software_engineer",
        "usage_surface": "task_packet",
        "effect": "positive",
        "notes": "",
        "followup_action": "none",
        **changes,
    }


def retrospective(task: str, **lists: list[str]) -> dict[str, Any]:
    """Return a valid retrospective whose lists are empty unless given."""
    empty: dict[str, Any] = {
        "what_went_well": [],
        "what_broke": [],
        "what_was_surprising": [],
        "rule_candidates": [],
        "memory_candidates": [],
        "debt_candidates": [],
        "next_time_guidance": [],
    }
    return {**flat("retrospective"), "task_id": task, **empty, **lists}


def _samples() -> dict[str, dict[str, Any]]:
    agent = "software_engineer"
    review = {
        "meta": meta("memory_review", "mr-mem-task-001-1"),
        "memory_id": "mem-task-001-1",
        "reviewer_type": "design_authority",
        "decision": "keep",
        "rationale": "because",
        "required_followup": [],
        "supersedes": [],
    }
    row = {
        "memory_id": "mem-1",
        "memory_type": "risk_pattern",
        "state": "candidate",
        "confidence": 0.4,
        "tags": [],
        "review_after": STAMP,
    }
    packet = {
        "meta": meta("memory_packet", "mp-t1-qa_engineer"),
        "packet_id": "mp-t1-qa_engineer",
        "target_agent_type": "qa_engineer",
        "target_task_id": None,
        "pinned_items": [],
        "applicable_memory_ids": ["mem-1"],
        "caution_items": [],
        "suppressed_memory_ids": [],
        "assembly_reason": "Generated for qa_engineer working on t1",
    }
    return {
        "memory-candidate": candidate(),
        "memory-entry": memory(),
        "memory-application-log": log("task-009"),
        "memory-review": review,
        "memory-index": {"meta": meta("memory_index", "mi-init"), "entries": [row]},
        "memory-packet": packet,
        "retrospective": retrospective("t1", memory_candidates=["a lesson"]),
        "failure-record": {
            **flat("failure_record"),
            "task_id": "t1",
            "failed_at_state": "verified",
            "failure_reason": "the gate failed",
            "failure_source": "gate_fail",
            "rewind_target": "implementing",
            "retry_budget_before": 2,
            "retry_budget_after": 1,
        },
        "specialist-review": {
            **flat("specialist_review", "qa_engineer"),
            "task_id": "t1",
            "reviewer_type": "qa_engineer",
            "status": "blocked",
            "summary": "not yet",
            "blocking_concerns": [{"concern": "no test", "severity": "major", "resolved": False}],
        },
        "challenge-review": {
            **flat("challenge_review", "challenger"),
            "task_id": "t1",
            "reviewer_type": "challenger",
            "concerns": [{"severity": "blocking", "description": "why", "category": "security_concern"}],
            "blocking": True,
        },
        "worker-self-check": {
            **flat("worker_self_check", agent),
            "task_id": "t1",
            "known_risks": [],
            "untested_paths": [],
            "possible_stubs": [],
            "what_to_test_next": [],
            "confidence": 2,
            "summary": "done",
        },
        "recovery-packet": {
            **flat("recovery_packet"),
            "recovery_id": "rec-1",
            "recovery_class": "dirty_state_recovery",
            "focus_task_id": None,
            "detected_problem": "left over files",
            "recommended_action": "clean up",
            "artifacts_found": [],
            "artifacts_missing": [],
        },
        "integration-result": {
            **flat("integration_result", agent),
            "task_id": "t1",
            "integration_branch": "main",
            "merge_commit": "abc",
            "base_snapshot": "def",
            "conflict_status": "resolved",
            "files_changed": ["src/a.py"],
        },
    }


SAMPLES = _samples()


def valid(artifact: str) -> dict[str, Any]:
    """Return a valid document of the artifact, free to be changed."""
    return copy.deepcopy(SAMPLES[artifact])


def moment(stamp: str) -> datetime:
    """Return the time of a stamp."""
    return datetime.fromisoformat(stamp)
