"""OpenCode: its settings, off switches and sessions; docs/agents/opencode.md says what was tried."""

from __future__ import annotations

from tenure.hosts.api import Host, Settings


def _server(path: str) -> Settings:
    # OpenCode writes the schema into a file that has none, and would leave it there.
    schema = {"$schema": "https://opencode.ai/config.json"}
    return Settings(path, "json", server=("mcp", "tenure"), server_shape="opencode", preset=schema)


HOST = Host(
    "opencode",
    "OpenCode",
    "opencode",
    user=(
        Settings("{config}/plugins/tenure.js", "whole", source="opencode.js"),
        _server("{config}/opencode.json"),
    ),
    project=(
        Settings("{project}/.opencode/plugins/tenure.js", "whole", source="opencode.js"),
        _server("{project}/opencode.json"),
    ),
    config=("OPENCODE_CONFIG_DIR", ".config/opencode"),
    tried=(1, 18, 33),
)
