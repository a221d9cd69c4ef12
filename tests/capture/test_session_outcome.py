"""What came of a session: the effect issue's list of signs, and its rule that unknown is never 0."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from tenure.capture.session_builder import Session
from tenure.capture.session_outcome import after, outcome
from tenure.capture.transcripts import Call, Turn
from tenure.store.records import SessionOutcome

NOW = datetime(2026, 4, 3, 15, 0, tzinfo=UTC)


def at(minute: int) -> str:
    return f"2026-04-03T14:{minute:02d}:00.250Z"


def said(minute: int, text: str) -> Turn:
    return Turn("user", text, (), at(minute))


def did(minute: int, *calls: Call) -> Turn:
    for call in calls:
        call.at = at(minute)
    return Turn("tool", "", tuple(call.tool for call in calls), at(minute), calls=calls)


def ran(command: str, *, ok: bool | None = True, error: int = 0) -> Call:
    call = Call("Bash", {"command": command}, ok=ok)
    call.error = error
    return call


def edited(old: str, new: str, path: str = "a.py") -> Call:
    return Call("Edit", {"file_path": path, "old_string": old, "new_string": new}, ok=True)


def read(*turns: Turn, journal: Any = (), **more: Any) -> SessionOutcome:
    given = {name: more.pop(name) for name in ("headless", "interruptions", "tokens", "model") if name in more}
    return outcome(Session("s", "claude-code", "", list(turns), **given), journal, NOW, **more).outcome


def test_a_session_that_nobody_can_read_is_unknown_in_everything() -> None:
    found = read()
    unknown = ("corrections", "interruptions", "failed_commands", "same_errors", "edits_taken_back", "ended_red")
    assert [getattr(found, name) for name in (*unknown, "violations", "turns", "tokens", "seconds", "model")] == [
        None
    ] * 11
    assert found.troubled is None and found.trouble_at is None


def test_a_quiet_session_is_known_to_be_quiet() -> None:
    found = read(said(0, "add a test"), did(3, ran("pytest tests/test_a.py")), said(5, "thanks"), tokens=120, model="m")
    assert (found.corrections, found.failed_commands, found.same_errors, found.ended_red) == (0, 0, 0, False)
    assert (found.turns, found.seconds, found.tokens, found.model) == (2, 300, 120, "m")
    assert found.troubled is False and found.trouble_at is None


def test_a_correction_has_the_time_of_the_answer_it_rejects() -> None:
    """Events before the exposure were counted by others: the prompt that corrects is the one that shows a memory."""
    found = read(said(0, "use the cache"), did(2, ran("ls")), said(9, "no, that's wrong, use redis"))
    assert found.corrections == 1 and found.trouble_at == "2026-04-03T14:02:00Z"
    assert after(found.trouble_at, "2026-04-03T14:01:00Z")
    assert not after(found.trouble_at, "2026-04-03T14:09:00Z")


def test_a_no_that_answers_nobody_is_no_correction() -> None:
    assert read(said(0, "no tests are there yet, write some"), did(1, ran("ls"))).corrections == 0


def test_runs_nobody_sat_at_have_no_corrections_to_count() -> None:
    assert read(did(0, ran("ls")), said(1, "no, wrong"), headless=True).corrections is None


def test_the_last_proof_counts_not_the_ones_before() -> None:
    red, green = ran("pytest", ok=False, error=5), ran("pytest")
    assert read(did(1, red), did(2, green)).ended_red is False
    assert read(did(1, ran("pytest")), did(2, ran("pytest", ok=False, error=5))).ended_red is True
    assert read(did(1, ran("ls", ok=False))).ended_red is None


def test_the_same_error_again_is_known_within_and_across_sessions() -> None:
    twice = read(
        did(1, ran("pytest", ok=False, error=5)), did(4, ran("pytest", ok=False, error=5)), did(5, ran("pytest"))
    )
    assert twice.same_errors == 1 and twice.trouble_at == "2026-04-03T14:04:00Z" and twice.errors == (5,)
    across = read(did(1, ran("make test", ok=False, error=5)), did(2, ran("make test")), earlier_errors={5})
    assert across.same_errors == 1
    # An empty output is equal to every other one and says nothing.
    assert (
        read(did(1, ran("pytest", ok=False)), did(4, ran("pytest", ok=False)), did(5, ran("pytest"))).same_errors == 0
    )


@pytest.mark.parametrize(
    ("calls", "count"),
    [
        ([edited("a", "b"), edited("b", "a")], 1),
        ([edited("a", "b"), edited("b", "c")], 0),
        ([edited("a", "b"), edited("b", "a", "other.py")], 0),
        ([edited("a", "b"), ran("git checkout -- a.py")], 1),
        ([ran("git reset --hard")], 0),
        ([edited("a", "b"), ran("git checkout main")], 0),
    ],
)
def test_edits_that_were_taken_back_are_counted(calls: list[Call], count: int) -> None:
    assert read(*(did(minute, call) for minute, call in enumerate(calls))).edits_taken_back == count


def test_a_command_the_person_stopped_is_no_failure() -> None:
    stopped = ran("pytest", ok=False)
    stopped.interrupted = True
    found = read(did(1, ran("ls")), did(2, stopped), interruptions=1)
    assert (found.failed_commands, found.interruptions, found.ended_red) == (0, 1, None)


def test_without_a_transcript_the_journal_tells() -> None:
    journal = [
        {"event": "command", "what": "pytest", "ok": False, "error": 7, "at": "2026-04-03T14:01:00Z", "call": 1},
        {"event": "command", "what": "pytest", "ok": False, "error": 7, "at": "2026-04-03T14:01:00Z", "call": 1},
        {"event": "edit", "file": 3, "old": 1, "new": 2, "at": "2026-04-03T14:02:00Z"},
        {"event": "edit", "file": 3, "old": 2, "new": 1, "at": "2026-04-03T14:03:00Z"},
        {"event": "command", "what": "pytest", "ok": True, "at": "2026-04-03T14:04:00Z"},
    ]
    found = read(journal=journal)
    assert (found.failed_commands, found.same_errors, found.edits_taken_back, found.ended_red) == (1, 0, 1, False)
    assert found.corrections is None and found.trouble_at == "2026-04-03T14:03:00Z"


def test_rules_broken_are_counted_where_somebody_counts_them() -> None:
    assert read(said(0, "hi"), violations=[]).violations == 0
    found = read(said(0, "hi"), violations=[at(7)])
    assert found.violations == 1 and found.troubled is True and found.trouble_at == "2026-04-03T14:07:00Z"


def test_trouble_without_a_time_counts_for_every_exposure() -> None:
    assert after("", "2026-04-03T14:09:00Z") and not after(None, "2026-04-03T14:09:00Z")
