"""The prompt hook in hosts that differ: what they read, and projects that are not trusted."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.program import Program


def ask(program: Program, variables: dict[str, str], **payload: Any) -> bytes:
    event = {"session_id": "s", "cwd": str(program.folder), "prompt": "how do I run the integration tests?", **payload}
    done = program("hook", "prompt", stdin=json.dumps(event).encode(), **variables)
    assert (done.status, done.err) == (0, b"")
    return done.out


@pytest.fixture
def known(program: Program) -> Program:
    program.ok("add", "Run make db before the integration tests", "--id", "make-db")
    return program


@pytest.mark.parametrize(
    ("variables", "event", "keys"),
    [
        ({"CLAUDECODE": "1"}, "UserPromptSubmit", ["hookSpecificOutput"]),
        ({"COPILOT_CLI": "1"}, "UserPromptSubmit", ["additionalContext"]),
        ({"GEMINI_SESSION_ID": "1"}, "BeforeAgent", ["hookSpecificOutput"]),
        ({"CURSOR_VERSION": "1"}, "beforeSubmitPrompt", ["additional_context", "continue"]),
    ],
)
def test_each_host_gets_its_shape(variables: dict[str, str], event: str, keys: list[str], known: Program) -> None:
    """Facts 7.1."""
    answer = json.loads(ask(known, variables, hook_event_name=event))
    assert list(answer) == keys and "make-db" in json.dumps(answer)


def test_gemini_hears_braces_for_silence_and_its_own_context_is_no_question(known: Program) -> None:
    """Facts 7.2: SessionStart's block is prepended to the prompt; strip it before searching."""
    gemini = {"GEMINI_SESSION_ID": "1"}
    said = "<hook_context>run the integration tests</hook_context>hello there"
    assert ask(known, gemini, prompt=said) == b"{}"


def test_memory_that_came_with_a_repository_answers_no_prompt(known: Program) -> None:
    """S20."""
    assert b"make-db" in ask(known, {"CLAUDECODE": "1"})
    (known.home / "trusted").unlink()
    assert ask(known, {"CLAUDECODE": "1"}) == b""
