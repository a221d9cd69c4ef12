"""`team grant`, `team revoke` and `team roles`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from tenure import workspace
from tenure.surfaces.cli import display
from tenure.surfaces.cli.app import App, command, plain

if TYPE_CHECKING:
    from tenure.usecases.answers.shared import TeamRole


@command("grant", example="tenure team grant ana member\ntenure team grant ben reviewer --domain security")
@click.argument("role")
@click.argument("groups", nargs=-1, metavar="GROUP…")
@click.option("--project", help="Only this project (default: all).")
@click.option("--domain", "domains", multiple=True, help="What a reviewer may decide about (default: everything).")
def team_grant_command(
    app: App, role: str, groups: tuple[str, ...], project: str | None, domains: tuple[str, ...]
) -> None:
    """Add a role of the database to groups: reader, agent, member, reviewer or admin."""
    _answer(app, workspace.team_grant(app.store, role, groups, project=project, domains=domains))


@command("revoke", example="tenure team revoke ana --project billing")
@click.argument("role")
@click.option("--project", help="Only this project (default: everything).")
def team_revoke_command(app: App, role: str, project: str | None) -> None:
    """Remove a role from one project, or from everything."""
    _answer(app, workspace.team_revoke(app.store, role, project=project))


@command("roles", example="tenure team roles")
def team_roles_command(app: App) -> None:
    """List who has access to which projects, and as what."""
    _answer(app, workspace.team_roles(app.store))


def _answer(app: App, roles: list[TeamRole]) -> None:
    rows = [(r.role, ", ".join(r.groups), ", ".join(r.projects), ", ".join(r.domains)) for r in roles]
    app.answer({"roles": plain(roles)}, lambda: display.table(rows, ("ROLE", "GROUPS", "PROJECTS", "REVIEWS")))
