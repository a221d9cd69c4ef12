"""The end of a turn or of a session: note it, start the worker, be gone.

Hosts kill this hook after 1.5 seconds or do not wait for it at all, so it does no work itself. A session that is
killed has no end; its journal is found by the next session.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from tenure.surfaces.hooks.host import HookEvent

ID = r"\bm-[2-9a-z]{7}\b"
MOST_CITED = 50


def answer(event: HookEvent) -> str:
    """Note the end in the journal; after a turn ask about a reproach, after the session start the worker."""
    if not event.session:
        return ""
    from tenure.spool import journal

    over = event.name == "session-end"
    line: dict[str, Any] = {"event": "end" if over else "turn", "folder": event.folder}
    if event.transcript:
        line["transcript"] = event.transcript
    said = event.text("last_assistant_message") or event.text("prompt_response")
    if cited := _cited(said, event):
        line["cited"] = cited
    journal.add(event.host, event.session, line)
    if over:
        start_worker()
        return ""
    from tenure.surfaces.hooks import correction_prompt

    return correction_prompt.at_stop(event.host, event.session, event.payload)


def _cited(said: str, event: HookEvent) -> list[str]:
    """Return the ids in an answer: those made like ours, and whatever ids this session was shown."""
    if not said:
        return []
    from tenure.spool import journal

    made = []
    if "m-" in said:
        import re  # start-up: most answers cite nothing

        made = re.findall(ID, said)
    shown = [id for id in sorted(journal.shown(event.host, event.session)) if id in said]
    return list(dict.fromkeys([*made, *shown]))[:MOST_CITED]


def start_worker() -> None:
    """Start a process of its own that learns from finished sessions and ends when there are none left."""
    if os.environ.get("TENURE_NO_WORKER"):
        return
    from tenure.files.trust import home

    # The project's folder must never be a place Python imports from: a clone may bring a package of any name.
    # -P keeps the working folder off the path; the user's own folder makes relative entries of PYTHONPATH harmless.
    words = [sys.executable, "-P", "-m", "tenure", "hook", "work"]
    neutral = os.path.abspath(home())
    environment = {**os.environ, **({"TENURE_HOME": neutral} if os.environ.get("TENURE_HOME") else {})}
    if not hasattr(os, "posix_spawn"):
        import subprocess  # Windows

        flags = getattr(subprocess, "DETACHED_PROCESS", 0)
        nowhere = subprocess.DEVNULL
        subprocess.Popen(
            words, stdin=nowhere, stdout=nowhere, stderr=nowhere, creationflags=flags, cwd=neutral, env=environment
        )
        return
    files = [(os.POSIX_SPAWN_OPEN, number, os.devnull, os.O_RDWR, 0) for number in (0, 1, 2)]
    here = os.open(".", os.O_RDONLY)
    try:
        os.chdir(neutral)
        # A session of its own: the host kills the group of its hooks when it ends.
        os.posix_spawn(words[0], words, environment, file_actions=files, setsid=True)
    finally:
        os.fchdir(here)
        os.close(here)
