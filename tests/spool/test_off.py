"""`tenure off`: hooks fall silent where the user says so, and nowhere else."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.program import Program

SESSION = "11111111-2222-3333-4444-555555555555"


def said(program: Program, session: str = SESSION, **environment: str) -> str:
    """Return what the prompt hook answers in a session."""
    event = {"session_id": session, "cwd": str(program.folder), "prompt": "why do the integration tests fail?"}
    done = program("hook", "prompt", stdin=json.dumps(event).encode(), CLAUDECODE="1", **environment)
    assert (done.status, done.err) == (0, b"")
    return done.text


@pytest.fixture
def wired(program: Program) -> Program:
    program.ok("add", "Run make db before the integration tests", "--id", "make-db")
    assert "make-db" in said(program, "before")
    return program


def test_the_variable_silences_every_hook(wired: Program) -> None:
    """Issue 14: `TENURE_OFF=1`."""
    assert said(wired, TENURE_OFF="1") == ""
    assert "because TENURE_OFF is set" in wired("status", TENURE_OFF="1").text
    assert "make-db" in said(wired, TENURE_OFF="0")


def test_a_project_is_silent_until_it_is_switched_on(wired: Program, tmp_path: Path) -> None:
    """Issue 14: `tenure off --project`, shown by `status`."""
    other = Program(tmp_path / "other", wired.home)
    other.folder.mkdir()
    other.ok("add", "Run make db before the integration tests", "--id", "theirs")
    wired.ok("off", "--project")
    assert said(wired) == ""
    assert "theirs" in said(other)
    assert "off in this project. Turn them back on with: tenure on --project" in wired("status").text
    assert wired.ok("on", "--project")["changed"] is True
    assert "make-db" in said(wired)
    assert "Hooks are" not in wired("status").text


def test_a_session_is_silent_and_the_next_is_not(wired: Program) -> None:
    """Issue 14: `tenure off --session`, typed where the session is known by its variable."""
    found = wired.ok("off", "--session", CLAUDE_CODE_SESSION_ID=SESSION)
    assert found["name"] == SESSION
    assert said(wired) == ""
    assert "make-db" in said(wired, "another")


def test_the_last_session_of_the_project_is_meant_in_another_terminal(wired: Program) -> None:
    """Our choice: hooks told which session goes on here."""
    event = {"session_id": SESSION, "cwd": str(wired.folder), "source": "startup"}
    wired("hook", "session-start", stdin=json.dumps(event).encode(), CLAUDECODE="1")
    assert wired.ok("off", "--session")["name"] == SESSION


def test_without_a_session_it_says_so(wired: Program) -> None:
    refused = wired("off", "--session")
    assert (refused.status, "tenure off --project" in refused.errors) == (2, True)


def test_nothing_is_learned_while_hooks_are_off(wired: Program) -> None:
    """Our choice: silent means that nothing is written down either."""
    wired.ok("off")
    event = {"session_id": SESSION, "cwd": str(wired.folder), "source": "startup"}
    done = wired("hook", "session-start", stdin=json.dumps(event).encode(), CLAUDECODE="1")
    assert (done.status, done.out) == (0, b"")
    assert not [path for path in wired.home.rglob("*") if SESSION in path.name]
    assert "everywhere" in wired("status").text
    assert wired.ok("on")["changed"] is True
    assert wired.ok("on")["changed"] is False


def test_gemini_gets_its_own_nothing(wired: Program) -> None:
    """docs/agents/gemini.md: an empty document is how that client reads silence."""
    wired.ok("off")
    assert said(wired, GEMINI_SESSION_ID="g") == "{}"


def test_the_help_of_hooks_is_printed(program: Program) -> None:
    """Issue 14: `tenure hook --help` prints help."""
    done = program("hook", "--help")
    assert done.status == 0
    assert "session-start" in done.text
    assert done.text.startswith("Usage: tenure hook EVENT")
