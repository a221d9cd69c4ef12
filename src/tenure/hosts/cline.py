"""Cline: its settings, off switches and sessions; docs/agents/cline.md says what was tried."""

from __future__ import annotations

from tenure.hosts.api import Host, Settings

HOST = Host(
    "cline",
    "Cline",
    "cline",
    user=(
        Settings(
            "{config}/data/settings/cline_mcp_settings.json",
            "json",
            server=("mcpServers", "tenure"),
            server_shape="patient",
        ),
    ),
    project=(Settings("{project}/.clinerules/tenure.md", "whole", source="rule.md"),),
    then="Cline takes memories through the MCP server; install for both scopes.",
    config=("CLINE_DIR", ".cline"),
    tried=(3, 0, 65),
)
