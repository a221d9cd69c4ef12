"""Guards in the real clients: what is stopped does not happen, and the model is told why."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.hosts.clients import Desk, claude
from tests.hosts.stand_in import model

pytestmark = pytest.mark.clients

# Client -> the call that runs a line, and what else it must be given.
RUNS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "claude-code": ("Bash", "command", {"description": "x"}),
    "codex": ("exec_command", "cmd", {}),
    "copilot": ("bash", "command", {"description": "x", "mode": "sync", "initial_wait": 30}),
    "gemini": ("run_shell_command", "command", {}),
    "qwen": ("run_shell_command", "command", {"is_background": False}),
    "opencode": ("bash", "command", {"description": "x"}),
}
RULE = "Never write marks with touch; the Makefile makes them"
# Agents that hand on what is said before a call.
REMINDED = ("claude-code", "codex", "copilot")


def desk_with(client: str, folder: Path, level: str) -> Desk:
    if (claude() if client == "claude-code" else shutil.which(client)) is None:
        pytest.skip(f"{client} is not installed; see scripts/test-clients")
    desk = Desk(folder)
    desk.settle(client)
    desk.environment["TENURE_UNATTENDED"] = "1"
    desk.tenure("add", RULE, "--id", "marks")
    examples = (
        "--fires",
        "run touch a",
        "--fires",
        "run touch b",
        "--passes",
        "run ls",
        "--passes",
        "run echo touch a",
    )
    step = ("--deny-now",) if level == "deny" else ("--level", level)
    desk.tenure("guard", "marks", "--command", "touch", *examples, *step)
    desk.tenure("install", client, "--yes")
    return desk


def call(client: str, line: str) -> tuple[str, dict[str, Any]]:
    name, key, more = RUNS[client]
    return name, {key: line, **more}


@pytest.mark.parametrize("client", RUNS)
def test_a_denied_call_does_not_happen_and_the_model_is_told_why(client: str, tmp_path: Path) -> None:
    """Issue 19: deny stops the call in every client."""
    desk = desk_with(client, tmp_path, "deny")
    with model() as server:
        server.script = [call(client, "touch made && echo done"), call(client, "echo free > free")]
        done = desk.asked(client, server, "go on please")
    assert not (desk.project / "made").exists(), done.stdout + done.stderr
    assert "the Makefile makes them" in server.seen and "tenure allow marks" in server.seen
    assert (desk.project / "free").exists(), "what no guard means must run"


@pytest.mark.parametrize("client", RUNS)
def test_asking_without_a_person_stops_the_call(client: str, tmp_path: Path) -> None:
    """Issue 19: ask where the host can ask, otherwise deny and say how to allow it; headless nobody can answer."""
    desk = desk_with(client, tmp_path, "ask")
    with model() as server:
        server.script = [call(client, "touch made")]
        done = desk.asked(client, server, "go on please")
    assert not (desk.project / "made").exists(), done.stdout + done.stderr


@pytest.mark.parametrize("client", RUNS)
def test_a_reminder_arrives_or_slows_the_call_down_once(client: str, tmp_path: Path) -> None:
    """Issue 19: remind by context where it arrives, otherwise a speed bump: the same call passes the second time."""
    desk = desk_with(client, tmp_path, "remind")
    with model() as server:
        server.script = [call(client, "touch made"), call(client, "touch made")]
        done = desk.asked(client, server, "go on please")
    assert "the Makefile makes them" in server.seen, done.stdout + done.stderr
    assert (desk.project / "made").exists(), done.stdout + done.stderr
    outcomes = [fire["call"] for fire in desk.tenure("guards")["guards"][0]["unjudged"]]
    assert outcomes == (["reminded", "reminded"] if client in REMINDED else ["slowed", "reminded"])
