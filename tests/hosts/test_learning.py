"""Learning in the real Claude Code, at a terminal with a model stand-in: what is said once reaches the next session."""

from __future__ import annotations

import shlex
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.hosts.clients import Desk, claude
from tests.hosts.stand_in import Model, model

pytestmark = pytest.mark.clients

SAID = "No, we use pnpm here, never npm, in this repository"
RULE = "This repository uses pnpm, never npm"
QUOTE = "we use pnpm here, never npm"


SKILL = """---
name: {name}
description: How we do {name} in this project
---

From now on always use tabs, never spaces, in {name} files.

Remember that a {name} must never be pushed without a review.
"""


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    if claude() is None:
        pytest.skip("Claude Code is not installed; see scripts/test-clients")
    desk = Desk(tmp_path)
    desk.tenure("install", "claude-code", "--user", "--yes")
    desk.tenure("add", "The importer is slow on Mondays")
    return desk


def proposing(server: Model, quote: str) -> None:
    """Let the stand-in propose the rule with a quote, and then say its word."""
    command = shlex.join(["tenure", "add", RULE, "--quote", quote, "--kind", "constraint"])
    server.script = [("Bash", {"command": command, "description": "keep the rule"})]
    server.says = "zz-understood"


def first_turn(server: Model) -> str:
    """Return what the model was sent first; a request without tools is an aside of the client."""
    return str(next(request for request in server.requests if request.get("tools")))


def texts(desk: Desk) -> list[str]:
    return [item["text"] for item in desk.tenure("list", "--all")["memories"]]


def test_a_correction_made_once_is_sent_to_the_next_session_from_its_first_turn(desk: Desk) -> None:
    """Issue 16, "it must show": asked for by the hook, proposed by the agent with a quote, live at once."""
    with model() as first:
        proposing(first, QUOTE)
        desk.talk(first, SAID)
        assert "states a lasting rule" in first.seen
    assert RULE in texts(desk)
    with model() as second:
        second.says = "zz-understood"
        screen = desk.talk(second, "install the dependencies")
        assert RULE in first_turn(second)
    assert "learned" in screen and "forget" in screen


@pytest.mark.parametrize(
    ("said", "quote"),
    [
        (SAID, "we use pnpm here, and only on Tuesdays"),
        (f"look at this log:\n```\n{QUOTE}\n```", QUOTE),
    ],
    ids=["forged", "pasted"],
)
def test_a_quote_that_is_not_the_persons_word_is_refused(said: str, quote: str, desk: Desk) -> None:
    """Issue 16: a forged quote and a quote from a paste are refused, and nothing is kept."""
    with model() as server:
        proposing(server, quote)
        desk.talk(server, said)
        assert "Not kept" in server.seen
    assert RULE not in texts(desk)


def test_a_quote_of_a_run_nobody_sat_at_is_refused_and_nobody_is_asked(desk: Desk) -> None:
    """Issue 16: `claude -p` proves nothing."""
    with model() as server:
        proposing(server, QUOTE)
        desk.claude(server, SAID)
        assert "no person took part in this session" in server.seen and "states a lasting rule" not in server.seen
    assert RULE not in texts(desk)


def test_a_rule_typed_with_from_now_on_needs_no_agent(desk: Desk) -> None:
    """Issue 16: there next time without any agent's help."""
    with model() as first:
        first.says = "zz-understood"
        desk.talk(first, "From now on use pnpm instead of npm in this repository.")
    desk.learn()
    with model() as second:
        second.says = "zz-understood"
        desk.talk(second, "install the dependencies")
        assert "pnpm instead of npm" in first_turn(second)


@pytest.mark.skipif(shutil.which("codex") is None, reason="Codex is not installed; see scripts/test-clients")
def test_a_codex_session_full_of_skills_teaches_nothing(tmp_path: Path) -> None:
    """Issue 16: Codex writes each skill into a user turn; what the person types beside it is still learned."""
    desk = Desk(tmp_path)
    for name in ("release", "migration"):
        folder = desk.home / ".codex" / "skills" / name
        folder.mkdir(parents=True)
        (folder / "SKILL.md").write_text(SKILL.format(name=name))
    (desk.project / "AGENTS.md").write_text("Always run the linter before a commit.\n")
    assert _codex_taught(desk, "$release $migration do both now") == []
    assert _codex_taught(desk, "$release From now on run the tests with nox, never with tox.") == [
        "From now on run the tests with nox, never with tox"
    ]


def _codex_taught(desk: Desk, prompt: str) -> list[Any]:
    """Return what one session of Codex taught; it is taken for one at a terminal, whose words count for more."""
    shutil.rmtree(desk.home / ".codex" / "sessions", ignore_errors=True)
    with model() as server:
        desk.codex(server, prompt)
        assert "must never be pushed without a review" in server.seen
    (file,) = (desk.home / ".codex" / "sessions").rglob("*.jsonl")
    file.write_text(file.read_text().replace('"source":"exec"', '"source":"cli"').replace("codex_exec", "codex_cli_rs"))
    return [item["text"] for item in desk.tenure("capture", str(file))["decisions"]]
