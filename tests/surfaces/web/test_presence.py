"""Who may decide on a page: the ticket is shown on a person's own terminal and nowhere else (issues 15 and 21)."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tenure.model.actor import Actor, Presence
from tenure.surfaces.web.visits import TRIES
from tenure.usecases import person_gate
from tests.program import Program
from tests.surfaces.web.asking import Pages
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


def handed() -> Actor:
    """Somebody to whom a ticket was shown on a terminal."""
    actor = Actor(user="me", surface="web", presence=Presence.TICKET)
    person_gate._handed.add(actor)
    return actor


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


def test_a_ticket_alone_only_looks_and_the_word_of_the_terminal_decides(project: Program) -> None:
    """Issue 15: the ticket stands in the browser's command line, where an agent can read it; the word does not."""
    pages = Pages(actor=handed())
    shown = pages.get("/").text
    assert "type the word" in shown and pages.door.word not in shown and 'name="decision"' not in shown
    form = {"id": "make-db", "decision": "keep"}
    assert pages.post("/decide", form).status == 423
    pages.post("/word", {"word": "nonsense"})
    assert "not the word on the terminal" in pages.get("/").text
    assert pages.post("/word", {"word": f" {pages.door.word.upper()} "}, csrf="forged").status == 403
    assert pages.post("/word", {"word": f" {pages.door.word.upper()} "}).status == 303
    assert "You may decide" in pages.get("/").text
    assert pages.post("/decide", form).status == 303


# A Ctrl-C that comes while the server starts can be lost, and then the terminal waits for minutes.
@pytest.mark.slow
def test_the_word_stands_on_a_line_of_its_own(desk: Program) -> None:
    """Fresh eyes, issue 21: at the end of a sentence behind a long address nobody saw it."""
    words = [sys.executable, "-m", "tenure", "ui", "--no-open"]
    seen = at_terminal(words, desk.folder, environment(desk), keys=("\x03",), ready="until Ctrl-C")
    line = r"^To decide on the page, type this word there:  [a-z]{6}\s*$"
    assert re.search(line, seen.screen, re.MULTILINE), seen.screen


def test_a_word_cannot_be_guessed(project: Program) -> None:
    """A choice of our own: 85 syllables, three of them, and three tries for all visits of a server."""
    pages = Pages(actor=handed())
    for _ in range(TRIES):
        pages.post("/word", {"word": "nonsense"})
    pages.post("/word", {"word": pages.door.word})
    assert not pages.visit.decides and "start tenure ui again" in pages.get("/").text
    assert pages.post("/decide", {"id": "make-db", "decision": "keep"}).status == 423


def test_where_only_looking_was_asked_for_no_word_helps(project: Program) -> None:
    pages = Pages(read_only=True, actor=handed())
    assert "type the word" not in pages.get("/").text
    assert pages.post("/word", {"word": pages.door.word}).status == 423
