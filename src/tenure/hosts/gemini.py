"""Gemini CLI: its settings, off switches and sessions; docs/agents/gemini.md says what was tried."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from tenure.hosts.api import Events, Host, Sessions, Settings, Switch, Trusted

EVENTS: Events = {
    "session-start": ("SessionStart", "", 10),
    "prompt": ("BeforeAgent", "", 5),
    "guard": ("BeforeTool", "", 5),
    # Gemini CLI drops what is said before a tool runs, and hands on what is said after it.
    "pre-tool": ("AfterTool", "", 5),
    "post-tool": ("AfterTool", "", 5),
    "pre-compact": ("PreCompress", "", 5),
    "stop": ("AfterAgent", "", 5),
    "session-end": ("SessionEnd", "", 5),
}


def _belongs(path: Path, project: Path) -> bool:
    """Tell a session of a project by its folder, which bears the project's name or the hash of its path."""
    root = hashlib.sha256(os.path.realpath(project).encode()).hexdigest()
    return path.parents[1].name in (root, project.name.lower())


HOST = Host(
    "gemini",
    "Gemini CLI",
    "gemini",
    user=(Settings("{home}/.gemini/settings.json", "json", "milliseconds", EVENTS, ("mcpServers", "tenure")),),
    project=(Settings("{project}/.gemini/settings.json", "json", "milliseconds", EVENTS, ("mcpServers", "tenure")),),
    then="Gemini CLI runs a project's hooks only in a folder you trust.",
    tried=(0, 61, 0),
    config=("", ".gemini"),
    switches=(
        Switch("{config}/settings.json", ("hooksConfig", "enabled"), False),
        Switch("{project}/.gemini/settings.json", ("hooksConfig", "enabled"), False),
    ),
    trusted=Trusted("{config}/trustedFolders.json"),
    sessions=Sessions(
        "tmp/*/chats/session-*.jsonl", id=lambda path: path.stem.removeprefix("session-"), belongs=_belongs
    ),
)
