"""The switch that silences hooks: for one session, one project, or everywhere, until it is switched on again.

One line each in a file of the user's folder, which hooks look for on every event; `TENURE_OFF` does it for one process.
"""

from __future__ import annotations

import os

from tenure.files.trust import home

FILE = "off"
VARIABLE = "TENURE_OFF"
EVERYWHERE, PROJECT, SESSION = "everywhere", "project", "session"
# Sessions end without saying so; the oldest lines go first.
MOST_LINES = 200
MOST_BYTES = 1024 * 1024


def path() -> str:
    """Return the file that says what is switched off."""
    return os.path.join(home(), FILE)


def by_variable() -> bool:
    """Tell whether the environment switches hooks off."""
    return os.environ.get(VARIABLE, "") not in ("", "0")


def why(project: str, session: str) -> str:
    """Return what silences hooks in a session of a project: a scope, the variable's name, or nothing."""
    if by_variable():
        return VARIABLE
    for scope, name in lines():
        if scope == EVERYWHERE or (scope, name) in ((PROJECT, os.path.realpath(project)), (SESSION, session)):
            return scope
    return ""


def lines() -> list[tuple[str, str]]:
    """Return the scopes that are switched off, each with the project's folder or the session's id."""
    try:
        with open(path(), "rb") as file:
            text = file.read(MOST_BYTES).decode("utf-8", "surrogateescape")
    except OSError:
        return []
    found = (line.partition("\t")[::2] for line in text.splitlines())
    return [(scope, name) for scope, name in found if scope in (EVERYWHERE, PROJECT, SESSION)]


def switch(scope: str, name: str, *, off: bool) -> bool:
    """Switch hooks off or on for a scope; return whether that changed anything."""
    # Hooks only read.
    from pathlib import Path

    from tenure.files import durable

    name = os.path.realpath(name) if scope == PROJECT else name
    before = lines()
    after = [line for line in before if line != (scope, name)]
    if off:
        after = [*after, (scope, name)][-MOST_LINES:]
    if set(after) == set(before):
        return False
    os.makedirs(home(), mode=0o700, exist_ok=True)
    text = "".join(f"{scope}\t{name}\n" for scope, name in after)
    if text:
        durable.replace(Path(path()), text.encode("utf-8", "surrogateescape"), mode=0o600)
    else:
        os.unlink(path())
    return True
