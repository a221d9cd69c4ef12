"""`start`: what a newcomer has already: stores, agents on this machine, and the sessions they kept of this project.

Looking changes nothing. What to do about it is asked by the surface, step by step.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

import msgspec

from tenure.capture import hosts, past
from tenure.files import locate
from tenure.hosts import catalog, wiring
from tenure.store import opencode
from tenure.usecases import init


class AgentHere(msgspec.Struct, frozen=True, kw_only=True):
    """A coding agent that is installed here, or kept sessions of this project."""

    agent: str
    title: str
    # Whether its program is on the path.
    installed: bool
    # Whether Tenure's hooks or server stand in its settings, for the user or for this project.
    wired: bool
    # How many sessions of this project it kept.
    sessions: int


class Situation(msgspec.Struct, frozen=True, kw_only=True):
    """The store that commands use here, the others there are, and the agents."""

    store: str
    # Why this store is used.
    origin: str
    # Whether the first write makes it.
    is_new: bool
    project: str
    found: Sequence[init.Found]
    agents: Sequence[AgentHere]


def situation(folder: Path, store: str | None, since: datetime) -> Situation:
    """Return what is here; sessions are counted from a time on."""
    place, found = init.survey(folder, store)
    agents = [_agent(agent, place.project, since) for agent in catalog.AGENTS.values()]
    return Situation(
        store=place.url,
        origin=place.origin,
        is_new=not place.path.exists(),
        project=str(place.project),
        found=found,
        agents=[each for each in agents if each.installed or each.wired or each.sessions],
    )


def _agent(agent: catalog.Agent, project: Path, since: datetime) -> AgentHere:
    root = locate.project_root(project)
    return AgentHere(
        agent=agent.name,
        title=agent.title,
        installed=shutil.which(agent.client) is not None,
        wired=any(wiring.wired(agent, scope, root) for scope in ("user", "project")),
        sessions=_sessions(agent.name, project, since),
    )


def _sessions(agent: str, project: Path, since: datetime) -> int:
    if agent not in past.AGENTS:
        return 0
    rows = opencode.sessions(hosts.opencode_database()) if agent == "opencode" else ()
    return len(past.sessions(agent, project, since, rows))
