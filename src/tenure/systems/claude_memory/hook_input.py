"""What the agent sends a hook on standard input, read leniently: anything unusable is an empty message."""

from __future__ import annotations

import json
import os
import sys
from typing import Any

MAX_INPUT_BYTES = 16 * 1024 * 1024


def read() -> dict[str, Any]:
    """Return the hook's message, or an empty one when standard input holds no JSON object."""
    if sys.stdin is None or sys.stdin.isatty():
        return {}
    try:
        message = json.loads(sys.stdin.buffer.read(MAX_INPUT_BYTES))
    except (ValueError, RecursionError, OSError):
        return {}
    return message if isinstance(message, dict) else {}


def text(message: dict[str, Any], *keys: str) -> str:
    """Return the first of the named fields that holds text, or nothing."""
    for key in keys:
        value = message.get(key)
        if isinstance(value, str) and value:
            return value
    return ""


def project(message: dict[str, Any]) -> str:
    """Return the project's folder: where the session is, or where it was started when it moved below."""
    here = text(message, "cwd") or os.getcwd()
    home = os.environ.get("CLAUDE_PROJECT_DIR", "")
    if home and here.startswith(home.rstrip("/") + "/") and not os.path.isdir(f"{here}/.claude/memory"):
        return home
    return here
