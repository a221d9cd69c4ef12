"""What our own drop-ins write stands in our own ledger as ours, with the same events the generic commands leave."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tenure.spool import dropin
from tenure.systems.take_in_notes import take_in_notes
from tests.program import Program
from tests.systems.claude_memory.project import record

FINDING = "Missing null checks in API response handlers"


@pytest.fixture
def archeflow(program: Program) -> Program:
    return Program(program.folder, program.home, {"TENURE_STORE": "archeflow:.archeflow"})


@pytest.fixture
def claude(program: Program) -> Program:
    (program.folder / ".claude" / "memory").mkdir(parents=True)
    return Program(program.folder, program.home, {"TENURE_STORE": "claude-memory:.claude/memory"})


def run_events(program: Program, run: str, *findings: str) -> str:
    data = {"archetype": "guardian", "findings": [{"severity": "warning", "description": text} for text in findings]}
    path = program.folder / f"{run}.jsonl"
    path.write_text(json.dumps({"run_id": run, "type": "review.verdict", "data": data}) + "\n")
    return path.name


def drop_in(program: Program, *words: str) -> None:
    done = program(*words)
    assert done.status == 0, done.errors


def write(program: Program, action: str, name: str, *flags: str, **fields: Any) -> None:
    words = ["--action", action, "--target", f".claude/memory/decisions/{name}.json", *flags]
    if fields:
        draft = program.folder / ".claude" / "memory" / ".staging" / f"{name}.json"
        draft.parent.mkdir(exist_ok=True)
        draft.write_text(json.dumps(fields))
        words += ["--input", str(draft)]
    drop_in(program, "claude-memory", "write", *words)


def told(program: Program, id: str) -> list[tuple[str, str]]:
    return [(event["type"], event["actor"]) for event in program.ok("history", id)["events"]]


def notes(program: Program, monkeypatch: pytest.MonkeyPatch, folder: str) -> Path:
    monkeypatch.setenv("TENURE_HOME", str(program.home))
    return Path(dropin.path(program.folder / folder))


def test_lessons_of_the_drop_in_are_ours(archeflow: Program) -> None:
    """HOUSE step 5: `history` said "Imported outside found in the files" of what our own command had written."""
    drop_in(archeflow, "archeflow", "extract", run_events(archeflow, "r1", FINDING))
    drop_in(archeflow, "archeflow", "extract", run_events(archeflow, "r2", FINDING))
    drop_in(archeflow, "archeflow", "add", "preference", "One bundled PR")
    assert told(archeflow, "m-001") == [("Created", "drop-in"), ("Evidenced", "drop-in")]
    created, evidenced = archeflow.ok("history", "m-001")["events"]
    assert (created["run"], evidenced["run"], evidenced["reason"]) == ("r1", "r2", "a finding of r2")
    assert evidenced["detail"] == {"via": "drop-in"}
    assert evidenced["set"]["state"] == "active"
    assert evidenced["add"] == {"runs": ["r2"], "evidence": ["r2"]}
    assert told(archeflow, "m-002") == [("Created", "drop-in")]
    assert archeflow.ok("show", "m-001")["signals"]["frequency"] == 2
    assert archeflow.ok("check") == {"problems": []}


def test_decay_and_forget_of_the_drop_in_are_ours(archeflow: Program) -> None:
    """Documents, "Decay": ten runs unseen cost one frequency; nine that only count are one entry."""
    drop_in(archeflow, "archeflow", "add", "pattern", FINDING)
    drop_in(archeflow, "archeflow", "add", "pattern", "Unrelated advice about caches")
    drop_in(archeflow, "archeflow", "forget", "m-002")
    for _ in range(9):
        drop_in(archeflow, "archeflow", "decay")
    assert told(archeflow, "m-001") == [("Created", "drop-in"), ("Unseen", "drop-in")]
    assert archeflow.ok("history", "m-001")["events"][1]["reason"] == "unseen for 9 runs"
    assert told(archeflow, "m-002") == [("Created", "drop-in"), ("Retired", "drop-in")]
    drop_in(archeflow, "archeflow", "decay")
    assert told(archeflow, "m-001")[2:] == [("Decayed", "drop-in")]
    assert archeflow.ok("show", "m-001")["state"] == "archived"
    assert archeflow.ok("check") == {"problems": []}


def test_records_of_the_drop_in_are_ours(claude: Program) -> None:
    """HOUSE step 5, on claude-memory's files: create, update, retire and restore are four entries."""
    write(claude, "create", "queue", "--category", "decision", **record())
    write(claude, "update", "queue", **record(content={**record()["content"], "decision": "another"}))
    write(claude, "retire", "queue", "--reason", "over")
    write(claude, "restore", "queue")
    assert told(claude, "queue") == [(event, "drop-in") for event in ("Created", "Edited", "Retired", "Restored")]
    created, edited, retired, restored = claude.ok("history", "queue")["events"]
    assert created["set"]["content"]["decision"] == "d"
    assert edited["set"]["content"]["decision"] == "another"
    assert (retired["reason"], retired["set"]["state"], restored["set"]["state"]) == ("over", "retired", "active")
    assert {event["detail"]["via"] for event in (created, edited, retired, restored)} == {"drop-in"}
    assert claude.ok("check") == {"problems": []}


