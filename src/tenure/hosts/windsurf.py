"""Windsurf: its settings, off switches and sessions; docs/agents/windsurf.md says what was tried."""

from __future__ import annotations

from tenure.hosts.api import Host, Settings

HOST = Host(
    "windsurf",
    "Windsurf",
    "windsurf",
    user=(Settings("{home}/.codeium/windsurf/mcp_config.json", "json", server=("mcpServers", "tenure")),),
    project=(Settings("{project}/.windsurf/rules/tenure.md", "whole", source="rule.md"),),
    then="Windsurf's hooks cannot add text, so memories come through the MCP server; install for both scopes.",
)
