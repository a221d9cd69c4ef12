"""`tenure claude-memory verify`: the second phase of the skill, as far as a program can judge."""

from __future__ import annotations

import json
import os
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tenure.capture.transcripts import Turn
from tenure.systems.claude_memory.verify_command import issues
from tests.hosts.clients import PLUGIN
from tests.program import Program, Result

SAID = "We decided to use PostgreSQL 16 because SQLite locks the file. We do not support MySQL in src/db.py."
CONTEXT = (
    "Category: decision\nScore: 0.80\n\n<transcript_data>\nRelevant transcript excerpts:\n\n{0}\n</transcript_data>"
)
GOOD = {
    "status": "accepted",
    "context": "SQLite locks the file",
    "decision": "use PostgreSQL 16",
    "alternatives": [],
    "rationale": ["SQLite locks the file"],
    "consequences": [],
}


@pytest.fixture
def staging() -> Iterator[Path]:
    """Return a folder where drafts may be read from: the original reads them under /tmp only."""
    with tempfile.TemporaryDirectory(dir="/tmp", prefix=".memory-draft-") as folder:
        yield Path(folder)


def verify(program: Program, staging: Path, said: str = SAID, title: str = "Use PostgreSQL", **content: Any) -> Result:
    draft, context = staging / "draft.json", staging / "context.txt"
    draft.write_text(json.dumps({"title": title, "content": {**GOOD, **content}}))
    context.write_text(CONTEXT.format(said))
    words = ["--category", "decision", "--input", str(draft), "--context", str(context), "--json"]
    return program("claude-memory", "verify", *words)


@pytest.mark.parametrize(
    ("change", "verdict", "field"),
    [
        ({}, "PASS", ""),
        ({"decision": "use PostgreSQL 17"}, "FAIL", "content.decision"),
        ({"consequences": ["set DB_URL first"]}, "FAIL", "content.consequences"),
        ({"consequences": ["see src/cache.py"]}, "FAIL", "content.consequences"),
        ({"rationale": ["We support MySQL in src/db.py"]}, "FAIL", "content.rationale"),
        ({"rationale": ["SQLite blocks everybody"]}, "PASS", "content.rationale"),
        ({"decision": 7}, "FAIL", "content.decision"),
        ({"status": "maybe"}, "FAIL", "content.status"),
    ],
)
def test_what_was_not_said_blocks_and_other_words_are_advice(
    change: dict[str, Any], verdict: str, field: str, program: Program, staging: Path
) -> None:
    """Seed, phase 2: a hallucination or a factual error blocks, a minor concern is advisory."""
    done = verify(program, staging, **change)
    answer = done.json
    assert (answer["verdict"], done.status) == (verdict, 0 if verdict == "PASS" else 1), answer
    assert field in {issue["field"].partition("[")[0] for issue in answer["issues"]} | {""}
    levels = {issue["level"] for issue in answer["issues"]}
    assert ("block" in levels) is (verdict == "FAIL")


def test_a_transcript_can_take_the_place_of_the_context_file(program: Program, staging: Path) -> None:
    """A session summary's context file holds counts only, so its words are compared with the transcript."""
    verify(program, staging)
    transcript = staging / "t.jsonl"
    transcript.write_text(json.dumps({"type": "user", "message": {"content": SAID}}) + "\n")
    words = ["--category", "decision", "--input", str(staging / "draft.json"), "--transcript", str(transcript)]
    done = program("claude-memory", "verify", *words)
    assert (done.status, done.text) == (0, "PASS\n")


def test_a_draft_is_read_from_the_staging_places_only(program: Program, staging: Path, tmp_path: Path) -> None:
    """Seed, phase 3: a draft's path begins with /tmp/.memory-draft- and holds no `..`."""
    (staging / "context.txt").write_text(CONTEXT.format(SAID))
    for path in (f"{staging}/../draft.json", "/etc/passwd"):
        words = ["--category", "decision", "--input", path, "--context", str(staging / "context.txt")]
        done = program("claude-memory", "verify", *words)
        assert done.status == 1 and done.text.startswith("SECURITY_ERROR")
    missing = [
        "--category",
        "decision",
        "--input",
        str(staging / "none.json"),
        "--context",
        str(staging / "context.txt"),
    ]
    assert program("claude-memory", "verify", *missing).text.startswith("INPUT_ERROR")
    (staging / "draft.json").write_text("{}")
    linked = ["--category", "decision", "--input", str(staging / "draft.json"), "--context", str(tmp_path / "none.txt")]
    assert program("claude-memory", "verify", *linked).text.startswith("INPUT_ERROR")


