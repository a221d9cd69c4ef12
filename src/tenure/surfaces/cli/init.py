"""`init`: what is there, what will be used, and what to type next."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import click

from tenure import workspace
from tenure.surfaces.cli.app import App, command


@command("init", example="tenure init\ntenure init --use claude-memory:.claude/memory")
@click.option("--use", "url", metavar="URL", help="Write down that this project uses this store.")
def init_command(app: App, url: str | None) -> None:
    """Say which memory this project has and which of it Tenure uses. Nothing is changed without --use."""
    folder = Path.cwd()
    written = str(workspace.choose(url, folder)) if url else ""
    place, there = workspace.survey(folder, app.store)
    clients = _clients()
    data = {
        "store": place.url,
        "origin": place.origin,
        "found": [{"url": found.url, "used": found.used} for found in there],
        "agents": clients,
        "written": written,
    }
    app.answer(data, lambda: _text(data, new=not place.path.exists()))


def _clients() -> list[dict[str, Any]]:
    """Return the coding agents on this machine, and whether they are wired."""
    from tenure.files import locate
    from tenure.hosts import catalog, wiring

    project = locate.project_root(Path.cwd())
    return [
        {"agent": agent.name, "wired": any(wiring.wired(agent, scope, project) for scope in ("user", "project"))}
        for agent in catalog.HOSTS.values()
        if shutil.which(agent.client)
    ]


def _text(data: dict[str, Any], *, new: bool) -> str:
    lines = [f"Wrote {data['written']}."] if data["written"] else []
    begins = ", made by the first write" if new else ""
    lines.append(f"Store: {data['store']} ({data['origin']}{begins})")
    others = [_short(found["url"]) for found in data["found"] if not found["used"]]
    lines += [f"Also here: {url}" for url in others]
    if others:
        lines.append(f"Use another with: tenure init --use {others[0]} · take it over with: tenure import {others[0]}")
    for client in data["agents"]:
        done = "is wired" if client["wired"] else f"is not wired: tenure install {client['agent']}"
        lines.append(f"Agent: {client['agent']} {done}")
    lines.append("Next: tenure audit · tenure add 'what you learned'" if new else "Next: tenure list · tenure audit")
    return "\n".join(lines)


def _short(url: str) -> str:
    """Return a URL as it can be typed in this folder."""
    scheme, _, path = url.partition(":")
    here = Path.cwd()
    return f"{scheme}:{Path(path).relative_to(here)}" if Path(path).is_relative_to(here) else url
