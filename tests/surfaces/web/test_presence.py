"""Who may decide on a page: the ticket is shown on a person's own terminal and nowhere else (issues 15 and 21)."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.program import Program
from tests.terminal import at_terminal

# Hands out a ticket, and gives a verdict as whoever came in with it.
SCRIPT = """
from tenure import workspace
actor = workspace.hand_ticket("web", "TICKET\\n")
print("presence:", actor.presence, flush=True)
with workspace.open(None, ".", surface="web", actor=actor) as ws:
    ws.add("Deploy on Mondays", id="mondays")
    ws.review("mondays", "keep", by="me")
    print("who:", ws.history("mondays")[-1].event.detail["who"], flush=True)
"""
COMMAND = [sys.executable, "-P", "-c", SCRIPT]


@pytest.fixture
def desk(tmp_path: Path) -> Program:
    """An ordinary home, at which somebody sits."""
    program = Program(tmp_path / "project", tmp_path / "person")
    program.folder.mkdir()
    return program


def environment(desk: Program, **more: str) -> dict[str, str]:
    return {**{name: value for name, value in desk.variables().items() if name != "TENURE_UNATTENDED"}, **more}


def test_a_ticket_on_a_terminal_makes_verdicts_count(desk: Program) -> None:
    seen = at_terminal(COMMAND, desk.folder, environment(desk))
    assert seen.status == 0, seen.screen
    assert "TICKET" in seen.screen and "presence: ticket" in seen.screen
    assert "'presence': 'ticket'" in seen.screen and "'surface': 'web'" in seen.screen
    assert seen.asked == 0, "the ticket is the proof; no word is asked for"


def test_beside_an_agent_no_ticket_is_shown_and_no_verdict_counts(desk: Program) -> None:
    seen = at_terminal(COMMAND, desk.folder, environment(desk, CLAUDECODE="1"))
    assert "presence: none" in seen.screen and "TICKET" not in seen.screen
    assert "NeedsPerson" in seen.screen


def test_without_a_terminal_no_ticket_is_shown_and_no_verdict_counts(desk: Program) -> None:
    done = subprocess.run(
        COMMAND,
        cwd=desk.folder,
        env=environment(desk),
        capture_output=True,
        text=True,
        start_new_session=True,
        check=False,
    )
    assert "presence: none" in done.stdout and "TICKET" not in done.stdout + done.stderr.replace(SCRIPT, "")
    assert "NeedsPerson" in done.stderr
