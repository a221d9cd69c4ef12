"""Cursor: its settings, off switches and sessions; docs/agents/cursor.md says what was tried."""

from __future__ import annotations

from tenure.hosts.api import Events, Host, Settings

EVENTS: Events = {
    "session-start": ("sessionStart", "", 10),
    "prompt": ("beforeSubmitPrompt", "", 5),
    "guard": ("preToolUse", "", 5),
    "stop": ("stop", "", 5),
    "session-end": ("sessionEnd", "", 5),
}

HOST = Host(
    "cursor",
    "Cursor",
    "cursor",
    user=(
        Settings("{home}/.cursor/hooks.json", "json", "flat", EVENTS, preset={"version": 1}),
        Settings("{home}/.cursor/mcp.json", "json", server=("mcpServers", "tenure")),
    ),
    project=(
        Settings("{project}/.cursor/hooks.json", "json", "flat", EVENTS, preset={"version": 1}),
        Settings("{project}/.cursor/mcp.json", "json", server=("mcpServers", "tenure")),
    ),
    then="Restart Cursor; its hook shapes are from a third party's description and were not tried here.",
)
