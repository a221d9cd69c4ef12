"""GitHub Copilot CLI: its settings, off switches and sessions; docs/agents/copilot.md says what was tried."""

from __future__ import annotations

from tenure.hosts import codex
from tenure.hosts.api import Host, Sessions, Settings, Trusted

HOST = Host(
    "copilot",
    "GitHub Copilot CLI",
    "copilot",
    user=(
        Settings("{config}/hooks/tenure.json", "json", "nested", codex.EVENTS, preset={"version": 1}),
        Settings("{config}/mcp-config.json", "json", server=("mcpServers", "tenure"), server_shape="local"),
    ),
    project=(Settings("{project}/.github/hooks/tenure.json", "json", "nested", codex.EVENTS, preset={"version": 1}),),
    then="Copilot also reads a project's .claude/settings.json; one of the two is enough.",
    config=("COPILOT_HOME", ".copilot"),
    tried=(1, 0, 102),
    trusted=Trusted("{config}/config.json", "trustedFolders"),
    sessions=Sessions("session-state/*/events.jsonl", id=lambda path: path.parent.name),
)
