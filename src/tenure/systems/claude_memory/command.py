"""`tenure claude-memory …`: each of the original's scripts by its first word, imported when asked for."""

from __future__ import annotations

import importlib
import sys

# First word -> module of this package and the function in it that takes the arguments.
COMMANDS = {
    "write": ("write", "main"),
    "index": ("index_command", "main"),
    "enforce": ("enforce", "main"),
    "triage": ("triage", "main"),
    "candidate": ("candidate", "main"),
    "retrieve": ("retrieve", "main"),
    "write-guard": ("guard", "main_write"),
    "validate-hook": ("guard", "main_validate"),
    "search": ("search", "main"),
    # Ours: what the original's second phase leaves to a subagent alone.
    "verify": ("verify_command", "main"),
}
USAGE = f"usage: tenure claude-memory {{{','.join(COMMANDS)}}} ..."


def main(arguments: list[str]) -> int:
    """Run one command and return its exit status."""
    if arguments[:1] in (["-h"], ["--help"]):
        print(USAGE)
        return 0
    if not arguments or arguments[0] not in COMMANDS:
        found = f"invalid choice: {arguments[0]!r}" if arguments else "a command is required"
        print(f"{USAGE}\ntenure claude-memory: error: {found}", file=sys.stderr)
        return 2
    name, function = COMMANDS[arguments[0]]
    module = importlib.import_module(f"tenure.systems.claude_memory.{name}")
    try:
        return int(getattr(module, function)(arguments[1:]))
    except SystemExit as stop:  # how argparse ends on a usage error or --help
        return stop.code if isinstance(stop.code, int) else 1
