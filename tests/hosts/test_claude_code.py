"""The real Claude Code with a model stand-in: what it runs, what the model is really sent."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.hosts.clients import PLUGIN, Desk, claude
from tests.hosts.stand_in import model

pytestmark = [
    pytest.mark.skipif(claude() is None, reason="Claude Code is not installed; see scripts/test-clients"),
    pytest.mark.clients,
]

CORRECTION = "No, use tabs instead of spaces in the Makefile."
QUESTION = "indent the Makefile with tabs or spaces?"


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def learned(desk: Desk) -> list[str]:
    """Return the states of all memories after what was said has been learned from."""
    desk.learn()
    return [item["state"] for item in desk.tenure("list")["memories"]]


@pytest.mark.parametrize("how", ["plugin", "install --user", "install --project"])
def test_a_correction_made_twice_reaches_the_third_session(how: str, desk: Desk) -> None:
    """Issue 8: a correction in sessions 1 and 2 becomes a live memory that session 3 is really sent."""
    words = ("--plugin-dir", str(PLUGIN)) if how == "plugin" else ()
    if how != "plugin":
        desk.tenure("install", "claude-code", how.split()[1], "--yes")
    with model() as first:
        done = desk.claude(first, CORRECTION, *words)
        assert done.returncode == 0, done.stdout + done.stderr
    assert learned(desk) == ["candidate"]
    with model() as second:
        desk.claude(second, CORRECTION, *words)
        assert "memory-context" not in second.seen
    assert learned(desk) == ["provisional"]
    [memory] = desk.tenure("list")["memories"]
    with model() as third:
        third.says = f"Tabs, as {memory['id']} says."
        done = desk.claude(third, QUESTION, *words)
        assert done.returncode == 0, done.stdout + done.stderr
        assert memory["id"] in third.seen and "Use tabs instead of spaces" in third.seen
    desk.learn()
    applied = [e for e in desk.tenure("history", memory["id"])["events"] if e["type"] == "Applied"]
    assert [(e["detail"]["surface"], e["actor"]) for e in applied] == [("outcome:cited", "claude-code")]
    assert desk.tenure("why", memory["id"])["injections"][0]["run"]


def test_the_plugin_and_the_marketplace_are_valid(desk: Desk) -> None:
    """Issue 8: `claude plugin validate --strict` passes."""
    client = claude()
    assert client
    for folder in (PLUGIN, PLUGIN.parent):
        done = desk.run(client, "plugin", "validate", "--strict", str(folder), DISABLE_AUTOUPDATER="1")
        assert done.returncode == 0, done.stdout + done.stderr


def test_the_client_connects_to_the_server(desk: Desk) -> None:
    """Issue 8: `claude mcp list` connects."""
    client = claude()
    assert client
    desk.tenure("install", "claude-code", "--yes")
    done = desk.run(client, "mcp", "list", DISABLE_AUTOUPDATER="1")
    assert "tenure" in done.stdout and "Connected" in done.stdout, done.stdout + done.stderr


def test_a_memory_about_a_file_is_sent_before_the_edit(desk: Desk) -> None:
    """Pre-tool: memories about the file at hand, as the model really gets them."""
    # A file that is not there yet: the client refuses to write over one it has not read before it calls any hook.
    memory = desk.tenure("add", "The recipes run under dash, not bash", "--file", "rules.mk")
    desk.tenure("install", "claude-code", "--project", "--yes")
    with model() as server:
        server.script = [
            ("Bash", {"command": "echo hi"}),
            ("Write", {"file_path": str(desk.project / "rules.mk"), "content": "x"}),
        ]
        done = desk.claude(server, "go")
        assert done.returncode == 0, done.stdout + done.stderr
        assert memory["id"] in server.seen and "under dash" in server.seen


def test_uninstalling_after_real_sessions_leaves_the_settings_as_they_were(desk: Desk) -> None:
    """Issue 8: uninstall leaves every settings file byte-identical to before."""
    settings = desk.home / ".claude" / "settings.json"
    settings.parent.mkdir()
    settings.write_text('{\n  "includeCoAuthoredBy": false\n}\n')
    before = settings.read_bytes()
    desk.tenure("install", "claude-code", "--yes")
    with model() as server:
        desk.claude(server, "hello")
    desk.tenure("uninstall", "claude-code", "--yes")
    assert settings.read_bytes() == before
    state = json.loads((desk.home / ".claude.json").read_bytes())
    assert "tenure" not in state.get("mcpServers", {})
