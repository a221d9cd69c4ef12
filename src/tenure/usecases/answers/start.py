"""What `tenure start` finds in a repository."""

from __future__ import annotations

from collections.abc import Sequence

from tenure.usecases.answers import Record


class FoundStore(Record, frozen=True):
    """A store that is there already; `used` marks the one commands work on."""

    url: str
    used: bool


class AgentHere(Record, frozen=True):
    """A coding agent that is installed here, or kept sessions of this project."""

    agent: str
    title: str
    # The name of its program, and whether that is on the path.
    client: str
    installed: bool
    # Whether Tenure's hooks or server are in its settings, for the user or for this project.
    wired: bool
    # How many sessions of this project it kept.
    sessions: int


class SessionFiles(Record, frozen=True):
    """Files with sessions that a tool keeps inside the project: a pattern of theirs, and how many there are."""

    tool: str
    pattern: str
    count: int


class Situation(Record, frozen=True):
    """The store that commands use here, the others there are, the agents, and sessions that lie in the project."""

    store: str
    # Why this store is used.
    origin: str
    # Whether the first write makes it.
    is_new: bool
    project: str
    found: Sequence[FoundStore]
    agents: Sequence[AgentHere]
    session_files: Sequence[SessionFiles] = ()
