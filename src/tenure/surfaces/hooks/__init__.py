"""Hooks: what agents call on every message. They fail open: whatever breaks, the session goes on.

Nothing here imports more than it needs; a test counts the modules. `MODULES` says which module answers an event, with
`answer(event: HookEvent) -> str`, the text for the model, empty for silence; the prompt's, which counts every import,
has a `main()` of its own.
"""

from __future__ import annotations

import os
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
HELP = f"""Usage: tenure hook EVENT < event.json

Answers one event of a coding agent: reads the event's JSON on standard input and prints what the agent should know,
in that agent's shape, or nothing. `tenure install AGENT` wires it; nobody needs to call it by hand.
If something fails, the exit status is still 0 and `tenure doctor` shows the reason. `tenure off` turns all of them off.

Events: {", ".join(EVENTS)}

Example:
  echo '{{"cwd": "'"$PWD"'", "prompt": "why do the tests fail?"}}' | tenure hook prompt"""


def main(words: list[str]) -> int:
    """Answer one hook event and return 0, whatever happens."""
    name = words[0] if words else ""
    if name in ("-h", "--help"):
        print(HELP)
        return 0
    try:
        if name == "work":
            from tenure.surfaces.hooks import worker

            return worker.main()
        module = f"tenure.surfaces.hooks.{MODULES[name]}"
        __import__(module)
        if name == "prompt":
            return int(sys.modules[module].main())
        from tenure.surfaces.hooks import host

        with host.deadline(name):
            event = host.read(name, sys.stdin.buffer)
            text = "" if silenced(event.folder, event.session) else sys.modules[module].answer(event)
        host.write(event, text, sys.stdout)
    except BaseException as error:
        _log(name, error)
    return 0


def silenced(folder: str, session: str) -> bool:
    """Tell whether the user switched hooks off; one look for a file, which most users never have."""
    if os.environ.get("TENURE_OFF", "") in ("", "0"):
        from tenure.files.trust import home

        if not os.path.exists(os.path.join(home(), "off")):
            return False
    from tenure.files import project_root
    from tenure.spool import off  # start-up: almost nobody's hooks are off

    return bool(off.why(project_root(folder), session))


def _log(name: str, error: BaseException) -> None:
    try:
        from tenure.spool import log

        if name in (*EVENTS, "work"):
            log.write(name, f"{type(error).__name__}: {error}")
        else:
            # Anybody may have chosen the word, and the error repeats it.
            log.write("unknown event", f"known are {', '.join(EVENTS)}")
    except Exception:
        return  # nowhere left to say it
