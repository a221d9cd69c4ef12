"""Settings that make a client silently skip our hooks: an off switch, or a folder it does not trust.

Each agent's module lists them. Files that cannot be read say nothing here: the client itself complains about them.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tenure.files import durable
from tenure.hosts import jsonc
from tenure.hosts.api import Host, folder
from tenure.model.errors import TenureError


def switched_off(agent: Host, project: Path) -> str:
    """Return the setting that turns the agent's hooks off, with its file; empty when none does."""
    for switch in agent.switches:
        path = _place(switch.path, agent, project)
        found: Any = _document(path)
        for key in switch.keys:
            found = found.get(key) if isinstance(found, dict) else None
        if found is switch.off:
            return f"{'.'.join(switch.keys)} is {str(switch.off).lower()} in {path}"
    return ""


def untrusted(agent: Host, project: Path) -> str:
    """Return the file that should list the project for its own hooks to run; empty when it does, or nobody asks."""
    if agent.trusted is None:
        return ""
    path = _place(agent.trusted.path, agent, project)
    here = os.path.realpath(project)
    for listed in _folders(_document(path), agent.trusted.key):
        inside = os.path.realpath(listed)
        if here == inside or here.startswith(inside.rstrip(os.sep) + os.sep):
            return ""
    return str(path)


def _folders(document: Any, key: str) -> Iterator[str]:
    found = document.get(key) if key and isinstance(document, dict) else document
    if isinstance(found, dict):
        yield from (name for name, trust in found.items() if str(trust).startswith("TRUST_"))
    elif isinstance(found, list):
        yield from (name for name in found if isinstance(name, str))


def _place(path: str, agent: Host, project: Path) -> Path:
    return Path(path.format(config=folder(agent), project=project))


def _document(path: Path) -> Any:
    try:
        text = durable.read_bytes(path).decode("utf-8")
        return tomllib.loads(text) if path.suffix == ".toml" else jsonc.parse(text).value
    except (OSError, ValueError, TenureError):
        return None
