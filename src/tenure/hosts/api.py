"""What Tenure knows of a coding agent, as data: its settings files, its off switches, where it keeps its sessions.

Each agent is one module beside this one with a `HOST`; `catalog` lists them, and `settings_entries` makes what is
written into their files. The facts come from the vendors' documentation and, where the page of the agent in
docs/agents says so, from runs of the real client.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple

# Our event -> (the host's name, matcher or "", seconds it may take).
Events = dict[str, tuple[str, str, int]]


class Settings(NamedTuple):
    """One settings file that gets entries: `path` may begin with {home}, {config} or {project}."""

    path: str
    form: str  # json, toml or whole
    # json: hooks under "hooks", the MCP server under these keys. The layout of hooks is "nested", "flat", or
    # "milliseconds": nested with that unit of time.
    layout: str = ""
    events: Events = {}
    server: tuple[str, ...] = ()
    server_shape: str = "command"
    # Set in a file that we make, such as Cursor's version.
    preset: dict[str, Any] = {}
    # A file in the home folder that lies in the agent's folder when its variable moves that.
    beside: bool = False
    # whole: a file of our own, kept in hosts/files under this name.
    source: str = ""


class Switch(NamedTuple):
    """A setting that turns hooks off: the file, below the agent's folder or the project, its keys and the value."""

    path: str
    keys: tuple[str, ...]
    off: bool


class Trusted(NamedTuple):
    """The file that lists the folders whose own hooks an agent runs, and under which key; without one they are keys."""

    path: str
    key: str = ""


def _stem(path: Path) -> str:
    return path.stem


class Sessions(NamedTuple):
    """Where an agent keeps its sessions, below its folder."""

    pattern: str
    # The session's id as the agent's hooks name it, so that one session counts once however it comes in.
    id: Callable[[Path], str] = _stem
    # Whether a file is of a project, where its place tells; None: its first lines do.
    belongs: Callable[[Path, Path], bool] | None = None


class Host(NamedTuple):
    """One coding agent: its files for all of a user's projects, and for one project."""

    name: str
    title: str
    client: str
    user: tuple[Settings, ...]
    project: tuple[Settings, ...]
    # What the user must know or do after installing.
    then: str = ""
    # The variable that moves the agent's folder, and that folder below the home folder otherwise.
    config: tuple[str, str] = ("", "")
    # The oldest version all of this was seen with, where the client can be run.
    tried: tuple[int, ...] = ()
    # Settings that make the client silently skip hooks, each seen with the real client.
    switches: tuple[Switch, ...] = ()
    trusted: Trusted | None = None
    # None: it keeps no sessions in files that can be read.
    sessions: Sessions | None = None


def guarding(host: Host, tools: Iterable[str]) -> Host:
    """Return an agent wired so that its hook is also asked before these tools, where a matcher says when it is."""

    def widened(settings: Settings) -> Settings:
        name, matcher, seconds = settings.events.get("pre-tool", ("", "", 0))
        if not matcher:
            return settings
        wanted = "|".join([matcher, *(tool for tool in tools if tool not in matcher.split("|"))])
        return settings._replace(events={**settings.events, "pre-tool": (name, wanted, seconds)})

    return host._replace(user=tuple(map(widened, host.user)), project=tuple(map(widened, host.project)))


def folder(host: Host) -> Path:
    """Return the agent's own folder on this machine."""
    variable, below = host.config
    named = os.environ.get(variable, "") if variable else ""
    return Path(named) if named else Path.home() / below


def place(settings: Settings, of: Host, project: Path) -> Path:
    """Return where a settings file lies on this machine."""
    if settings.beside and os.environ.get(of.config[0]):
        return folder(of) / settings.path.rpartition("/")[2]
    return Path(settings.path.format(home=Path.home(), config=folder(of), project=project))
