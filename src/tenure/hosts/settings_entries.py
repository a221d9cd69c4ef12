"""What `install` writes into an agent's settings file: the entry of each hook and of the MCP server, in its shape."""

from __future__ import annotations

from typing import Any

from tenure.hosts.api import Settings


def hooks(settings: Settings, program: str) -> list[tuple[tuple[str, ...], dict[str, Any]]]:
    """Return the hook entries of a file, each with the keys of the list it belongs to."""
    found: list[tuple[tuple[str, ...], dict[str, Any]]] = []
    for name, (event, matcher, seconds) in settings.events.items():
        line = f"{program} hook {name}"
        if settings.layout == "flat":
            found.append((("hooks", event), {"command": line}))
            continue
        timeout = seconds * 1000 if settings.layout == "milliseconds" else seconds
        entry: dict[str, Any] = {"matcher": matcher} if matcher else {}
        entry["hooks"] = [{"type": "command", "command": line, "timeout": timeout}]
        found.append((("hooks", event), entry))
    return found


def server(settings: Settings, program: list[str]) -> dict[str, Any]:
    """Return the entry that starts the MCP server, in the shape the agent reads."""
    command, *rest = program
    words = [*rest, "mcp"]
    shapes: dict[str, dict[str, Any]] = {
        "command": {"command": command, "args": words},
        "stdio": {"type": "stdio", "command": command, "args": words},
        # Cline gives up on a server after three seconds, which a cold start on a busy machine takes.
        "patient": {"type": "stdio", "command": command, "args": words, "timeout": 30},
        "local": {"type": "local", "command": command, "args": words, "tools": ["*"]},
        "opencode": {"type": "local", "command": [command, *words], "enabled": True},
    }
    return shapes[settings.server_shape]
