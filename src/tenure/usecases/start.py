"""`start`: what a newcomer has already: stores, agents on this machine, and the sessions they kept of this project.

Looking changes nothing. The surface asks what to do about it, step by step.
"""

from __future__ import annotations

import shutil
from datetime import datetime
from pathlib import Path

from tenure.capture import kept_sessions, markdown_sessions, session_formats
from tenure.files import locate
from tenure.hosts import catalog, install
from tenure.hosts.api import Host
from tenure.store import opencode
from tenure.usecases import init
from tenure.usecases.answers.start import AgentHere, SessionFiles, Situation


def situation(folder: Path, store: str | None, since: datetime) -> Situation:
    """Return what is here; sessions are counted from a time on."""
    place, found = init.survey(folder, store)
    agents = [_agent(host, place.project, since) for host in catalog.HOSTS.values()]
    return Situation(
        store=place.url,
        origin=place.origin,
        is_new=not place.path.exists(),
        project=str(place.project),
        found=found,
        agents=[each for each in agents if each.installed or each.wired or each.sessions],
        session_files=_session_files(place.project),
    )


def _session_files(project: Path) -> list[SessionFiles]:
    counts = {
        tool: sum(path.is_file() for path in project.glob(pattern))
        for tool, pattern in markdown_sessions.PLACES.items()
    }
    return [SessionFiles(tool=tool, pattern=markdown_sessions.PLACES[tool], count=n) for tool, n in counts.items() if n]


def _agent(host: Host, project: Path, since: datetime) -> AgentHere:
    root = locate.project_of(project)
    return AgentHere(
        agent=host.name,
        title=host.title,
        client=host.client,
        installed=shutil.which(host.client) is not None,
        wired=any(install.wired(host, scope, root) for scope in ("user", "project")),
        sessions=_sessions(host, project, since),
    )


def _sessions(host: Host, project: Path, since: datetime) -> int:
    if host.name == "opencode":
        return len(
            kept_sessions.sessions(host.name, project, since, opencode.sessions(session_formats.opencode_database()))
        )
    return len(kept_sessions.sessions(host.name, project, since)) if host.sessions else 0
