"""Claude Code: its settings, off switches and sessions; docs/agents/claude-code.md says what was tried."""

from __future__ import annotations

from tenure.hosts.api import Events, Host, Sessions, Settings, Switch

_EDITS = "Edit|Write|MultiEdit|NotebookEdit|Bash"
EVENTS: Events = {
    "session-start": ("SessionStart", "startup|resume|clear|compact|fork", 10),
    "prompt": ("UserPromptSubmit", "", 5),
    "pre-tool": ("PreToolUse", _EDITS, 5),
    "post-tool": ("PostToolUse", _EDITS, 5),
    "post-tool-failure": ("PostToolUseFailure", _EDITS, 5),
    "pre-compact": ("PreCompact", "", 5),
    "stop": ("Stop", "", 5),
    # Codex allows no more here, and says so in every session.
    "session-end": ("SessionEnd", "", 3),
}

HOST = Host(
    "claude-code",
    "Claude Code",
    "claude",
    user=(
        Settings("{config}/settings.json", "json", "nested", EVENTS),
        Settings("{home}/.claude.json", "json", server=("mcpServers", "tenure"), server_shape="stdio", beside=True),
        Settings("{config}/skills/tenure-remember/SKILL.md", "whole", source="skill.md"),
    ),
    project=(
        Settings("{project}/.claude/settings.json", "json", "nested", EVENTS),
        Settings("{project}/.mcp.json", "json", server=("mcpServers", "tenure")),
        Settings("{project}/.claude/skills/tenure-remember/SKILL.md", "whole", source="skill.md"),
    ),
    then="Start a new session; Claude Code asks once whether you trust a project's hooks and servers.",
    config=("CLAUDE_CONFIG_DIR", ".claude"),
    tried=(2, 1, 197),
    switches=(
        Switch("{config}/settings.json", ("disableAllHooks",), True),
        Switch("{project}/.claude/settings.json", ("disableAllHooks",), True),
        Switch("{project}/.claude/settings.local.json", ("disableAllHooks",), True),
    ),
    sessions=Sessions("projects/*/*.jsonl"),
)
