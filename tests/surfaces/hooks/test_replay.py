"""What hooks showed, shown again by `tenure inject --replay`: S7, every item traceable."""

from __future__ import annotations

import json
from typing import Any

import pytest

import tenure
from tests.program import Program

ASKED: dict[str, dict[str, Any]] = {
    "prompt": {"prompt": "how do I run the integration tests of the gateway?"},
    "session-start": {"source": "startup"},
    "pre-tool": {"tool_name": "Edit", "tool_input": {"file_path": "/somewhere/Makefile"}},
}
# Old enough for the mark of age, and past every review date.
LATER = "2029-01-01T00:00:00Z"


@pytest.fixture
def stored(program: Program) -> Program:
    program.environment["TENURE_NOW"] = "2026-04-03T14:00:00Z"
    long = "Then wait for the queue to drain. " * 20
    program.ok("add", f"Run make db before the integration tests. {long}", "--file", "Makefile", "--id", "db")
    program.ok("add", "Never run the integration tests of the gateway twice", "--file", "Makefile", "--id", "never")
    program.ok("add", "Always run the integration tests of the gateway twice", "--file", "Makefile", "--id", "always")
    return program


def said(program: Program, event: str, **fields: Any) -> str:
    document = {"cwd": str(program.folder), "session_id": "s1", **fields}
    done = program("hook", event, stdin=json.dumps(document).encode(), TENURE_NO_WORKER="1", TENURE_HOOK_SECONDS="60")
    assert (done.status, done.err) == (0, b"")
    return str(done.json["hookSpecificOutput"]["additionalContext"]) if done.out else ""


@pytest.mark.parametrize("event", ASKED)
def test_what_a_hook_showed_is_replayed_to_the_letter(stored: Program, event: str) -> None:
    """Issue 7: hooks note version, length and marks; later edits and policies change nothing about the past."""
    stored.environment["TENURE_NOW"] = LATER
    block = said(stored, event, **ASKED[event])
    assert "contradicts" in block and "not checked since 2026-04-03" in block
    stored.ok("edit", "db", "--text", "Nothing needs to be run")
    stored.ok("retire", "never", "--reason", "settled")
    found = stored.ok("inject", "--replay")
    assert found["exact"] is True and found["run"] == "s1"
    assert found["block"].splitlines()[1:-1] == block.splitlines()[1:-1]
    assert all(memory["terms"] or memory["why"] for memory in found["memories"])
    since = {memory["id"]: memory["since"] for memory in found["memories"]}
    assert since["never"] == ["retired on 2029-01-01"]


@pytest.mark.parametrize("event", ASKED)
def test_what_was_forgotten_is_not_replayed(stored: Program, event: str) -> None:
    """Content that was erased never comes back, whichever hook showed it."""
    stored.environment["TENURE_NOW"] = LATER
    assert "make db" in said(stored, event, **ASKED[event])
    stored.ok("forget", "db", "--yes")
    found = stored.ok("inject", "--replay")
    assert "make db" not in json.dumps(found) and "drain" not in json.dumps(found)
    assert "forgotten on 2029-01-01" in found["block"] and found["query"] == ""
    assert stored.ok("check") is not None


def test_what_is_too_long_for_an_agent_is_neither_said_nor_noted(program: Program) -> None:
    """An agent cuts a longer text away; the trace holds what was shown and nothing else."""
    program.home.mkdir(parents=True, exist_ok=True)
    limits = "limit = 20\nbudget_chars = 40000\nleast_evidence = -100.0\nfloor_share = 0.0\n"
    (program.home / "config.toml").write_text(f"[policy.inject]\n{limits}")
    with tenure.open(folder=program.folder) as ws:
        for number, word in enumerate("alder birch cedar ebony hazel larch maple olive poplar rowan".split()):
            ws.add(f"gateway {word} " + f"{word}{number} is {word}. " * 60, id=word)
    assert said(program, "prompt", prompt="gateway alder birch cedar ebony hazel larch maple olive poplar rowan") == ""
    assert program.ok("inject", "--list") == {"injections": []}
    assert "longer than" in (program.home / "hooks.log").read_text()
