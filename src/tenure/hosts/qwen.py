"""Qwen Code: its settings, off switches and sessions; docs/agents/qwen.md says what was tried."""

from __future__ import annotations

from tenure.hosts import claude_code
from tenure.hosts.api import Events, Host, Sessions, Settings, Switch

# Qwen Code knows its tools by other names, which a matcher would have to list; the hooks pass over the rest.
EVENTS: Events = {
    **{name: (event, "", seconds) for name, (event, _, seconds) in claude_code.EVENTS.items()},
    "guard": ("PreToolUse", "", 5),
    # As in Gemini CLI.
    "pre-tool": ("PostToolUse", "", 5),
}

HOST = Host(
    "qwen",
    "Qwen Code",
    "qwen",
    user=(Settings("{config}/settings.json", "json", "milliseconds", EVENTS, ("mcpServers", "tenure")),),
    project=(Settings("{project}/.qwen/settings.json", "json", "milliseconds", EVENTS, ("mcpServers", "tenure")),),
    then="Qwen Code runs a project's hooks only in a folder you trust.",
    config=("QWEN_HOME", ".qwen"),
    tried=(0, 24, 4),
    switches=(
        Switch("{config}/settings.json", ("disableAllHooks",), True),
        Switch("{project}/.qwen/settings.json", ("disableAllHooks",), True),
    ),
    sessions=Sessions("projects/*/chats/*.jsonl"),
)
