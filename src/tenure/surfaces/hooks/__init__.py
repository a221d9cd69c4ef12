"""Hooks: what agents call on every message. They fail open: whatever breaks, the session goes on.

Nothing here imports more than it needs; a test counts the modules. A module of this package answers one event with
`answer(event: Event) -> str`, the text for the model, empty for silence; the prompt's, which counts every import, reads
and prints by itself in `main()`.
"""

from __future__ import annotations

import sys

# Event -> module of this package.
MODULES = {
    "session-start": "session_start",
    "prompt": "prompt",
    "pre-tool": "pre_tool",
    "guard": "pre_tool",
    "post-tool": "post_tool",
    "post-tool-failure": "post_tool",
    "pre-compact": "pre_compact",
    "stop": "session_end",
    "session-end": "session_end",
}
EVENTS = tuple(MODULES)


def main(words: list[str]) -> int:
    """Answer one hook event and return 0, whatever happens."""
    name = words[0] if words else ""
    if name == "work":
        from tenure.surfaces.hooks import worker

        return worker.main()
    try:
        module = f"tenure.surfaces.hooks.{MODULES[name]}"
        __import__(module)
        if name == "prompt":
            return int(sys.modules[module].main())
        from tenure.surfaces.hooks import host

        with host.deadline(name):
            event = host.read(name, sys.stdin.buffer)
            text = sys.modules[module].answer(event)
        host.write(event, text, sys.stdout)
    except BaseException as error:
        _log(name, error)
    return 0


def _log(name: str, error: BaseException) -> None:
    try:
        from tenure.spool import log

        log.write(name, f"{type(error).__name__}: {error}")
    except Exception:
        return  # nowhere left to say it
