"""A memory's guard: what it looks for in a tool call, how far it may go, and how it has done so far.

It is a field of the memory and changes only by events. What the matcher means stands in `guards/match.py`.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

import msgspec

# From the least to the most an agent notices of it.
Level = Literal["count", "remind", "ask", "deny"]
LEVELS: tuple[Level, ...] = ("count", "remind", "ask", "deny")
# A proposal does nothing until a person confirms it; `off` was switched off by a person or by a second wrong fire.
GuardState = Literal["proposed", "on", "off"]
Tool = Literal["run", "edit", "read", "any"]


class CommandRule(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """One command: program, the words it begins with, options of which one must be there, and those that lift it."""

    program: str
    words: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    unless: tuple[str, ...] = ()


class Guard(
    msgspec.Struct,
    frozen=True,
    kw_only=True,
    forbid_unknown_fields=True,
    omit_defaults=True,
    rename={"spared": "except"},
):
    """What makes a memory act."""

    state: GuardState = "proposed"
    level: Level = "count"
    tool: Tool = "any"
    commands: tuple[CommandRule, ...] = ()
    # Patterns as .gitignore writes them, from the project's root; `~/…` and `//…` lie outside it.
    paths: tuple[str, ...] = ()
    spared: tuple[str, ...] = ()
    text: tuple[str, ...] = ()
    # Examples: `run LINE`, `edit PATH`, `edit PATH: TEXT`, `read PATH`.
    fires: tuple[str, ...] = ()
    passes: tuple[str, ...] = ()
    until: datetime | None = None
    # Fires a person judged.
    right: int = 0
    wrong: int = 0
    # Set by a person's own word: it may deny before fires have shown that it is right.
    vouched: bool = False

    @property
    def looks_for(self) -> str:
        """What it looks for, in one line."""
        parts = []
        for rule in self.commands:
            options = f" {'|'.join(rule.options)}" if rule.options else ""
            without = "|".join(name for name in rule.unless if name != "|" and not name.endswith(">"))
            starting = " or ".join(name[:-1] for name in rule.unless if name.endswith(">"))
            lifted = f" without {without}" if without else ""
            lifted += f" (not started by {starting})" if starting else ""
            lifted += " (not behind a pipe)" if "|" in rule.unless else ""
            parts.append(f"{' '.join((rule.program, *rule.words))}{options}{lifted}")
        said = f"run {' or '.join(parts)}" if parts else self.tool
        said += f" {' '.join(self.paths)}" if self.paths else ""
        said += f" except {' '.join(self.spared)}" if self.spared else ""
        return said + (f" with {' or '.join(map(repr, self.text))}" if self.text else "")

    @property
    def also_asked(self) -> tuple[str, ...]:
        """Tools it needs the hook asked before that are not wired otherwise: `any` means those of MCP servers too."""
        reading = ("Read",) if self.tool in ("read", "any") and not self.commands else ()
        return (*reading, "mcp__.*") if self.tool == "any" else reading


def matcher(guard: Guard) -> dict[str, Any]:
    """Return what a guard looks for, as plain data."""
    found = msgspec.to_builtins(guard)
    return {name: found[name] for name in ("tool", "commands", "paths", "except", "text") if name in found}
