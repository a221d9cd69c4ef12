"""`tenure doctor` runs each wired hook for real and says what is wrong."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.hosts.clients import Desk


def agents(desk: Desk) -> dict[str, Any]:
    done = desk.run(str(desk.bin / "tenure"), "--json", "doctor")
    [found] = [item for item in json.loads(done.stdout)["checks"] if item["name"] == "agents"]
    return dict(found)


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def test_a_wired_agent_is_proved_by_running_its_hooks(desk: Desk) -> None:
    """Issue 8: doctor checks each wiring for real, and says when a client silently ignores hooks."""
    assert "none is wired" in agents(desk)["detail"]
    desk.tenure("install", "claude-code", "--project", "--yes")
    desk.tenure("install", "codex", "--yes")
    found = agents(desk)
    assert found["ok"], found
    assert "Claude Code (project): 8 hooks answer, the MCP server answers" in found["detail"]
    assert "Codex CLI (user): 7 hooks answer, the MCP server answers" in found["detail"] and "/hooks" in found["detail"]


def test_a_program_that_is_gone_is_noticed(desk: Desk) -> None:
    """A hook that cannot start fails silently in every client."""
    desk.tenure("install", "claude-code", "--project", "--yes")
    settings = desk.project / ".claude" / "settings.json"
    settings.write_text(settings.read_text().replace("tenure hook prompt", "/gone/tenure hook prompt"))
    found = agents(desk)
    assert not found["ok"] and "settings.json" in found["detail"] and "tenure install" in found["hint"]


def test_a_program_that_only_a_projects_file_names_is_not_run(desk: Desk) -> None:
    """S20, issue 13: doctor runs the line that `install` would write, never what a clone's settings say."""
    desk.tenure("install", "claude-code", "--project", "--yes")
    witness = desk.project / "witness"
    evil = desk.project / "tools" / "tenure"
    evil.parent.mkdir()
    evil.write_text(f"#!/bin/sh\ntouch {witness}\n")
    evil.chmod(0o755)
    settings = desk.project / ".claude" / "settings.json"
    held = json.loads(settings.read_text())
    held["hooks"]["Notification"] = [{"hooks": [{"type": "command", "command": f"{evil} hook prompt"}]}]
    settings.write_text(json.dumps(held, indent=2))
    agents(desk)
    assert not witness.exists()


def test_hooks_of_the_user_name_an_absolute_program_and_a_project_s_file_the_name(desk: Desk) -> None:
    """Issue 17: an agent started from a menu has no search path to speak of; a shared file has no machine."""
    desk.tenure("install", "claude-code", "--yes")
    desk.tenure("install", "claude-code", "--project", "--yes")
    users = next(path for path in desk.home.rglob("settings.json") if path.parent.name == ".claude")
    for path, absolute in ((users, True), (desk.project / ".claude" / "settings.json", False)):
        [hook] = json.loads(path.read_text())["hooks"]["Stop"][0]["hooks"]
        assert hook["command"].startswith("/") == absolute
        assert hook["command"].endswith("tenure hook stop")


def test_a_folder_that_cannot_be_written_is_named(desk: Desk) -> None:
    """Issue 17: doctor checks also a folder that cannot be written."""
    checks = json.loads(desk.run(str(desk.bin / "tenure"), "--json", "doctor").stdout)["checks"]
    assert [item["ok"] for item in checks if item["name"] == "folder"] == [True]
    done = desk.run(str(desk.bin / "tenure"), "--json", "--store", "sqlite:/proc/nowhere/memory.db", "doctor")
    [found] = [item for item in json.loads(done.stdout)["checks"] if item["name"] == "folder"]
    assert not found["ok"]
    assert "cannot be written" in found["detail"]
