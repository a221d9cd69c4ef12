"""Memories, a policy and times that tests start from."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec

from tenure.files.locate import Place
from tenure.model import policy as policies
from tenure.model.events import Event
from tenure.model.evolve import evolve
from tenure.model.memory import Memory, Signals
from tenure.workspace import Workspace

NOW = datetime(2026, 4, 3, 14, 0, tzinfo=UTC)
POLICY, SETTINGS = policies.load("tenure")
SIGNALS = frozenset(Signals.__struct_fields__)

# A complete example of every typed content, optional fields included.
CONTENT: dict[str, dict[str, Any]] = {
    "session_summary": {
        "goal": "Move the queue to Redis",
        "outcome": "partial",
        "completed": ["wrote the adapter"],
        "next_actions": ["switch the workers"],
        "in_progress": ["load test"],
        "blockers": ["no staging cluster"],
        "key_changes": ["queue/adapter.py"],
    },
    "decision": {
        "status": "accepted",
        "context": "Two writers at once",
        "decision": "Use row versions",
        "rationale": ["locks were too slow"],
        "alternatives": [{"option": "advisory locks", "rejected_reason": "lost after failover"}],
        "consequences": ["clients must retry"],
    },
    "runbook": {
        "trigger": "Workers stop",
        "steps": ["drain", "restart"],
        "verification": "queue length falls",
        "symptoms": ["timeouts"],
        "root_cause": "a leaked connection",
        "environment": "production",
    },
    "constraint": {
        "kind": "limitation",
        "rule": "At most 100 requests per minute",
        "impact": ["imports are slow"],
        "severity": "high",
        "active": True,
        "workarounds": ["batch them"],
        "expires": "none",
    },
    "tech_debt": {
        "status": "open",
        "priority": "medium",
        "description": "The parser copies its input",
        "reason_deferred": "release",
        "impact": ["memory"],
        "suggested_fix": ["stream"],
        "acceptance_criteria": ["flat memory curve"],
    },
    "preference": {
        "topic": "quotes",
        "value": "double",
        "reason": "the formatter does it",
        "strength": "strong",
        "examples": {"prefer": ['"a"'], "avoid": ["'a'"]},
    },
}


def specimen(**fields: Any) -> Memory:
    """Return a memory; names of signals go to its signals, the phase follows from the state."""
    signals = {name: fields.pop(name) for name in list(fields) if name in SIGNALS}
    signals = {"confidence": 40, "evidence_count": 1, "frequency": 1, **signals}
    state = fields.setdefault("state", "provisional")
    text = fields.setdefault("text", "Run the migrations before the tests")
    defaults: dict[str, Any] = {
        "id": "m-1",
        "kind": "lesson",
        "title": text[:120],
        "phase": POLICY.phase(state),
        "created_at": NOW,
        "updated_at": NOW,
        "review_set_at": NOW,
        "review_after": NOW + timedelta(days=30),
    }
    return Memory(**{**defaults, **fields}, signals=Signals(**signals))


def after(memory: Memory, events: list[Event]) -> Memory:
    """Return the memory once the events happened."""
    for event in events:
        evolved = evolve(memory, event)
        assert evolved is not None
        memory = evolved
    return memory


def days(count: float) -> timedelta:
    return timedelta(days=count)


def policy(**sections: Mapping[str, Any]) -> policies.Policy:
    """Return the native policy with some values replaced."""
    return policies.load("tenure", {"test": sections})[0]


def workspace(folder: Path, name: str = "memory.db") -> Workspace:
    """Return a workspace on a real SQLite file in a folder."""
    return Workspace(Place(scheme="sqlite", path=folder / name, project=folder, origin="test"))


def lines(folder: Path, rows: list[Any], name: str = "proposals.jsonl") -> str:
    """Write rows as JSON Lines and return the path."""
    path = folder / name
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return str(path)


def plain(memory: Memory, *without: str) -> dict[str, Any]:
    """Return a memory's fields as builtins, some left out."""
    fields: dict[str, Any] = msgspec.to_builtins(memory)
    return {name: value for name, value in fields.items() if name not in without}


SetNow = Callable[[datetime], None]
