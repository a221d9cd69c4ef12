"""`team`: one file for each of its commands, imported when it is called."""

from __future__ import annotations

import click

from tenure.model.errors import BadRequest
from tenure.surfaces.cli.app import LazyCommands

# Command -> (module, one line).
COMMANDS: dict[str, tuple[str, str]] = {
    "check": ("team_check", "Check what the team shares as files, for a pull request."),
    "pull": ("team_pull", "Update this machine's copy of the database, which prompts read."),
    "outbox": ("team_outbox", "List the commands waiting for a database, and send them."),
    "stats": ("team_stats", "Print figures of a database for Prometheus, and how far each copy lags behind."),
    "init": ("team_init", "Create the roles and the schema in a database, or update them."),
    "grant": ("team_roles", "Add a role to groups and give it access to projects."),
    "revoke": ("team_roles", "Remove a role from one project, or from everything."),
    "roles": ("team_roles", "List who has access to what."),
}


class TeamGroup(LazyCommands):
    """The commands of `team`."""

    commands_by_name = COMMANDS
    prefix = "team_"


@click.group(
    "team", cls=TeamGroup, invoke_without_command=True, epilog="\b\nExample:\n  tenure team check --base origin/main"
)
@click.option("--json", is_flag=True, expose_value=False, help="Answer with one JSON document.")
@click.pass_context
def team_command(ctx: click.Context) -> None:
    """Set up and manage memory that a team shares."""
    if ctx.invoked_subcommand is None:
        if not ctx.obj.json:
            click.echo(f"{ctx.get_help()}\n", err=True)
        raise BadRequest("`tenure team` needs a command.", hint=f"Name one of: {', '.join(COMMANDS)}")
