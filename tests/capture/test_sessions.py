"""`capture` on session transcripts, in the native store and in a claude-memory folder."""

from __future__ import annotations

from pathlib import Path

import tenure
from tenure.systems.claude_code.system import is_transcript
from tenure.workspace import Workspace

from .transcript_files import write

SAID = [
    ("user", "We decided to use PostgreSQL instead of MongoDB because orders need transactions."),
    ("assistant", "The build fails with KeyError: 'x'. Fixed it by seeding the map. All 12 tests pass now."),
]


LONG = ("user", SAID[0][1][:-1] + ", and because the reports need window functions.")


def opened(tmp_path: Path, scheme: str) -> Workspace:
    (tmp_path / ".git").mkdir(exist_ok=True)
    url = f"sqlite:{tmp_path / 'memory.db'}" if scheme == "sqlite" else f"claude-memory:{tmp_path / '.claude/memory'}"
    return tenure.open(url, tmp_path)


def test_the_same_lesson_in_two_sessions_is_one_memory_with_two_pieces_of_evidence(tmp_path: Path) -> None:
    """Issue: one transcript is one run; the native store promotes on the second, never on a repetition."""
    ws = opened(tmp_path, "sqlite")
    again = [("user", "As agreed we decided to use PostgreSQL instead of MongoDB because orders need transactions.")]
    first, second = (
        str(write(tmp_path / f"{name}.jsonl", said, session=name)) for name, said in (("a", SAID), ("b", again))
    )
    [made] = ws.capture_files([first]).decisions
    assert (made.action, made.kind) == ("create", "decision")
    assert made.text == made.quote == SAID[0][1]
    assert {item.action for item in ws.capture_files([first]).decisions} == {"noop"}
    assert {item.action for item in ws.capture_files([second]).decisions} == {"update"}
    [memory] = ws.memories()
    assert (memory.state, memory.runs, memory.signals.evidence_count) == ("provisional", ("a", "b"), 2)
    assert ws.check() == []


def test_a_session_that_repeats_another_is_the_same_run(tmp_path: Path) -> None:
    """Issue 16: a fork, a resumed session or a copy counts as the run it comes from."""
    ws = opened(tmp_path, "sqlite")
    said = [LONG, ("user", "and now look at the report of the last week please, the one with the orders in it")]
    for name in ("a", "b"):
        ws.capture_files([str(write(tmp_path / f"{name}.jsonl", said, session=name))])
    [memory] = ws.memories()
    assert (memory.state, memory.runs) == ("candidate", ("a",))


def test_a_turn_that_stands_in_two_sessions_is_a_template_and_counts_once(tmp_path: Path) -> None:
    """Issue 16: people do not repeat themselves word for word, boilerplate does."""
    ws = opened(tmp_path, "sqlite")
    for name in ("a", "b"):
        others = [
            ("user", f"look at part {name}{n} of the long list of open things we still have to go through")
            for n in range(4)
        ]
        ws.capture_files([str(write(tmp_path / f"{name}.jsonl", [LONG, *others], session=name))])
    [memory] = ws.memories()
    assert (memory.state, memory.runs) == ("candidate", ("a",))


def test_a_folder_in_which_everything_is_in_use_gets_no_file_from_a_session(tmp_path: Path) -> None:
    """Issue 16: five real sessions wrote 33 files into such a folder, 4 of them worth keeping."""
    ws = opened(tmp_path, "claude-memory")
    [suggested] = ws.capture_files([str(write(tmp_path / "t.jsonl", SAID))]).decisions
    assert (suggested.action, suggested.id[:2], suggested.text) == ("noop", "s-", SAID[0][1])
    assert ws.memories() == [] and not (tmp_path / ".claude/memory/decisions").exists()


def test_transcripts_and_proposals_may_be_captured_together(tmp_path: Path) -> None:
    """Contract: PATH may be a transcript; JSON Lines of proposals still are proposals."""
    proposals = tmp_path / "proposals.jsonl"
    proposals.write_text('{"kind": "lesson", "text": "Seed the map first", "content": {}}\n', "utf-8")
    transcript = write(tmp_path / "t.jsonl", SAID)
    paths = [str(transcript), str(proposals), str(tmp_path)]
    assert [is_transcript(path) for path in paths] == [True, False, False]
    answer = opened(tmp_path, "sqlite").capture_files([str(proposals), str(transcript)])
    assert sorted(item.kind for item in answer.decisions) == ["decision", "lesson"]


def test_a_dry_run_only_says_what_would_happen(tmp_path: Path) -> None:
    """Contract: `--dry-run` is the same report and no change."""
    ws = opened(tmp_path, "sqlite")
    answer = ws.capture_files([str(write(tmp_path / "t.jsonl", SAID))], dry_run=True)
    assert [item.action for item in answer.decisions] == ["create"]
    assert ws.memories() == []


def test_a_secret_said_in_a_session_is_not_kept(tmp_path: Path) -> None:
    """Decision 14: secrets are redacted on every way in."""
    secret = "ghp_" + "a1B2c3D4e5F6" * 3
    ws = opened(tmp_path, "sqlite")
    said = [("user", f"We decided to use the token {secret} because the bot has none.")]
    (memory,) = [ws.get(item.id) for item in ws.capture_files([str(write(tmp_path / "t.jsonl", said))]).decisions]
    assert "[redacted:" in memory.text and secret not in str(memory)
