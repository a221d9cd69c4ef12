"""The beginning of a session: what it shows of a small and of a large store, and what a session may cost."""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from importlib import resources

import pytest

from tenure.surfaces.hooks import session_start, showing
from tests.program import Program

FILL = """
import sys, tenure
with tenure.open() as ws:
    for number in range(int(sys.argv[1])):
        name = "abcdefghijklmnopqrstuvwxyz"[number % 26] * 6
        ws.add(f"Lesson {number}: the {name}{number} module is slow", kind="lesson")
"""


def start(program: Program, session: str = "s1", **more: object) -> str:
    """Return what the model is told at a session's start."""
    document = {"session_id": session, "cwd": str(program.folder), "source": "startup", **more}
    done = program("hook", "session-start", stdin=json.dumps(document).encode(), CLAUDECODE="1", TENURE_NO_WORKER="1")
    assert (done.status, done.err) == (0, b"")
    return str(done.json["hookSpecificOutput"]["additionalContext"]) if done.out else ""


def told(program: Program, session: str) -> str:
    """Return the line that the person sees at a session's start."""
    document = {"session_id": session, "cwd": str(program.folder), "source": "startup"}
    done = program("hook", "session-start", stdin=json.dumps(document).encode(), CLAUDECODE="1", TENURE_NO_WORKER="1")
    return str(done.json.get("systemMessage", "")) if done.out else ""


def say(program: Program, session: str, *turns: str) -> None:
    """Let a person say something in a session of Claude Code that is then learned from."""
    path = program.folder.parent / f"{session}.jsonl"
    records = [
        {"type": "user", "sessionId": session, "cwd": str(program.folder), "entrypoint": "cli",
         "uuid": f"{session}-{n}", "timestamp": "2026-01-01T00:00:00Z", "message": {"role": "user", "content": turn}}
        for n, turn in enumerate(turns)
    ]  # fmt: skip
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    program.ok("capture", str(path))


def ask(program: Program, prompt: str, session: str = "s1") -> str:
    document = {"session_id": session, "cwd": str(program.folder), "prompt": prompt}
    return program("hook", "prompt", stdin=json.dumps(document).encode(), CLAUDECODE="1").out.decode()


def fill(program: Program, count: int) -> None:
    """Add lessons in one process."""
    words = [sys.executable, "-c", FILL, str(count)]
    subprocess.run(words, cwd=program.folder, env=program.variables(), check=True, capture_output=True)


@pytest.fixture
def large(program: Program) -> Program:
    fill(program, session_start.SMALL_STORE)
    program.ok("add", "Never push to main", "--kind", "constraint", "--id", "rule")
    return program


def test_a_small_store_is_shown_whole(program: Program) -> None:
    """Issue 16: everything while the store has fewer than about 20 memories."""
    program.ok("add", "Never push to main", "--id", "rule")
    program.ok("add", "The importer is slow on Mondays", "--kind", "lesson", "--id", "slow")
    said = start(program)
    assert "rule" in said and "slow" in said
    assert program.ok("why", "slow")["injections"][0]["query"] == session_start.QUERY


def test_a_large_store_begins_with_what_the_person_stated(large: Program) -> None:
    """Issue 16: today a stated constraint is never shown at the start of a session."""
    said = start(large)
    assert "rule · constraint" in said and "Lesson" not in said


def test_the_room_that_rules_leave_is_for_the_persons_decisions(large: Program) -> None:
    """Issue 16: in diegofal/dialfa-sales 8 of 12 prompts went against a decision that the start had left out."""
    large.ok("add", "The .NET backend is dropped", "--kind", "decision", "--id", "dropped")
    said = start(large)
    assert "dropped · decision" in said and "rule · constraint" in said and "Lesson" not in said


def test_what_is_due_or_canonical_is_shown_as_well(large: Program) -> None:
    """Session-start: what is canonical and due, within budget."""
    large.ok("add", "The importer is slow on Mondays", "--kind", "lesson", "--id", "canon")
    for number in range(5):
        large.ok("log", "canon", "--effect", "positive", "--task", f"t-{number}")
    for reviewer, verdict in (("ann", "promote_stable"), ("ann", "promote_canonical"), ("ben", "promote_canonical")):
        large.ok("review", "canon", "--decision", verdict, "--by", reviewer)
    assert "canon · lesson · canonical" in start(large)
    document = json.dumps({"session_id": "later", "cwd": str(large.folder)}).encode()
    late = {"CLAUDECODE": "1", "TENURE_NO_WORKER": "1", "TENURE_NOW": "2030-01-01T00:00:00Z"}
    assert "Lesson" in large("hook", "session-start", stdin=document, **late).text


def test_a_session_starts_with_what_is_longest_overdue(large: Program) -> None:
    """Issue 8: what is canonical and due, within budget; a prompt then does not repeat it."""
    texts = ["Pin the compiler", "Rotate the signing keys", "Archive old reports", "Warm the image cache"]
    for n, text in enumerate(texts):
        large.ok("add", text, "--kind", "lesson", "--id", f"due-{n}", TENURE_NOW=f"2026-01-{9 - n:02}T00:00:00Z")
    large.environment["TENURE_NOW"] = "2026-12-01T00:00:00Z"
    said = start(large)
    assert [f"due-{n}" in said for n in range(4)] == [False, True, True, True]
    assert ask(large, "when do we rotate the signing keys?") == ""


