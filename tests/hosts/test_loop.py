"""Every client that can be run offline, for real: our block is in the request that the model stand-in received."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.hosts.clients import PLUGIN, Desk
from tests.hosts.stand_in import model

pytestmark = pytest.mark.clients

CORRECTION = "No, use tabs instead of spaces in the Makefile."
QUESTION = "indent the Makefile with tabs or spaces?"
# Client -> whether a session without a person at it ends with an event; the others are over by lying still.
ENDS = {"codex": True, "copilot": True, "gemini": True, "qwen": False, "opencode": False}
# Client -> the call that writes notes.txt.
WRITES = {
    "codex": (
        "exec_command",
        {"cmd": "apply_patch <<E\n*** Begin Patch\n*** Add File: notes.txt\n+x\n*** End Patch\nE"},
    ),
    "copilot": ("create", {"path": "{project}/notes.txt", "file_text": "x"}),
    "gemini": ("write_file", {"file_path": "notes.txt", "content": "x"}),
    "qwen": ("write_file", {"file_path": "{project}/notes.txt", "content": "x"}),
}


def desk_with(client: str, folder: Path) -> Desk:
    if shutil.which(client) is None:
        pytest.skip(f"{client} is not installed; see scripts/test-clients")
    desk = Desk(folder)
    desk.settle(client)
    return desk


def learned(desk: Desk, client: str) -> list[str]:
    desk.learn(idle=not ENDS[client])
    return [item["state"] for item in desk.tenure("list")["memories"]]


@pytest.mark.parametrize("client", ENDS)
def test_a_correction_made_twice_reaches_the_third_session(client: str, tmp_path: Path) -> None:
    """Issue 8, in each client: two corrections, a live memory, what the model is sent, the application in the log."""
    desk = desk_with(client, tmp_path)
    desk.tenure("install", client, "--yes")
    for states in (["candidate"], ["provisional"]):
        with model() as server:
            done = desk.asked(client, server, CORRECTION)
            assert done.returncode == 0 and server.requests, done.stdout + done.stderr
            assert "memory-context" not in server.seen
        assert learned(desk, client) == states
    [memory] = desk.tenure("list")["memories"]
    with model() as server:
        server.says = f"Tabs, as {memory['id']} says."
        done = desk.asked(client, server, QUESTION)
        assert memory["id"] in server.seen and "Use tabs instead of spaces" in server.seen, done.stdout + done.stderr
    assert learned(desk, client) == ["provisional"]
    applied = [e for e in desk.tenure("history", memory["id"])["events"] if e["type"] == "Applied"]
    assert [(e["detail"]["surface"], e["actor"]) for e in applied] == [("outcome:cited", client)]
    assert desk.tenure("why", memory["id"])["injections"][0]["agent"] == client


@pytest.mark.parametrize("client", ENDS)
def test_a_project_is_wired_by_its_own_files(client: str, tmp_path: Path) -> None:
    """`tenure install --project`: the files of a repository are enough, in a folder that is trusted."""
    desk = desk_with(client, tmp_path)
    desk.tenure("add", "Use tabs instead of spaces in the Makefile", "--id", "tabs")
    desk.tenure("install", client, "--project", "--yes")
    with model() as server:
        done = desk.asked(client, server, QUESTION)
        assert "* tabs ·" in server.seen, done.stdout + done.stderr


@pytest.mark.parametrize("client", ["codex", "copilot"])
def test_the_plugin_is_the_same_for_every_client(client: str, tmp_path: Path) -> None:
    """Issue 8: the plugin installs unchanged; its hooks answer."""
    desk = desk_with(client, tmp_path)
    desk.tenure("add", "Use tabs instead of spaces in the Makefile", "--id", "tabs")
    for words in (
        ("marketplace", "add", str(PLUGIN.parent)),
        ("add" if client == "codex" else "install", "tenure@tenure"),
    ):
        done = desk.run(client, "plugin", *words)
        assert done.returncode == 0, done.stdout + done.stderr
    with model() as server:
        done = desk.asked(client, server, QUESTION)
        assert "* tabs ·" in server.seen, done.stdout + done.stderr


@pytest.mark.parametrize("client", WRITES)
def test_a_memory_about_a_file_is_sent_with_the_write(client: str, tmp_path: Path) -> None:
    """Pre-tool: before the call where the client hands that on, with its result where it drops it (Gemini, Qwen)."""
    desk = desk_with(client, tmp_path)
    desk.tenure("add", "The recipes run under dash, not bash", "--id", "dash", "--file", "notes.txt")
    desk.tenure("install", client, "--yes")
    name, given = WRITES[client]
    with model() as server:
        server.script = [(name, {key: text.format(project=desk.project) for key, text in given.items()})]
        done = desk.asked(client, server, "go on please")
        assert len(server.requests) > 1 and "* dash ·" in server.seen, done.stdout + done.stderr


@pytest.mark.parametrize("client", ENDS)
def test_uninstalling_after_a_real_session_leaves_the_settings_as_they_were(client: str, tmp_path: Path) -> None:
    """Issue 8: uninstall leaves every settings file byte-identical to before."""
    desk = desk_with(client, tmp_path)
    with model() as server:
        # A client writes and migrates settings of its own in its first session.
        desk.asked(client, server, "hello")
        paths = [Path(change["path"]) for change in desk.tenure("install", client, "--dry-run")["changes"]]
        before = [path.read_bytes() if path.exists() else None for path in paths]
        desk.tenure("install", client, "--yes")
        assert all(b"tenure" in path.read_bytes() for path in paths)
        desk.asked(client, server, "hello")
        desk.tenure("uninstall", client, "--yes")
    assert [path.read_bytes() if path.exists() else None for path in paths] == before


def test_cline_gets_the_tools_and_the_rule(tmp_path: Path) -> None:
    """Cline takes memories through the MCP server, and is told of it by a rule in the project."""
    desk = desk_with("cline", tmp_path)
    desk.tenure("install", "cline", "--yes")
    desk.tenure("install", "cline", "--project", "--yes")
    with model() as server:
        done = desk.cline(server, "go on please")
    offered = [tool["function"]["name"] for tool in server.requests[0]["tools"]]
    assert any("inject" in name for name in offered), (offered, done.stderr)
    assert "holds what earlier sessions learned about this project" in server.seen
