"""Codex CLI: its settings, off switches and sessions; docs/agents/codex.md says what was tried."""

from __future__ import annotations

from tenure.hosts import claude_code
from tenure.hosts.api import Events, Host, Sessions, Settings, Switch

# Codex and Copilot report a failed command as a result, not as an event of its own.
EVENTS: Events = {
    **{name: event for name, event in claude_code.EVENTS.items() if name != "post-tool-failure"},
    "session-start": ("SessionStart", "", 10),
    "pre-tool": ("PreToolUse", "", 5),
    "post-tool": ("PostToolUse", "", 5),
}

HOST = Host(
    "codex",
    "Codex CLI",
    "codex",
    user=(
        Settings("{config}/hooks.json", "json", "nested", EVENTS),
        Settings("{config}/config.toml", "toml", server=("mcp_servers", "tenure")),
    ),
    project=(
        Settings("{project}/.codex/hooks.json", "json", "nested", EVENTS),
        Settings("{project}/.codex/config.toml", "toml", server=("mcp_servers", "tenure")),
    ),
    then="Codex silently skips hooks until you trust them: start codex and type /hooks.",
    config=("CODEX_HOME", ".codex"),
    tried=(0, 166, 0),
    switches=(
        Switch("{config}/config.toml", ("features", "hooks"), False),
        Switch("{project}/.codex/config.toml", ("features", "hooks"), False),
    ),
    sessions=Sessions("sessions/*/*/*/rollout-*.jsonl", id=lambda path: path.stem[-36:]),
)
