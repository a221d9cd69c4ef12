"""What happens after a session: spooled, learned from once, nothing left behind."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.program import Program

CORRECTION = "No, use tabs instead of spaces in the Makefile."


def transcript(folder: Path, name: str, *said: tuple[str, str]) -> str:
    path = folder / f"{name}.jsonl"
    lines = [
        json.dumps({"type": role, "uuid": f"{name}-{n}", "message": {"role": role, "content": text}})
        for n, (role, text) in enumerate(said)
    ]
    path.write_text("\n".join(lines) + "\n")
    return str(path)


def hook(program: Program, name: str, session: str, **payload: Any) -> bytes:
    event = {"session_id": session, "cwd": str(program.folder), **payload}
    done = program(
        "hook", name, stdin=json.dumps(event).encode(), CLAUDECODE="1", TENURE_NO_WORKER="1", TENURE_HOOK_SECONDS="60"
    )
    assert done.status == 0
    return done.out


def work(program: Program) -> None:
    assert program("hook", "work").status == 0


def journals(program: Program) -> list[str]:
    folder = program.home / "sessions"
    return sorted(path.name for path in folder.iterdir()) if folder.exists() else []


def memories(program: Program) -> list[tuple[str, str]]:
    return [(item["state"], item["title"]) for item in program.ok("list")["memories"]]


def session(program: Program, tmp_path: Path, name: str, *said: tuple[str, str]) -> None:
    path = transcript(tmp_path, name, *said)
    hook(program, "session-start", name, source="startup", transcript_path=path)
    hook(program, "stop", name, transcript_path=path)
    hook(program, "session-end", name, reason="other", transcript_path=path)
    work(program)


def test_a_correction_said_in_two_sessions_becomes_a_live_memory(program: Program, tmp_path: Path) -> None:
    """Issue 8: a correction in session 1 and again in session 2 is live; nothing is injected before it has evidence."""
    session(program, tmp_path, "one", ("user", CORRECTION))
    assert memories(program) == [("candidate", "Use tabs instead of spaces in the Makefile")]
    session(program, tmp_path, "two", ("user", "wait, " + CORRECTION))
    assert memories(program) == [("provisional", "Use tabs instead of spaces in the Makefile")]
    assert journals(program) == []


def test_a_session_delivered_twice_counts_once(program: Program, tmp_path: Path) -> None:
    """R12: delivery at least once, effect once."""
    for _ in range(3):
        session(program, tmp_path, "one", ("user", CORRECTION))
    assert [state for state, _ in memories(program)] == ["candidate"]


def test_an_outcome_is_logged_once_with_its_source(program: Program, tmp_path: Path) -> None:
    """Issue 8: red to green with a cited id becomes an application, visible in history."""
    program.ok("add", "Run make db before the tests", "--id", "make-db", "--file", "Makefile")
    path = transcript(tmp_path, "s", ("user", "fix it"), ("assistant", "As make-db says, the database comes first."))
    edit = {"tool_name": "Edit", "tool_input": {"file_path": "Makefile", "old_string": "a", "new_string": "b"}}
    assert b"make-db" in hook(program, "pre-tool", "s", **edit)
    test = {"tool_name": "Bash", "tool_input": {"command": "make test"}}
    hook(program, "post-tool-failure", "s", **test, error="1 failed")
    hook(program, "post-tool", "s", **test, tool_response={"stdout": "1 passed"})
    for _ in range(2):
        hook(program, "session-end", "s", transcript_path=path)
        work(program)
    applied = [event for event in program.ok("history", "make-db")["events"] if event["type"] == "Applied"]
    assert [(event["detail"]["effect"], event["detail"]["surface"], event["actor"]) for event in applied] == [
        ("positive", "outcome:red-to-green", "claude-code")
    ]
    assert "failed, then passed" in program("history", "make-db").text


def test_a_killed_session_is_learned_from_later(program: Program, tmp_path: Path) -> None:
    """A session killed with -9 has no end; its journal is ready when it has been idle for long."""
    path = transcript(tmp_path, "dead", ("user", CORRECTION))
    hook(program, "stop", "dead", transcript_path=path)
    work(program)
    assert journals(program) == ["claude-code-dead.jsonl"]
    assert program("hook", "work", TENURE_NOW="2099-01-01T00:00:00Z").status == 0
    assert journals(program) == []
    assert [state for state, _ in memories(program)] == ["candidate"]


def test_a_worker_that_died_half_way_is_made_up_for(program: Program, tmp_path: Path) -> None:
    """R12: kill between spool and commit."""
    path = transcript(tmp_path, "half", ("user", CORRECTION))
    hook(program, "session-end", "half", transcript_path=path)
    journal = program.home / "sessions" / "claude-code-half.jsonl"
    journal.rename(journal.with_name(journal.name + ".taken"))
    work(program)
    assert journals(program) == []
    assert [state for state, _ in memories(program)] == ["candidate"]


def test_what_keeps_failing_is_kept_and_counted(program: Program, tmp_path: Path) -> None:
    """R12: failures kept and counted, pending visible."""
    program.ok("add", "Something", "--id", "x")
    program.database.write_bytes(b"broken" * 1000)
    path = transcript(tmp_path, "bad", ("user", CORRECTION))
    hook(program, "session-end", "bad", transcript_path=path)
    for _ in range(5):
        work(program)
    assert journals(program) == ["claude-code-bad.jsonl.failed"]
    assert "damaged" in (program.home / "hooks.log").read_text()
    doctor = program("--json", "doctor").json
    [found] = [item for item in doctor["checks"] if item["name"] == "sessions"]
    assert not found["ok"] and "1 session" in found["detail"]


def test_nothing_is_learned_in_a_project_that_is_not_trusted(program: Program, tmp_path: Path) -> None:
    """S20: a cloned project's memory and settings stay out of it."""
    program.ok("add", "Something", "--id", "x")
    (program.home / "trusted").unlink()
    session(program, tmp_path, "one", ("user", CORRECTION))
    assert len(memories(program)) == 1 and journals(program) == []
    assert "not trusted" in (program.home / "hooks.log").read_text()


def test_the_real_worker_ends_and_leaves_nothing(program: Program, tmp_path: Path) -> None:
    """R13: no background process needed, none left; the lock is the kernel's."""
    path = transcript(tmp_path, "one", ("user", CORRECTION))
    event = {"session_id": "one", "cwd": str(program.folder), "transcript_path": path}
    alive, inherited = os.pipe()
    done = subprocess.run(
        [sys.executable, "-m", "tenure", "hook", "session-end"],
        input=json.dumps(event).encode(),
        capture_output=True,
        env=program.variables({"CLAUDECODE": "1"}),
        cwd=program.folder,
        pass_fds=(inherited,),
        check=False,
    )
    os.close(inherited)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    # The pipe ends when the last process that inherited it has: the hook, and then the worker it started.
    assert os.read(alive, 1) == b""
    os.close(alive)
    assert journals(program) == []
    assert [state for state, _ in memories(program)] == ["candidate"]


@pytest.mark.parametrize("session_id", ["../../evil", "a/b", "x" * 300, "\u2028", "..", "C:\\x", "nul\x00"])
def test_a_session_id_never_becomes_a_path(session_id: str, program: Program) -> None:
    """S9."""
    hook(program, "stop", session_id)
    names = journals(program)
    assert len(names) == 1 and "/" not in names[0] and names[0].startswith("claude-code-")
    assert {path.name for path in program.home.iterdir()} <= {"sessions", "hooks.log", "home.toml"}
