"""What a session of each agent really loads at its start: by the file's name, and by what its header says.

A page in a folder below the root, a rule for certain paths and a rule that is fetched on demand cost nothing until
they are needed, so they are not counted.
"""

from __future__ import annotations

import posixpath
import re

CLAUDE, CODEX, COPILOT, CURSOR = "claude-code", "codex", "copilot", "cursor"
GEMINI, QWEN, OPENCODE, WINDSURF, CLINE = "gemini", "qwen-code", "opencode", "windsurf", "cline"
# Files at the root, and who loads them.
ROOT_FILES: dict[str, frozenset[str]] = {
    "CLAUDE.md": frozenset({CLAUDE}),
    "CLAUDE.local.md": frozenset({CLAUDE}),
    ".claude/CLAUDE.md": frozenset({CLAUDE}),
    "AGENTS.md": frozenset({CODEX, COPILOT, CURSOR, OPENCODE, WINDSURF, CLINE}),
    "AGENTS.override.md": frozenset({CODEX}),
    "GEMINI.md": frozenset({GEMINI}),
    "QWEN.md": frozenset({QWEN}),
    ".cursorrules": frozenset({CURSOR}),
    ".windsurfrules": frozenset({WINDSURF}),
    ".clinerules": frozenset({CLINE}),
    ".github/copilot-instructions.md": frozenset({COPILOT}),
}
_HEADER = re.compile(r"\A---[ \t]*\n(.*?)\n---[ \t]*(?:\n|\Z)", re.S)


def loaded_by(path: str, text: str) -> frozenset[str]:
    """Return the agents that load the file whenever a session starts in the project's root."""
    if path in ROOT_FILES:
        return ROOT_FILES[path]
    header = _HEADER.match(text)
    fields = dict(re.findall(r"^([A-Za-z]+):[ \t]*(.*)$", header[1], re.M)) if header else {}
    folder = posixpath.dirname(path)
    if path.startswith(".claude/rules/"):
        return frozenset() if "paths" in fields else frozenset({CLAUDE})
    if path.startswith(".cursor/rules/"):
        return frozenset({CURSOR}) if fields.get("alwaysApply", "").strip().lower() == "true" else frozenset()
    if folder == ".github/instructions":
        everywhere = fields.get("applyTo", "").strip("\"' ") in ("**", "**/*")
        return frozenset({COPILOT}) if everywhere else frozenset()
    if path.startswith(".windsurf/rules/"):
        always = fields.get("trigger", "always_on").strip() == "always_on"
        return frozenset({WINDSURF}) if always else frozenset()
    if path.startswith(".clinerules/"):
        return frozenset() if "paths" in fields else frozenset({CLINE})
    return frozenset()
