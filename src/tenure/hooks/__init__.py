"""Hooks: what agents call on every message. They fail open: whatever breaks, the session goes on.

Nothing here imports more than it needs; a test counts the modules.
"""

from __future__ import annotations

EVENTS = ("noop",)


def main(words: list[str]) -> int:
    """Answer one hook event and return 0, whatever happens."""
    return 0
