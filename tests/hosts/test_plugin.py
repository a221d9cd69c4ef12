"""The plugin says what the table of agents says, and its skills are standard ones."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import tenure
from tenure.hosts import catalog, settings_entries
from tests.hosts.clients import PLUGIN

STANDARD_KEYS = {"name", "description", "license", "compatibility", "metadata", "allowed-tools"}
SKILLS = sorted(PLUGIN.glob("skills/*/SKILL.md"))


def test_the_plugins_hooks_are_those_that_install_writes() -> None:
    """One table of events; a hook added there must reach the plugin."""
    settings = catalog.HOSTS["claude-code"].user[0]
    wanted: dict[str, list[object]] = {}
    for keys, entry in settings_entries.hooks(settings, "tenure"):
        wanted.setdefault(keys[1], []).append(entry)
    assert json.loads((PLUGIN / "hooks" / "hooks.json").read_bytes())["hooks"] == wanted


def test_the_manifest_names_this_version() -> None:
    """A client updates a plugin by its version."""
    manifest = json.loads((PLUGIN / ".claude-plugin" / "plugin.json").read_bytes())
    assert (manifest["name"], manifest["version"]) == ("tenure", tenure.__version__)
    market = json.loads((PLUGIN.parent / ".claude-plugin" / "marketplace.json").read_bytes())
    assert [entry["source"] for entry in market["plugins"]] == ["./plugin"]


@pytest.mark.parametrize("path", SKILLS, ids=lambda path: path.parent.name)
def test_a_skill_has_only_the_standard_keys(path: Path) -> None:
    """Agent Skills: six keys, the name of its folder, a description of at most 1,024 characters."""
    _, front, body = path.read_text(encoding="utf-8").split("---\n", 2)
    keys = dict(line.split(": ", 1) for line in front.splitlines())
    assert set(keys) <= STANDARD_KEYS
    assert keys["name"] == path.parent.name and len(keys["description"]) <= 1024
    assert "tenure " in body


def test_there_are_the_five_skills() -> None:
    """Issue 8: remember, recall, review, audit; and claude-memory's own for its folder."""
    assert [path.parent.name for path in SKILLS] == ["audit", "memory-management", "recall", "remember", "review"]
