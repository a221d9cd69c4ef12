"""`team`: one file for each of its commands, imported when it is called."""

from __future__ import annotations

import importlib

import click

# Command -> (module, one line).
COMMANDS: dict[str, tuple[str, str]] = {
    "check": ("team_check", "Check what the team shares as files, for a pull request."),
    "pull": ("team_pull", "Bring this machine's copy of a database in step: what prompts read."),
    "init": ("team_init", "Make roles and schema in a database, or bring them up to date."),
    "grant": ("team_roles", "Put a role into groups and let it into projects."),
    "revoke": ("team_roles", "Take a role out of a project, or out of everything."),
    "roles": ("team_roles", "List who reaches what."),
}


class TeamGroup(click.Group):
    """A group that imports a command's module when the command is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        module = importlib.import_module(f"tenure.surfaces.cli.{COMMANDS[name][0]}")
        found: click.Command = getattr(module, f"team_{name}_command")
        return found

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in COMMANDS.items()])


@click.group("team", cls=TeamGroup, epilog="\b\nExample:\n  tenure team check --base origin/main")
@click.option("--json", is_flag=True, expose_value=False, help="Answer with one JSON document.")
def team_command() -> None:
    """Set up and look after memory that several people share."""
