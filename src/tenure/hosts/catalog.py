"""The coding agents Tenure can be wired to, as data: which files, in which shape, with which events.

Adding an agent means adding a row here. `SOURCES` of each fact: the vendors' documentation and, where the page of the
agent in docs/agents says so, runs of the real client.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, NamedTuple

from tenure.model.errors import BadRequest
from tenure.text.words import nearest

# Our event -> (the host's name, matcher or "", seconds it may take).
Events = dict[str, tuple[str, str, int]]

_EDITS = "Edit|Write|MultiEdit|NotebookEdit|Bash"
CLAUDE_EVENTS: Events = {
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
# Codex and Copilot report a failed command as a result, not as an event of its own.
CODEX_EVENTS: Events = {
    **{name: event for name, event in CLAUDE_EVENTS.items() if name != "post-tool-failure"},
    "session-start": ("SessionStart", "", 10),
    "pre-tool": ("PreToolUse", "", 5),
    "post-tool": ("PostToolUse", "", 5),
}
GEMINI_EVENTS: Events = {
    "session-start": ("SessionStart", "", 10),
    "prompt": ("BeforeAgent", "", 5),
    # Gemini CLI drops what is said before a tool runs, and hands on what is said after it.
    "pre-tool": ("AfterTool", "", 5),
    "post-tool": ("AfterTool", "", 5),
    "pre-compact": ("PreCompress", "", 5),
    "stop": ("AfterAgent", "", 5),
    "session-end": ("SessionEnd", "", 5),
}
# Qwen Code knows its tools by other names, which a matcher would have to list; the hooks pass over the rest.
QWEN_EVENTS: Events = {
    **{name: (event, "", seconds) for name, (event, _, seconds) in CLAUDE_EVENTS.items()},
    # As in Gemini CLI.
    "pre-tool": ("PostToolUse", "", 5),
}
CURSOR_EVENTS: Events = {
    "session-start": ("sessionStart", "", 10),
    "prompt": ("beforeSubmitPrompt", "", 5),
    "stop": ("stop", "", 5),
    "session-end": ("sessionEnd", "", 5),
}


class Settings(NamedTuple):
    """One settings file that gets entries: `path` may begin with {home}, {config} or {project}."""

    path: str
    form: str  # json, toml or whole
    # json: hooks in this layout under "hooks", and the MCP server under these keys.
    layout: str = ""
    events: Events = {}
    server: tuple[str, ...] = ()
    server_shape: str = "command"
    # Set in a file that we make, such as Cursor's version.
    preset: dict[str, Any] = {}
    # whole: a file of our own, kept in agents/files under this name.
    source: str = ""


class Agent(NamedTuple):
    """One coding agent: its files for all of a user's projects, and for one project."""

    name: str
    title: str
    client: str
    user: tuple[Settings, ...]
    project: tuple[Settings, ...]
    # What the user must know or do after installing.
    then: str = ""
    # The variable that moves the agent's folder, and that folder below the home folder otherwise.
    config: tuple[str, str] = ("", "")
    # The oldest version all of this was seen with, where the client can be run.
    tried: tuple[int, ...] = ()


def _rule(folder: str) -> Settings:
    return Settings("{project}/" + folder + "/tenure.md", "whole", source="rule.md")


def _opencode(path: str) -> Settings:
    # OpenCode writes the schema into a file that has none, and would leave it there.
    schema = {"$schema": "https://opencode.ai/config.json"}
    return Settings(path, "json", server=("mcp", "tenure"), server_shape="opencode", preset=schema)


