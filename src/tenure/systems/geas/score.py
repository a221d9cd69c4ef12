"""How well a memory fits a task and an agent: the parts of geas's retrieval formula and their sum.

All parts are between 0 and 1. A memory's paths are those of the tasks its evidence points at; the caller
knows them, the memory does not.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from datetime import datetime
from typing import Any

import msgspec

from tenure.model import clock
from tenure.systems.geas import reviewers
from tenure.systems.geas.similar import WORDS
from tenure.systems.geas.tables import Tables

# Scores are compared after rounding, so that equal sums of different parts tie.
DIGITS = 9


class Target(msgspec.Struct, frozen=True):
    """What a packet is for: an agent, and as much of task and mission as is known."""

    agent: str
    task_id: str | None = None
    mission_id: str | None = None
    risk_level: str = "normal"
    paths: tuple[str, ...] = ()


class Parts(msgspec.Struct, frozen=True):
    """The parts of one score."""

    scope_match: float
    path_overlap: float
    role_match: float
    freshness: float
    confidence: float
    reuse_success: float


def total(parts: Parts, *, contradictions: int, risk_bonus: bool, tables: Tables) -> float:
    """Return the score: weighted parts, less a bounded penalty, plus the bonus, between 0 and 1."""
    rules = tables.packet
    weighted: float = sum(rules.weights[name] * getattr(parts, name) for name in parts.__struct_fields__)
    penalty = min(rules.contradiction_penalty * contradictions, rules.contradiction_penalty_limit)
    bonus = rules.risk_bonus if risk_bonus else 0.0
    return float(round(min(1.0, max(0.0, weighted - penalty + bonus)), DIGITS))


def parts(
    memory: Mapping[str, Any],
    target: Target,
    *,
    memory_paths: Collection[str],
    confirmed_at: datetime,
    now: datetime,
    tables: Tables,
) -> Parts:
    """Return the parts of a memory's score for the target."""
    signals = memory["signals"]
    return Parts(
        scope_match=scope_match(memory, target, tables),
        path_overlap=path_overlap(target.paths, memory_paths),
        role_match=float(memory["memory_type"] in reviewers.types_of(target.agent, tables)),
        freshness=freshness(clock.age_days(confirmed_at, now), tables),
        confidence=float(signals["confidence"]),
        reuse_success=reuse_success(signals["successful_reuses"], signals["failed_reuses"], tables),
    )


def score(
    memory: Mapping[str, Any],
    target: Target,
    *,
    memory_paths: Collection[str],
    confirmed_at: datetime,
    now: datetime,
    tables: Tables,
) -> float:
    """Return the memory's score for the target."""
    found = parts(memory, target, memory_paths=memory_paths, confirmed_at=confirmed_at, now=now, tables=tables)
    rules = tables.packet
    risky = memory["memory_type"] == rules.risk_bonus_type and target.risk_level in rules.risk_bonus_levels
    contradictions = memory["signals"]["contradiction_count"]
    return total(found, contradictions=contradictions, risk_bonus=risky, tables=tables)


def scope_match(memory: Mapping[str, Any], target: Target, tables: Tables) -> float:
    """Return how well the memory's scope fits what the packet is for."""
    column = "task" if target.task_id else "mission" if target.mission_id else "project"
    row = memory["scope"]
    if row == "task":
        row = "task_same" if target.task_id and target.task_id in evidence_tasks(memory) else "task_other"
    elif row == "agent":
        row = "agent_same" if speaks_to(memory, target.agent) else "agent_other"
    return tables.packet.scope_match[row][column]


def evidence_tasks(memory: Mapping[str, Any]) -> frozenset[str]:
    """Return the tasks the memory's evidence points at: what follows the first part of each reference."""
    prefixes = ("retro-", "failure-", "review-", "recovery-", "self-check-", "integration-")
    found = set()
    for reference in memory["evidence_refs"]:
        prefix = next((prefix for prefix in prefixes if reference.startswith(prefix)), "")
        found.add(reference.removeprefix(prefix))
    return frozenset(found)


def speaks_to(memory: Mapping[str, Any], agent: str) -> bool:
    """Return whether an agent-scoped memory is about this agent: by its tags, else by its words."""
    wanted = agent.casefold().replace("-", "_")
    tags = {tag.casefold().replace("-", "_").removeprefix("agent:") for tag in memory.get("tags", ())}
    text = f"{memory['title']} {memory['summary']}".replace("-", "_")
    return wanted in tags or wanted in WORDS(text)


def path_overlap(task_paths: Collection[str], memory_paths: Iterable[str]) -> float:
    """Return the share of the task's paths that the memory knows, a folder knowing what lies below it."""
    wanted = {_plain(path) for path in task_paths} - {""}
    known = {_plain(path) for path in memory_paths} - {""}
    if not wanted:
        return 0.0
    return sum(any(_touch(path, other) for other in known) for path in wanted) / len(wanted)


def _plain(path: str) -> str:
    return path.removeprefix("./").removesuffix("/**").removesuffix("/*").rstrip("/")


def _touch(left: str, right: str) -> bool:
    return left == right or left.startswith(right + "/") or right.startswith(left + "/")


def freshness(days: float, tables: Tables) -> float:
    """Return 1 for a memory confirmed today, falling to 0 at the end of the period."""
    return max(0.0, 1.0 - max(days, 0.0) / tables.packet.freshness_days)


def reuse_success(successes: int, failures: int, tables: Tables) -> float:
    """Return the share of reuses that succeeded, half without any."""
    reuses = successes + failures
    return successes / reuses if reuses else tables.packet.reuse_success_without_history


def confirmed_at(memory: Mapping[str, Any], logs: Iterable[Mapping[str, Any]]) -> datetime:
    """Return when the memory was last confirmed: its newest positive log, else its creation."""
    times = [
        log["meta"]["created_at"]
        for log in logs
        if log["memory_id"] == memory["memory_id"] and log["effect"] == "positive"
    ]
    return clock.parse(max(times, default=memory["meta"]["created_at"]), field="created_at")
