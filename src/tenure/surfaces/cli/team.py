"""`team`: one file for each of its commands, imported when it is called."""

from __future__ import annotations

import click

from tenure.surfaces.cli.app import LazyCommands

# Command -> (module, one line).
COMMANDS: dict[str, tuple[str, str]] = {
    "check": ("team_check", "Check what the team shares as files, for a pull request."),
    "pull": ("team_pull", "Update this machine's copy of the database, which prompts read."),
    "outbox": ("team_outbox", "List the commands that wait for a database, and send them."),
    "stats": ("team_stats", "Print figures of a database for Prometheus, and how far each copy is behind."),
    "init": ("team_init", "Make roles and schema in a database, or bring them up to date."),
    "grant": ("team_roles", "Put a role into groups and let it into projects."),
    "revoke": ("team_roles", "Take a role out of a project, or out of everything."),
    "roles": ("team_roles", "List who can reach what."),
}


class TeamGroup(LazyCommands):
    """The commands of `team`."""

    commands_by_name = COMMANDS
    prefix = "team_"


@click.group("team", cls=TeamGroup, epilog="\b\nExample:\n  tenure team check --base origin/main")
@click.option("--json", is_flag=True, expose_value=False, help="Answer with one JSON document.")
def team_command() -> None:
    """Set up and manage memory that a team shares."""
