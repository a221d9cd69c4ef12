"""`capture` on session transcripts, in the native store and in a claude-memory folder."""

from __future__ import annotations

from pathlib import Path

import pytest

import tenure
from tenure.capture.transcripts import is_transcript
from tenure.workspace import Workspace

from .transcript_files import write

SAID = [
    ("user", "We decided to use PostgreSQL instead of MongoDB because orders need transactions."),
    ("assistant", "The build fails with KeyError: 'x'. Fixed it by seeding the map. All 12 tests pass now."),
]


def opened(tmp_path: Path, scheme: str) -> Workspace:
    (tmp_path / ".git").mkdir(exist_ok=True)
    url = f"sqlite:{tmp_path / 'memory.db'}" if scheme == "sqlite" else f"claude-memory:{tmp_path / '.claude/memory'}"
    return tenure.open(url, tmp_path)


@pytest.mark.parametrize("scheme", ["sqlite", "claude-memory"])
def test_the_same_lesson_in_two_sessions_is_one_memory_with_two_pieces_of_evidence(tmp_path: Path, scheme: str) -> None:
    """Issue: one transcript is one run; the native store promotes on the second, never on a repetition."""
    ws = opened(tmp_path, scheme)
    first, second = (str(write(tmp_path / f"{name}.jsonl", SAID, session=name)) for name in ("a", "b"))
    made = ws.capture_files([first])["decisions"]
    assert sorted((item["action"], item["kind"]) for item in made) == [("create", "decision"), ("create", "runbook")]
    assert {item["action"] for item in ws.capture_files([first])["decisions"]} == {"noop"}
    assert {item["action"] for item in ws.capture_files([second])["decisions"]} == {"update"}
    states = {memory.state for memory in ws.memories()}
    assert states == ({"provisional"} if scheme == "sqlite" else {"active"})
    for memory in ws.memories():
        assert (memory.runs, memory.signals.evidence_count, memory.trust) == (("a", "b"), 2, "model")
    assert ws.check() == []


def test_transcripts_and_proposals_may_be_captured_together(tmp_path: Path) -> None:
    """Contract: PATH may be a transcript; JSON Lines of proposals still are proposals."""
    proposals = tmp_path / "proposals.jsonl"
    proposals.write_text('{"kind": "lesson", "text": "Seed the map first", "content": {}}\n', "utf-8")
    transcript = write(tmp_path / "t.jsonl", SAID)
    assert (is_transcript(transcript), is_transcript(proposals), is_transcript(tmp_path)) == (True, False, False)
    answer = opened(tmp_path, "sqlite").capture_files([str(proposals), str(transcript)])
    assert sorted(item["kind"] for item in answer["decisions"]) == ["decision", "lesson", "runbook"]


def test_a_dry_run_only_says_what_would_happen(tmp_path: Path) -> None:
    """Contract: `--dry-run` is the same report and no change."""
    ws = opened(tmp_path, "claude-memory")
    answer = ws.capture_files([str(write(tmp_path / "t.jsonl", SAID))], dry_run=True)
    assert len(answer["decisions"]) == 2
    assert ws.memories() == [] and not (tmp_path / ".claude/memory/decisions").exists()


def test_a_secret_said_in_a_session_is_not_kept(tmp_path: Path) -> None:
    """Decision 14: secrets are redacted on every way in."""
    secret = "ghp_" + "a1B2c3D4e5F6" * 3
    ws = opened(tmp_path, "claude-memory")
    said = [("user", f"We decided to use the token {secret} because the bot has none.")]
    (memory,) = [ws.get(item["id"]) for item in ws.capture_files([str(write(tmp_path / "t.jsonl", said))])["decisions"]]
    assert "[redacted:" in memory.text and secret not in str(memory)
