"""The MCP Inspector lists and calls every tool. Skipped without it."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.hosts.clients import Desk

INSPECTOR = shutil.which("mcp-inspector")
pytestmark = [
    pytest.mark.skipif(INSPECTOR is None, reason="the MCP Inspector is not installed; see scripts/test-clients"),
    pytest.mark.clients,
]
CALLS = {
    "search": ["query=integration"],
    "remember": ["text=The importer needs UTF-8 names"],
    "feedback": ["id=make-db", "effect=positive"],
    "review_queue": [],
    "history": ["id=make-db"],
    "inject": ["task=run the integration tests"],
}


def eras(desk: Desk) -> list[tuple[str, ...]]:
    """Return the flags for each protocol era this Inspector knows."""
    assert INSPECTOR
    said = desk.run(INSPECTOR, "--cli", "--help")
    modern = "--protocol-era" in said.stdout + said.stderr
    return [("--protocol-era", "modern"), ("--protocol-era", "legacy")] if modern else [()]


def test_the_inspector_lists_and_calls_every_tool(tmp_path: Path) -> None:
    """Issue 8: in both protocol eras, as far as the installed Inspector knows them."""
    desk = Desk(tmp_path)
    desk.tenure("add", "Run make db before the integration tests", "--id", "make-db")
    assert INSPECTOR
    # The Inspector hands a server only a few of its own variables on.
    given_home = ("-e", f"TENURE_HOME={desk.environment['TENURE_HOME']}")
    start = (INSPECTOR, "--cli", *given_home, str(desk.bin / "tenure"), "mcp")
    for era in eras(desk):
        listed = desk.run(*start, *era, "--method", "tools/list")
        assert [tool["name"] for tool in json.loads(listed.stdout)["tools"]] == list(CALLS), listed.stderr
        for name, given in CALLS.items():
            words = [word for argument in given for word in ("--tool-arg", argument)]
            done = desk.run(*start, *era, "--method", "tools/call", "--tool-name", name, *words)
            answer = json.loads(done.stdout)
            assert not answer.get("isError") and answer["structuredContent"], (name, done.stdout, done.stderr)
