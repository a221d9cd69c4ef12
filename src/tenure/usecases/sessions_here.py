"""The sessions that go on in a project, as the hooks' journals name them, and whether a text only repeats them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator

from tenure.capture import repeated_from_tools
from tenure.capture.session_builder import Session
from tenure.spool import journal, pending
from tenure.usecases import session_drafts
from tenure.usecases.project import Project

# So many of this project's latest sessions are read, found among so many latest ones of all projects.
MOST_SESSIONS = 4
MOST_JOURNALS = 100


def sessions_here(project: Project) -> Iterator[Session]:
    """Yield the sessions that go on in this project, the latest first, as the hooks' journals name them."""
    root = os.path.realpath(project.place.project)
    found = 0
    for path in _journals():
        facts: dict[str, str] = {}
        for line in journal.lines(path):
            facts |= {key: value for key, value in line.items() if isinstance(value, str) and value}
        folder = os.path.realpath(facts.get("folder", ""))
        if not facts.get("session") or not (folder == root or folder.startswith(root + os.sep)):
            continue
        if found == MOST_SESSIONS:
            return
        found += 1
        session = session_drafts.read(facts["session"], facts.get("host", ""), facts.get("transcript", ""))
        if session.turns:
            yield session


def _journals() -> list[str]:
    try:
        names = [name for name in os.listdir(journal.folder()) if name.endswith((".jsonl", pending.TAKEN))]
    except OSError:
        return []
    paths = [os.path.join(journal.folder(), name) for name in names]
    return sorted(paths, key=lambda path: -os.path.getmtime(path) if os.path.exists(path) else 0.0)[:MOST_JOURNALS]


def repeated(project: Project) -> Callable[[str], bool]:
    """Return a function that says whether an agent's text repeats a tool's result; it reads sessions when called."""
    known: list[Session] | None = None

    def repeats(text: str) -> bool:
        nonlocal known
        if known is None:
            known = list(sessions_here(project))
        return any(repeated_from_tools.repeats(text, session) for session in known)

    return repeats