AGENTS: dict[str, Agent] = {
    agent.name: agent
    for agent in (
        Agent(
            "claude-code",
            "Claude Code",
            "claude",
            user=(
                Settings("{config}/settings.json", "json", "nested", CLAUDE_EVENTS),
                Settings("{home}/.claude.json", "json", server=("mcpServers", "tenure"), server_shape="stdio"),
            ),
            project=(
                Settings("{project}/.claude/settings.json", "json", "nested", CLAUDE_EVENTS),
                Settings("{project}/.mcp.json", "json", server=("mcpServers", "tenure")),
            ),
            then="Start a new session; Claude Code asks once whether you trust a project's hooks and servers.",
            config=("CLAUDE_CONFIG_DIR", ".claude"),
            tried=(2, 1, 197),
        ),
        Agent(
            "codex",
            "Codex CLI",
            "codex",
            user=(
                Settings("{config}/hooks.json", "json", "nested", CODEX_EVENTS),
                Settings("{config}/config.toml", "toml", server=("mcp_servers", "tenure")),
            ),
            project=(
                Settings("{project}/.codex/hooks.json", "json", "nested", CODEX_EVENTS),
                Settings("{project}/.codex/config.toml", "toml", server=("mcp_servers", "tenure")),
            ),
            then="Codex skips hooks without a word until you trust them: start codex and type /hooks.",
            config=("CODEX_HOME", ".codex"),
            tried=(0, 166, 0),
        ),
        Agent(
            "copilot",
            "GitHub Copilot CLI",
            "copilot",
            user=(
                Settings("{config}/hooks/tenure.json", "json", "nested", CODEX_EVENTS, preset={"version": 1}),
                Settings("{config}/mcp-config.json", "json", server=("mcpServers", "tenure"), server_shape="local"),
            ),
            project=(
                Settings("{project}/.github/hooks/tenure.json", "json", "nested", CODEX_EVENTS, preset={"version": 1}),
            ),
            then="Copilot also reads a project's .claude/settings.json; one of the two is enough.",
            config=("COPILOT_HOME", ".copilot"),
            tried=(1, 0, 102),
        ),
        Agent(
            "gemini",
            "Gemini CLI",
            "gemini",
            user=(
                Settings(
                    "{home}/.gemini/settings.json", "json", "milliseconds", GEMINI_EVENTS, ("mcpServers", "tenure")
                ),
            ),
            project=(
                Settings(
                    "{project}/.gemini/settings.json", "json", "milliseconds", GEMINI_EVENTS, ("mcpServers", "tenure")
                ),
            ),
            then="Gemini CLI runs a project's hooks only in a folder you trust.",
            tried=(0, 61, 0),
        ),
        Agent(
            "qwen",
            "Qwen Code",
            "qwen",
            user=(Settings("{config}/settings.json", "json", "nested", QWEN_EVENTS, ("mcpServers", "tenure")),),
            project=(
                Settings("{project}/.qwen/settings.json", "json", "nested", QWEN_EVENTS, ("mcpServers", "tenure")),
            ),
            then="Qwen Code runs a project's hooks only in a folder you trust.",
            config=("QWEN_HOME", ".qwen"),
            tried=(0, 24, 4),
        ),
        Agent(
            "cursor",
            "Cursor",
            "cursor",
            user=(
                Settings("{home}/.cursor/hooks.json", "json", "flat", CURSOR_EVENTS, preset={"version": 1}),
                Settings("{home}/.cursor/mcp.json", "json", server=("mcpServers", "tenure")),
            ),
            project=(
                Settings("{project}/.cursor/hooks.json", "json", "flat", CURSOR_EVENTS, preset={"version": 1}),
                Settings("{project}/.cursor/mcp.json", "json", server=("mcpServers", "tenure")),
            ),
            then="Restart Cursor; its hook shapes are from a third party's description and were not tried here.",
        ),
        Agent(
            "opencode",
            "OpenCode",
            "opencode",
            user=(
                Settings("{config}/plugins/tenure.js", "whole", source="opencode.js"),
                _opencode("{config}/opencode.json"),
            ),
            project=(
                Settings("{project}/.opencode/plugins/tenure.js", "whole", source="opencode.js"),
                _opencode("{project}/opencode.json"),
            ),
            config=("OPENCODE_CONFIG_DIR", ".config/opencode"),
            tried=(1, 18, 33),
        ),
        Agent(
            "windsurf",
            "Windsurf",
            "windsurf",
            user=(Settings("{home}/.codeium/windsurf/mcp_config.json", "json", server=("mcpServers", "tenure")),),
            project=(_rule(".windsurf/rules"),),
            then="Windsurf's hooks cannot add text, so memories come through the MCP server; install for both scopes.",
        ),
        Agent(
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
            project=(_rule(".clinerules"),),
            then="Cline takes memories through the MCP server; install for both scopes.",
            config=("CLINE_DIR", ".cline"),
            tried=(3, 0, 65),
        ),
    )
}


def agent(name: str) -> Agent:
    """Return the agent of that name; raise `BadRequest` with the nearest ones."""
    if name in AGENTS:
        return AGENTS[name]
    close = nearest(name, AGENTS)
    hint = f"Did you mean {' or '.join(close)}?" if close else f"Known agents: {', '.join(AGENTS)}."
    raise BadRequest(f"{name[:60]!r} is not an agent Tenure can be wired to.", hint=hint)


def place(settings: Settings, of: Agent, project: Path) -> Path:
    """Return where a settings file lies on this machine."""
    home = Path.home()
    variable, below = of.config
    config = Path(os.environ.get(variable, "") or home / below) if variable else home
    path = settings.path.format(home=home, config=config, project=project)
    if settings.path == "{home}/.claude.json" and os.environ.get(variable):
        # With CLAUDE_CONFIG_DIR the client keeps this file inside that folder.
        return config / ".claude.json"
    return Path(path)


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
