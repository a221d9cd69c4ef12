"""A person at a terminal, for tests: a command in a terminal session of its own, with nobody else's process above it.

Whoever runs the suite may be a coding agent, whose mark every child would carry. So the session is detached first, and
the interpreter that holds the terminal goes by the name of a window, as nothing else here has a person before it.
"""

from __future__ import annotations

import functools
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

SAFETY_NET_SECONDS = 600
WINDOW = "kitty"

# Detaches, opens a pseudo-terminal, runs the command in it, types what is asked for, and reports.
_DRIVER = r"""
import json, os, pty, re, select, sys, termios
given = json.loads(sys.argv[1])
report = os.open(given["report"], os.O_WRONLY)
if os.fork():
    os._exit(0)
os.setsid()
if os.fork():
    os._exit(0)
# Now the process that began this is no ancestor any more.
child, master = pty.fork()
if child == 0:
    termios.tcsetwinsize(0, (24, given["columns"]))
    os.chdir(given["folder"])
    os.execvpe(given["words"][0], given["words"], given["environment"])
screen = b""
answered = typed = 0
while True:
    ready, _, _ = select.select([master], [], [], 300)
    try:
        data = os.read(master, 4096) if ready else b""
    except OSError:
        data = b""
    if not data:
        if not ready:
            os.kill(child, 9)  # it waits for something nobody types
        break
    screen += data
    asked = re.findall(rb"Type the word (\w+): ", screen)
    if len(asked) > answered:
        answered = len(asked)
        word = asked[-1] if given["types"] == "the word" else given["types"].encode()
        os.write(master, word + b"\n")
    if typed < min(len(given["keys"]), len(re.findall(given["ready"].encode(), screen))):
        os.write(master, given["keys"][typed].encode())
        typed += 1
status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
seen = {"status": status, "screen": screen.decode("utf-8", "replace"), "asked": answered}
os.write(report, json.dumps(seen).encode())
"""


class Seen(NamedTuple):
    """What a command at a terminal came to: its status, what stood on the screen, how often a word was asked for."""

    status: int
    screen: str
    asked: int


@functools.cache
def _folder() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="tenure-window-")


@functools.cache
def window(display: bool) -> list[str]:
    """Return the words that run this interpreter under the name of a terminal's window."""
    if not sys.platform.startswith("linux"):
        return [sys.executable]  # nobody tells there who holds a terminal
    program = os.path.join(_folder().name, WINDOW)
    if not os.path.exists(program):
        shutil.copy(os.path.realpath(sys.executable), program)
    return ["/usr/bin/env", f"PYTHONHOME={sys.base_prefix}", *(["DISPLAY=:0"] if display else []), program]


def at_terminal(
    words: Sequence[str],
    folder: Path,
    environment: Mapping[str, str],
    *,
    types: str = "the word",
    keys: Sequence[str] = (),
    ready: str = r"\x1b\[J",
    columns: int = 80,
    watched: bool = True,
    display: bool = True,
) -> Seen:
    """Run a command as a person at a terminal would, who types the word that is shown, or something else.

    Without `watched` the interpreter itself holds the terminal, as a process would that left its agent; without
    `display` the window has no screen to be on.
    Each of `keys` is typed when `ready` stands on the screen once more: a screen that was drawn, a question.
    """
    pipe_out, pipe_in = os.pipe()
    with os.fdopen(pipe_out, "rb") as reading:
        given = {
            "words": list(words),
            "folder": str(folder),
            "environment": dict(environment),
            "types": types,
            "keys": list(keys),
            "ready": ready,
            "columns": columns,
            "report": f"/dev/fd/{pipe_in}",
        }
        try:
            subprocess.run(
                [*(window(display) if watched else [sys.executable]), "-c", _DRIVER, json.dumps(given)],
                env=dict(environment),
                pass_fds=(pipe_in,),
                check=True,
                timeout=SAFETY_NET_SECONDS,
            )
        finally:
            os.close(pipe_in)
        found = json.loads(reading.read())
    return Seen(found["status"], found["screen"], found["asked"])