def test_a_record_the_drop_in_renames_keeps_its_history(claude: Program) -> None:
    """claude-memory: a title that differs by more than half of its words renames the file."""
    write(claude, "create", "queue", "--category", "decision", **record())
    claude.ok("log", "queue", "--effect", "positive")
    now = json.loads((claude.folder / ".claude" / "memory" / "decisions" / "queue.json").read_text())
    new = {**now, "title": "Retries belong into the client"}
    write(claude, "update", "queue", **{**new, "changes": [*now["changes"], {"date": "d", "summary": "renamed"}]})
    (renamed,) = claude.ok("history", "retries-belong-into-the-client")["events"]
    assert (renamed["actor"], renamed["reason"]) == ("drop-in", "renamed from queue")
    assert renamed["set"]["signals"]["reuse_count"] == 1
    assert told(claude, "queue")[-1] == ("Lost", "drop-in")


def test_what_the_drop_in_purges_leaves_no_words(claude: Program) -> None:
    """GUARANTEES P1: a purge by `index --gc` erases the ledger's words as `tenure gc` does."""
    old = record(record_status="retired", retired_at="2026-01-11T09:00:00Z", title="Purple elephants")
    path = claude.folder / ".claude" / "memory" / "decisions" / "queue.json"
    path.parent.mkdir()
    path.write_text(json.dumps(old))
    assert claude.ok("show", "queue")["title"] == "Purple elephants"
    drop_in(claude, "claude-memory", "index", "--gc")
    assert told(claude, "queue")[-1] == ("Purged", "drop-in")
    assert "elephants" not in json.dumps(claude.ok("history", "queue"))


def test_edits_of_others_stay_theirs(claude: Program) -> None:
    """Only what the notes explain is ours: an editor's change after it is told as before."""
    write(claude, "create", "queue", "--category", "decision", **record())
    path = claude.folder / ".claude" / "memory" / "decisions" / "queue.json"
    path.write_text(path.read_text().replace("Use managed queue", "Use the managed queue"))
    assert told(claude, "queue") == [("Created", "drop-in"), ("Edited", "outside")]


def test_a_record_that_was_there_before_is_found_and_then_ours(claude: Program) -> None:
    """What a memory was before our first look is nobody's invention; what we did to it is told."""
    path = claude.folder / ".claude" / "memory" / "decisions" / "queue.json"
    path.parent.mkdir()
    path.write_text(json.dumps(record()))
    write(claude, "retire", "queue", "--reason", "over")
    assert told(claude, "queue") == [("Imported", "outside"), ("Retired", "drop-in")]


def test_notes_are_taken_in_once(archeflow: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    """A command killed between its commit and the removal of the notes must not tell them twice."""
    drop_in(archeflow, "archeflow", "add", "preference", "One bundled PR")
    file = notes(archeflow, monkeypatch, ".archeflow")
    kept = file.read_bytes()
    before = told(archeflow, "m-001")
    assert not file.exists()
    file.write_bytes(kept)
    drop_in(archeflow, "archeflow", "add", "preference", "Ask before deleting")
    assert told(archeflow, "m-001") == before
    assert told(archeflow, "m-002") == [("Created", "drop-in")]


def test_notes_are_for_their_owner_only_and_never_in_the_project(
    claude: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A cloned repository must not be able to forge them, and recorded cases know no file of ours in a project."""
    write(claude, "create", "queue", "--category", "decision", **record())
    file = notes(claude, monkeypatch, ".claude/memory")
    assert file.stat().st_mode & 0o777 == 0o600
    assert not (claude.folder / ".tenure").exists()


def test_a_torn_or_foreign_line_costs_only_itself(archeflow: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    """GUARANTEES S18: parsers never raise anything undeclared."""
    drop_in(archeflow, "archeflow", "add", "preference", "One bundled PR")
    file = notes(archeflow, monkeypatch, ".archeflow")
    file.write_bytes(b'{"at": 3}\n[1]\n{"at":"x","changes":[{"surprise":1}]}\n' + file.read_bytes() + b'{"at": "20')
    assert told(archeflow, "m-001") == [("Created", "drop-in")]


def test_a_long_list_of_notes_is_settled_by_the_drop_in(archeflow: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who never runs a generic command would otherwise gather notes without end."""
    monkeypatch.setattr(dropin, "LONGEST_BYTES", 10)
    drop_in(archeflow, "archeflow", "add", "preference", "One bundled PR")
    file = notes(archeflow, monkeypatch, ".archeflow")
    take_in_notes("archeflow", archeflow.folder / ".archeflow")
    assert not file.exists()
    assert told(archeflow, "m-001") == [("Created", "drop-in")]


def test_a_drop_in_does_not_make_an_empty_home_a_persons(program: Program) -> None:
    """CONTRACT: a home that is empty at its first use may be unattended, also when a drop-in comes first."""
    home = program.home.parent / "unattended"
    fresh = Program(program.folder, home, {"TENURE_STORE": "archeflow:.archeflow", "TENURE_UNATTENDED": "1"})
    drop_in(fresh, "archeflow", "add", "preference", "One bundled PR")
    fresh.ok("list")
    fresh.ok("forget", "m-001", "--yes")
