"""Why a client would pass over our hooks without a word: a switch in its settings, or a folder it does not trust.

A table of facts, each seen with the real client (tests/hosts/test_off_switches.py). Files that cannot be read say
nothing here: the client itself complains about them.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from tenure.files import durable
from tenure.hosts import jsonc
from tenure.hosts.catalog import Agent
from tenure.model.errors import TenureError


class Switch(NamedTuple):
    """A setting that turns hooks off: the file, below the agent's folder or the project, its keys and the value."""

    path: str
    keys: tuple[str, ...]
    off: bool


SWITCHES: dict[str, tuple[Switch, ...]] = {
    "claude-code": (
        Switch("{config}/settings.json", ("disableAllHooks",), True),
        Switch("{project}/.claude/settings.json", ("disableAllHooks",), True),
        Switch("{project}/.claude/settings.local.json", ("disableAllHooks",), True),
    ),
    "codex": (
        Switch("{config}/config.toml", ("features", "hooks"), False),
        Switch("{project}/.codex/config.toml", ("features", "hooks"), False),
    ),
    "gemini": (
        Switch("{config}/settings.json", ("hooksConfig", "enabled"), False),
        Switch("{project}/.gemini/settings.json", ("hooksConfig", "enabled"), False),
    ),
    "qwen": (
        Switch("{config}/settings.json", ("disableAllHooks",), True),
        Switch("{project}/.qwen/settings.json", ("disableAllHooks",), True),
    ),
}
# Where an agent lists the folders whose own hooks it runs, and under which key; without a key the folders are the keys.
TRUSTED = {"copilot": ("{config}/config.json", "trustedFolders"), "gemini": ("{config}/trustedFolders.json", "")}
FOLDERS = {"gemini": ("", ".gemini")}


def switched_off(agent: Agent, project: Path) -> str:
    """Return the setting that turns the agent's hooks off, with its file; empty when none does."""
    for switch in SWITCHES.get(agent.name, ()):
        path = _place(switch.path, agent, project)
        found: Any = _document(path)
        for key in switch.keys:
            found = found.get(key) if isinstance(found, dict) else None
        if found is switch.off:
            return f"{'.'.join(switch.keys)} is {str(switch.off).lower()} in {path}"
    return ""


def untrusted(agent: Agent, project: Path) -> str:
    """Return the file that should list the project for its own hooks to run; empty when it does, or nobody asks."""
    if agent.name not in TRUSTED:
        return ""
    name, key = TRUSTED[agent.name]
    path = _place(name, agent, project)
    here = os.path.realpath(project)
    for folder in _folders(_document(path), key):
        inside = os.path.realpath(folder)
        if here == inside or here.startswith(inside.rstrip(os.sep) + os.sep):
            return ""
    return str(path)


def _folders(document: Any, key: str) -> Iterator[str]:
    found = document.get(key) if key and isinstance(document, dict) else document
    if isinstance(found, dict):
        yield from (folder for folder, trust in found.items() if str(trust).startswith("TRUST_"))
    elif isinstance(found, list):
        yield from (folder for folder in found if isinstance(folder, str))


def _place(path: str, agent: Agent, project: Path) -> Path:
    variable, below = FOLDERS.get(agent.name, agent.config)
    config = os.environ.get(variable, "") if variable else ""
    return Path(path.format(config=config or Path.home() / below, project=project))


def _document(path: Path) -> Any:
    try:
        text = durable.read_bytes(path).decode("utf-8")
        return tomllib.loads(text) if path.suffix == ".toml" else jsonc.parse(text).value
    except (OSError, ValueError, TenureError):
        return None
