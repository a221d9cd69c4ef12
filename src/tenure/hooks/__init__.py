"""Hooks: what agents call on every message. They fail open: whatever breaks, the session goes on.

Nothing here imports more than it needs; a test counts the modules.
"""

from __future__ import annotations

import sys

# Event -> module of this package with `main() -> exit status`.
MODULES = {"prompt": "prompt"}
EVENTS = tuple(MODULES)


def main(words: list[str]) -> int:
    """Answer one hook event and return 0, whatever happens."""
    name = words[0] if words else ""
    if name in MODULES:
        module = f"tenure.hooks.{MODULES[name]}"
        try:
            __import__(module)
            sys.modules[module].main()
        except Exception:
            return 0  # without its module nobody is left to log
    return 0
