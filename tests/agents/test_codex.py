"""The real Codex CLI with a model stand-in. Skipped without the client."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.agents.clients import PLUGIN, Desk, model

pytestmark = [
    pytest.mark.skipif(shutil.which("codex") is None, reason="Codex is not installed; see scripts/test-clients"),
    pytest.mark.clients,
]


@pytest.mark.parametrize("how", ["plugin", "install"])
def test_codex_runs_the_same_hooks(how: str, tmp_path: Path) -> None:
    """Issue 8: Codex runs the same plugin; a correction in two sessions is sent to the third."""
    desk = Desk(tmp_path)
    with model() as server:
        desk.settle_codex(server)
        if how == "plugin":
            assert desk.run("codex", "plugin", "marketplace", "add", str(PLUGIN.parent)).returncode == 0
            assert desk.run("codex", "plugin", "add", "tenure@tenure").returncode == 0
        else:
            desk.tenure("install", "codex", "--yes")
        for _ in range(2):
            done = desk.codex("No, use tabs instead of spaces in the Makefile.")
            assert done.returncode == 0, done.stdout + done.stderr
            desk.learn()
        [memory] = desk.tenure("list")["memories"]
        assert memory["state"] == "provisional" and memory["id"] not in server.seen
        desk.codex("indent the Makefile with tabs or spaces?")
        assert memory["id"] in server.seen
