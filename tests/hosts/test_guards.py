"""Guards in the real clients: what is stopped does not happen, and the model is told why."""

from __future__ import annotations

import json
import shutil
import sys
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


# An MCP server in one page: a tool that writes a file, as the file servers in use name theirs.
SERVER = """
import json, pathlib, sys
TOOL = {"name": "write_file", "description": "Write a file", "inputSchema": {"type": "object",
        "properties": {"path": {"type": "string"}, "content": {"type": "string"}}, "required": ["path", "content"]}}
for line in sys.stdin:
    asked = json.loads(line)
    if "id" not in asked:
        continue
    if asked["method"] == "initialize":
        answer = {"protocolVersion": asked["params"]["protocolVersion"], "capabilities": {"tools": {}},
                  "serverInfo": {"name": "files", "version": "1"}}
    elif asked["method"] == "tools/list":
        answer = {"tools": [TOOL]}
    elif asked["method"] == "tools/call":
        given = asked["params"]["arguments"]
        pathlib.Path(given["path"]).write_text(given["content"])
        answer = {"content": [{"type": "text", "text": "written"}]}
    else:
        answer = {}
    print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": answer}), flush=True)
"""
GEN = "Never edit files under `gen/`; make gen writes them"


def desk_with_files(folder: Path, tool: str, level: str) -> Desk:
    """A project whose `gen/` is guarded, wired after the guard was switched on."""
    if claude() is None:
        pytest.skip("claude-code is not installed; see scripts/test-clients")
    desk = Desk(folder)
    desk.environment["TENURE_UNATTENDED"] = "1"
    (desk.project / "gen").mkdir()
    (desk.project / "gen" / "old.txt").write_text("what gen holds\n")
    desk.tenure("add", GEN, "--id", "gen")
    verb = "read" if tool == "read" else "edit"
    examples = [word for name in "ab" for word in ("--fires", f"{verb} gen/{name}", "--passes", f"{verb} src/{name}")]
    step = ("--deny-now",) if level == "deny" else ("--level", level)
    desk.tenure("guard", "gen", "--tool", tool, "--path", "gen/", *examples, *step)
    desk.tenure("install", "claude-code", "--yes")
    (desk.project / "server.py").write_text(SERVER)
    servers = {"mcpServers": {"files": {"command": sys.executable, "args": [str(desk.project / "server.py")]}}}
    (desk.project / "servers.json").write_text(json.dumps(servers))
    return desk


@pytest.mark.parametrize("level", ["deny", "remind"])
def test_a_guard_meets_a_tool_of_an_mcp_server(level: str, tmp_path: Path) -> None:
    """Issue 19: in Claude Code also Read and MCP tools where a guard needs them."""
    desk = desk_with_files(tmp_path, "any", level)
    asked = [("mcp__files__write_file", {"path": f"{place}/new.txt", "content": "x"}) for place in ("gen", ".")]
    with model() as server:
        server.script = asked
        words = ("--mcp-config", "servers.json", "--allowedTools", "mcp__files__write_file")
        done = desk.claude(server, "go on please", *words)
    assert (desk.project / "new.txt").exists(), done.stdout + done.stderr
    assert (desk.project / "gen" / "new.txt").exists() is (level == "remind"), done.stdout + done.stderr
    told = "This project's memory stops this call" if level == "deny" else "memory about what is at hand"
    assert told in server.seen and "make gen writes them" in server.seen


@pytest.mark.parametrize("level", ["deny", "remind"])
def test_a_guard_meets_reading(level: str, tmp_path: Path) -> None:
    """Issue 19: the hook is asked before Read where a guard that is on needs it."""
    desk = desk_with_files(tmp_path, "read", level)
    (desk.project / "other.txt").write_text("what nobody guards\n")
    with model() as server:
        server.script = [
            ("Read", {"file_path": str(desk.project / "gen" / "old.txt")}),
            ("Read", {"file_path": str(desk.project / "other.txt")}),
        ]
        done = desk.claude(server, "go on please")
    assert "what nobody guards" in server.seen, done.stdout + done.stderr
    assert ("what gen holds" in server.seen) is (level == "remind")
    told = "This project's memory stops this call" if level == "deny" else "memory about what is at hand"
    assert told in server.seen and "make gen writes them" in server.seen
    outcomes = [fire["call"] for fire in desk.tenure("guards")["guards"][0]["unjudged"]]
    assert outcomes == ["denied" if level == "deny" else "reminded"]