def test_rules_cost_no_more_than_their_share(large: Program) -> None:
    """Issue 16: within 1,000 characters."""
    for letter in "abcdef":
        large.ok("add", f"Always keep {letter * 9} in mind: " + f"{letter}{letter}x " * 60, "--kind", "preference")
    shown = start(large).split("preference ·")
    assert 1 <= len(shown) - 1 <= 3


def test_one_budget_holds_over_all_hooks_of_a_session(program: Program) -> None:
    """Issue 16: one budget of tokens per session over start, prompts, tool hooks."""
    (program.home / "config.toml").write_text("[policy.inject]\nsession_tokens = 20\n")
    program.ok("add", "Run the migrations of ledger-gateway before its tests", "--kind", "runbook", "--id", "run")
    program.ok("add", "Deploy ledger-gateway on Tuesdays only, after the nightly backup", "--id", "tuesday")
    said = start(program)
    assert ("run ·" in said) + ("tuesday ·" in said) == 1
    assert "memory-context" not in ask(program, "deploy ledger-gateway after its migrations and tests")
    assert "memory-context" in ask(program, "deploy ledger-gateway after its migrations and tests", "another")


def test_a_compacted_session_begins_its_budget_anew(program: Program) -> None:
    """What was shown before a compaction is gone, so it costs nothing any more."""
    (program.home / "config.toml").write_text("[policy.inject]\nsession_tokens = 30\n")
    program.ok("add", "Run the migrations of ledger-gateway before its tests", "--kind", "runbook", "--id", "run")
    assert "run ·" in start(program)
    assert "run ·" in start(program, source="compact")


def test_the_hooks_own_limit_is_the_packaged_one() -> None:
    """A store written by an earlier version does not say what a session may cost."""
    packaged = tomllib.loads(resources.files("tenure.systems.native").joinpath("policy.toml").read_text("utf-8"))
    assert packaged["inject"]["session_tokens"] == showing.SESSION_TOKENS


def test_the_person_is_told_once_what_was_learned_from_their_words(program: Program) -> None:
    """Issue 16: shown to the user at the next start as "learned from your words: keep / drop"; a sign of life."""
    say(program, "one", "From now on use pnpm, not npm, in this repository.")
    first = told(program, "two")
    assert first.startswith("tenure: 1 memory shown; learned from your words:") and "pnpm" in first
    program.environment["TENURE_NOW"] = "2030-01-01T00:00:00Z"
    assert told(program, "three") == "tenure: 1 memory shown"


def test_a_session_that_an_agent_begins_does_not_use_the_notice_up(program: Program) -> None:
    """Issue 15: an agent can call the hook itself, under any name and with any clock, before the person looks."""
    say(program, "one", "From now on use pnpm, not npm, in this repository.")
    start(program, "of-the-agent")
    start(program, "another-of-the-agent")
    program.environment["TENURE_NOW"] = "2090-01-01T00:00:00Z"
    start(program, "in-the-future")
    del program.environment["TENURE_NOW"]
    assert "learned from your words" in told(program, "two")
    assert b"Learned from your words in the last 30 days: " in program("status").out


def test_what_was_learned_is_named_although_this_session_is_not_shown_it(program: Program) -> None:
    """Issue 15: in a large store a lesson may stand in no block at the start; the person hears of it all the same."""
    for number in range(30):
        program.ok("add", f"Use option {number} of tool{number} in part{number} of the build", "--kind", "constraint")
    say(program, "one", "From now on use pnpm, not npm, in this repository.")
    assert "pnpm" in told(program, "two")


def test_a_rule_typed_with_from_now_on_is_there_next_time_without_any_agents_help(program: Program) -> None:
    """Issue 16, "it must show"."""
    say(program, "one", "From now on use pnpm, not npm, in this repository.")
    assert "Use pnpm, not npm" in start(program, "two") or "use pnpm, not npm" in start(program, "two-again")


@pytest.mark.parametrize(
    ("said", "kept"),
    [("Forget that.", False), ("That's wrong", False), ("forget it, take the other branch and merge that one", True)],
)
def test_what_was_learned_last_is_taken_back_by_a_word(program: Program, said: str, kept: bool) -> None:
    """Issue 16: "forget that" or "that's wrong" typed by the person takes back what was last learned."""
    say(program, "one", "From now on use pnpm, not npm, in this repository.")
    assert "pnpm" in start(program, "two")
    say(program, "two", said)
    assert ("pnpm" in start(program, "three")) is kept


def test_status_says_what_a_session_may_cost_and_what_the_last_one_did(program: Program) -> None:
    """Issue 16: one budget of tokens per session, printed in `status`."""
    program.ok("add", "Run the migrations of ledger-gateway before its tests", "--kind", "runbook")
    assert program.ok("status")["last_session_tokens"] == 0
    start(program)
    found = program.ok("status")
    assert (found["session_tokens"], found["last_session_tokens"] > 10) == (6000, True)
