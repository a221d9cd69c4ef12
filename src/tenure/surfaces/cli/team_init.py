"""`team init`."""

from __future__ import annotations

import click

from tenure import workspace
from tenure.surfaces.cli.app import App, command, plain


@command("init", example="tenure --store postgresql://admin@host/database team init --approvals 1")
@click.option(
    "--approvals", type=int, help="How many others must agree before a memory is used, in projects made from now on."
)
def team_init_command(app: App, approvals: int | None) -> None:
    """Create the schema and the groups reader, agent, member, reviewer and admin in a database."""
    made = workspace.team_init(app.store, approvals=approvals)

    def text() -> str:
        done = f"{len(made.migrations)} migrations ran" if made.migrations else "was up to date"
        others = "1 other" if made.approvals == 1 else f"{made.approvals} others"
        return (
            f"{made.place}: {done}. In new projects {others} must agree before a memory is used.\n"
            "Next: create a role for each person and agent, then: tenure team grant ROLE GROUP"
        )

    app.answer(plain(made), text)
