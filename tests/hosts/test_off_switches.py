"""Settings that make the real clients silently skip hooks, and doctor, which names them."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.hosts.clients import SETTLED, Desk
from tests.hosts.stand_in import model

# Agent, its program, the file below the home folder, what is in it, what doctor says of it.
SWITCHES = [
    ("claude-code", "claude", ".claude/settings.json", '{"disableAllHooks": true}', "disableAllHooks is true"),
    ("codex", "codex", ".codex/config.toml", "[features]\nhooks = false\n", "features.hooks is false"),
    (
        "gemini",
        "gemini",
        ".gemini/settings.json",
        '{"hooksConfig": {"enabled": false}}',
        "hooksConfig.enabled is false",
    ),
    ("qwen", "qwen", ".qwen/settings.json", '{"disableAllHooks": true}', "disableAllHooks is true"),
]


def agents(desk: Desk) -> dict[str, Any]:
    done = desk.run(str(desk.bin / "tenure"), "--json", "doctor")
    [found] = [item for item in json.loads(done.stdout)["checks"] if item["name"] == "agents"]
    return dict(found)


def switched_off(desk: Desk, agent: str, file: str, text: str) -> None:
    path = desk.home / file
    path.parent.mkdir(exist_ok=True)
    if agent == "gemini":
        text = json.dumps(json.loads(text) | json.loads(SETTLED["gemini"][1]))
    path.write_text(text)
    desk.tenure("add", "Use tabs instead of spaces in the Makefile", "--id", "tabs")
    desk.tenure("install", agent, "--yes")


@pytest.mark.parametrize(("agent", "client", "file", "text", "said"), SWITCHES)
def test_doctor_names_the_setting_that_turns_hooks_off(
    agent: str, client: str, file: str, text: str, said: str, tmp_path: Path
) -> None:
    """Issue 8: doctor says when a client silently ignores hooks."""
    desk = Desk(tmp_path)
    switched_off(desk, agent, file, text)
    found = agents(desk)
    assert not found["ok"] and said in found["detail"] and file in found["detail"], found


@pytest.mark.clients
@pytest.mark.parametrize(("agent", "client", "file", "text", "said"), SWITCHES)
def test_the_real_client_does_ignore_its_hooks_then(
    agent: str, client: str, file: str, text: str, said: str, tmp_path: Path
) -> None:
    """The fact behind what doctor says."""
    if shutil.which(client) is None:
        pytest.skip(f"{client} is not installed; see scripts/test-clients")
    desk = Desk(tmp_path)
    switched_off(desk, agent, file, text)
    with model() as server:
        done = desk.asked(agent, server, "indent the Makefile with tabs or spaces?")
        assert server.requests and "* tabs ·" not in server.seen, done.stdout + done.stderr


@pytest.mark.parametrize(("agent", "list"), [("copilot", "config.json"), ("gemini", "trustedFolders.json")])
def test_doctor_says_that_a_projects_hooks_need_trust(agent: str, list: str, tmp_path: Path) -> None:
    """A folder that is not trusted has its hooks passed over."""
    desk = Desk(tmp_path)
    desk.tenure("install", agent, "--project", "--yes")
    assert f"it is not in {desk.home}/.{agent}/{list}" in agents(desk)["detail"]
    here = str(desk.project)
    trusted = {here: "TRUST_FOLDER"} if agent == "gemini" else {"trustedFolders": [here]}
    path = desk.home / f".{agent}" / list
    path.parent.mkdir(exist_ok=True)
    path.write_text("// kept by the client\n" + json.dumps(trusted))
    assert "if you trust" not in agents(desk)["detail"]


def test_doctor_remarks_on_a_client_older_than_those_tried(tmp_path: Path) -> None:
    """An old client ignores hooks it does not know."""
    desk = Desk(tmp_path)
    old = desk.bin / "gemini"
    old.write_text("#!/bin/sh\necho 0.9.0\n")
    old.chmod(0o755)
    desk.tenure("install", "gemini", "--yes")
    found = agents(desk)
    assert found["ok"] and "0.9.0 is older than 0.61.0" in found["detail"], found
