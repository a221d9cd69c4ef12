"""The catalog of agents: one module each, and the flat tables that start-up reads name the same agents."""

from __future__ import annotations

from pathlib import Path

import pytest

from tenure.hosts import agent_detection, api, catalog
from tenure.surfaces.hooks import host as shapes

DOCS = Path(__file__).parents[2] / "docs" / "agents"
HOSTS = list(catalog.HOSTS.values())


@pytest.mark.parametrize("host", HOSTS, ids=lambda host: host.name)
def test_an_agent_is_one_module_and_one_page(host: api.Host) -> None:
    """Issue 14, step 6: adding a tenth agent is one file and one row."""
    module = Path(api.__file__).with_name(host.name.replace("-", "_") + ".py")
    assert "HOST = Host(" in module.read_text("utf-8")
    assert (DOCS / f"{host.name}.md").is_file()


def test_the_tables_read_at_start_up_name_agents_of_the_catalog() -> None:
    """A mark of an agent nobody can wire would be a spelling mistake; `agent` stands for any other."""
    named = {
        *agent_detection.VARIABLES.values(),
        *agent_detection.PROGRAMS.values(),
        *dict(shapes.MARKS),
        *shapes.TOP_LEVEL,
    }
    assert named - {"agent"} <= catalog.HOSTS.keys()


@pytest.mark.parametrize("host", [host for host in HOSTS if host.client], ids=lambda host: host.name)
def test_a_client_that_can_be_run_is_recognised_among_the_ancestors(host: api.Host) -> None:
    """Issue 15: some hosts set no variable, so an ancestor that is a known client is a mark too."""
    if host.tried:
        assert agent_detection.PROGRAMS[host.client] == host.name


def test_the_folder_of_an_agent_follows_its_variable(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """With CLAUDE_CONFIG_DIR Claude Code keeps `.claude.json` inside that folder."""
    claude = catalog.host("claude-code")
    server = claude.user[1]
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("CLAUDE_CONFIG_DIR", raising=False)
    assert api.place(server, claude, tmp_path) == tmp_path / ".claude.json"
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "elsewhere"))
    assert api.place(server, claude, tmp_path) == tmp_path / "elsewhere" / ".claude.json"