def test_help_ends_with_an_example(program: Program) -> None:
    """Brief: every command's help has one."""
    done = program("claude-memory", "verify", "--help")
    assert done.status == 0 and "example:" in done.text and "--json" in done.text


def test_the_skills_four_phases_run_as_they_are_written(program: Program, staging: Path) -> None:
    """Issue: triage, draft, verify, save, with the commands the plugin's skill names."""
    (program.folder / ".claude" / "memory").mkdir(parents=True)
    said = "We decided to use PostgreSQL 16 because SQLite locks the file. We chose PostgreSQL because of JSON support."
    transcript = staging / "t.jsonl"
    lines = [{"type": "user", "message": {"content": f"{said}\n{said} Number {n}."}} for n in range(3)]
    transcript.write_text("".join(json.dumps(line) + "\n" for line in lines))
    event = {"transcript_path": str(transcript), "cwd": str(program.folder), "session_id": "s"}
    stop = program("claude-memory", "triage", stdin=json.dumps(event).encode()).json
    block = json.loads(re.search(r"<triage_data>\n(.*)\n</triage_data>", stop["reason"], re.DOTALL)[1])  # type: ignore[index]
    [category] = [one for one in block["categories"] if one["category"] == "decision"]
    program("claude-memory", "index", "--rebuild", "--root", ".claude/memory")
    words = ["--category", "decision", "--new-info", "use PostgreSQL", "--root", ".claude/memory"]
    assert program("claude-memory", "candidate", *words).json["structural_cud"] == "CREATE"
    draft = staging / "draft.json"
    record = {
        "schema_version": "1.0", "category": "decision", "id": "use-postgresql", "title": "Use PostgreSQL",
        "created_at": "2026-01-01T00:00:00Z", "updated_at": "2026-01-01T00:00:00Z", "tags": ["database"],
        "related_files": [], "confidence": 0.8, "record_status": "active", "changes": [], "times_updated": 0,
        "content": GOOD,
    }  # fmt: skip
    draft.write_text(json.dumps(record))
    words = ["--category", "decision", "--input", str(draft), "--context", category["context_file"], "--json"]
    assert program("claude-memory", "verify", *words).json["verdict"] == "PASS"
    target = ".claude/memory/decisions/use-postgresql.json"
    words = ["--action", "create", "--category", "decision", "--target", target, "--input", str(draft)]
    assert program("claude-memory", "write", *words).status == 0
    assert (program.folder / target).exists() and not draft.exists()
    # What the skill was asked to save, the worker leaves to it.
    end = {"session_id": "s", "cwd": str(program.folder), "transcript_path": str(transcript)}
    program.ok("trust", "--yes")
    program(
        "hook",
        "session-end",
        stdin=json.dumps(end).encode(),
        CLAUDECODE="1",
        TENURE_NO_WORKER="1",
        TENURE_HOOK_SECONDS="60",
    )
    assert program("hook", "work").status == 0
    assert [m["id"] for m in program.ok("list")["memories"]] == ["use-postgresql"]
    os.unlink(category["context_file"])


def test_the_skill_names_only_commands_that_exist() -> None:
    """A skill that names a command which is gone would be followed into an error."""
    from tenure.systems.claude_memory.command import COMMANDS

    text = (PLUGIN / "skills" / "memory-management" / "SKILL.md").read_text(encoding="utf-8")
    named = set(re.findall(r"tenure claude-memory ([a-z-]+)", text))
    assert named <= set(COMMANDS) and {"triage", "candidate", "verify", "write"} <= named


def test_a_draft_without_title_or_content_is_blocked() -> None:
    """Skill: nothing else can be judged then."""
    for draft in ({}, {"title": " ", "content": GOOD}, {"title": "Use PostgreSQL", "content": []}):
        assert [issue["level"] for issue in issues("decision", draft, [Turn("user", SAID)])] == ["block"]


def test_without_anything_said_the_fields_are_judged_alone() -> None:
    """Skill: a context that only counts turns proves nothing, and is no reason to block."""
    draft = {"title": "Use PostgreSQL", "content": GOOD}
    for said in ([], [Turn("user", "")]):
        assert [(issue["level"], issue["field"]) for issue in issues("decision", draft, said)] == [
            ("advisory", "context")
        ]
    assert issues("decision", draft, [Turn("user", SAID)]) == []
