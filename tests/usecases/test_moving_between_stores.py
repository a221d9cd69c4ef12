"""`import` and `export` between stores of different systems: nothing is lost on the way there and back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

import tenure
from tenure.model.memory import Memory
from tenure.usecases.answers.changed import Moved
from tenure.workspace import Workspace

DECISION = {
    "status": "accepted",
    "context": "c",
    "decision": "Use queues",
    "rationale": ["because"],
    "consequences": ["slow"],
}
RECORD: dict[str, Any] = {
    "category": "decision",
    "schema_version": "1.0",
    "id": "queue",
    "title": "Use queues",
    "record_status": "retired",
    "created_at": "2026-01-10 09:00",
    "updated_at": "2026-02-10T09:00:00Z",
    "tags": ["b", "a"],
    "related_files": ["src/q.py"],
    "confidence": 0.8251,
    "content": DECISION,
    "changes": [{"date": "d", "summary": "s", "field": None, "old_value": {"x": [1]}, "new_value": None}],
    "times_updated": 7,
    "retired_at": "2026-02-10T09:00:00Z",
    "retired_reason": "too slow",
    "odd_key": {"kept": True},
}


@pytest.fixture(autouse=True)
def _frozen(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("TENURE_NOW", "2026-04-03T12:00:00Z")
    monkeypatch.chdir(tmp_path)


def native(tmp_path: Path, name: str = "native") -> Workspace:
    return tenure.open(f"sqlite:{tmp_path / name}.db", tmp_path)


def folder(tmp_path: Path, name: str) -> str:
    (tmp_path / name / ".git").mkdir(parents=True, exist_ok=True)
    return f"claude-memory:{tmp_path / name / '.claude' / 'memory'}"


def put(tmp_path: Path, name: str, record: dict[str, Any]) -> Path:
    path = tmp_path / name / ".claude" / "memory" / "decisions" / f"{record['id']}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(record, indent=2) + "\n", "utf-8")
    return path


def plain(memory: Memory) -> dict[str, Any]:
    """Return everything a memory says, but for what another system added to it."""
    value: dict[str, Any] = msgspec.to_builtins(memory)
    return {**value, "extra": {key: item for key, item in memory.extra.items() if key != "claude-memory"}}


def test_a_record_goes_to_the_native_store_and_comes_back_the_same(tmp_path: Path) -> None:
    """Issue: moved without loss: content, tags, files, confidence, dates, changes, keys nobody knows."""
    url = folder(tmp_path, "one")
    path = put(tmp_path, "one", RECORD)
    with native(tmp_path) as ws:
        assert ws.import_(url) == Moved(written=1, skipped=[], notes=[])
        memory = ws.get("queue")
        assert (memory.kind, memory.state, memory.content, memory.files) == (
            "decision",
            "retired",
            DECISION,
            ("src/q.py",),
        )
        assert ws.check() == []
        ws.export(folder(tmp_path, "two"))
    back = json.loads((tmp_path / "two" / path.relative_to(tmp_path / "one")).read_text("utf-8"))
    entry = {key: value for key, value in RECORD["changes"][0].items() if value is not None}
    assert back == {**RECORD, "changes": [entry]}


def test_native_memories_go_into_records_and_come_back_the_same(tmp_path: Path) -> None:
    """Issue: what a record cannot hold (kinds, states, evidence, scope) waits beside it."""
    with native(tmp_path) as ws:
        ws.add("Run make db before the tests", kind="lesson", tags=["Tests"], files=["Makefile"], scope="global")
        ws.add("Use queues", kind="decision", content=DECISION)
        ws.add("Where the docs are: docs/", kind="reference")
        ws.capture([{"kind": "runbook", "text": "Login fails", "run": "r-1", "evidence": ["e-1"]}])
        gone = ws.add("Never mind this", kind="constraint")
        ws.retire(gone.id, reason="done")
        before = {memory.id: plain(memory) for memory in ws.memories(all=True)}
        url = folder(tmp_path, "one")
        assert ws.export(url).written == len(before)
    with tenure.open(url, tmp_path / "one") as records:
        assert records.check() == []
        assert {memory.state for memory in records.memories(all=True)} == {"active", "retired", "archived"}
        # A candidate may not influence an agent, so it does not arrive in use.
        assert [memory.text for memory in records.memories(state="archived")] == ["Login fails"]
    with native(tmp_path, "back") as ws:
        ws.import_(url)
        assert {memory.id: plain(memory) for memory in ws.memories(all=True)} == before
        assert ws.check() == []


def test_what_is_there_already_is_left_alone_and_named(tmp_path: Path) -> None:
    """Contract: `{"written": N, "skipped": [{"id", "why"}]}`; twice is once."""
    url = folder(tmp_path, "one")
    put(tmp_path, "one", RECORD)
    with native(tmp_path) as ws:
        ws.import_(url)
        again = ws.import_(url)
        assert (again.written, [item.id for item in again.skipped]) == (0, ["queue"])
        ws.forget("queue")
        assert ws.import_(url).written == 0


def test_a_dry_run_imports_nothing(tmp_path: Path) -> None:
    """Contract: `--dry-run` says what would happen."""
    url = folder(tmp_path, "one")
    put(tmp_path, "one", RECORD)
    with native(tmp_path) as ws:
        assert ws.import_(url, dry_run=True).written == 1
        assert ws.memories(all=True) == []


def test_a_change_made_on_the_other_side_is_what_comes_back(tmp_path: Path) -> None:
    """What happened elsewhere counts more than what the memory was before it went there."""
    url = folder(tmp_path, "one")
    with native(tmp_path) as ws:
        id = ws.add("Run make db before the tests", kind="lesson").id
        ws.export(url)
    with tenure.open(url, tmp_path / "one") as records:
        records.edit(id, title="Start the database first")
        records.retire(id, reason="done")
    with native(tmp_path, "back") as ws:
        ws.import_(url)
        memory = ws.get(id)
        assert (memory.title, memory.state, memory.kind) == ("Start the database first", "retired", "lesson")
        assert ws.check() == []


def test_a_native_store_is_copied_with_its_history(tmp_path: Path) -> None:
    """A store of the same system takes everything as it was."""
    with native(tmp_path) as ws:
        id = ws.add("Run make db before the tests").id
        ws.log(id, "positive", task="t")
    with native(tmp_path, "copy") as copy:
        copy.import_(f"sqlite:{tmp_path / 'native.db'}")
        assert [entry.event.type for entry in copy.history(id)] == ["Created", "Applied"]
        assert copy.check() == []


def test_a_secret_in_another_systems_record_stays_behind(tmp_path: Path) -> None:
    """Decision 14: secrets are redacted on every way in."""
    secret = "ghp_" + "a1B2c3D4e5F6" * 3
    url = folder(tmp_path, "one")
    put(tmp_path, "one", {**RECORD, "content": {**DECISION, "decision": f"Use {secret}"}, "odd_key": secret})
    with native(tmp_path) as ws:
        assert ws.import_(url).written == 1
        assert secret not in str(ws.get("queue"))
        assert ws.check() == []
