"""`team pull`."""

from __future__ import annotations

from tenure.surfaces.cli import display
from tenure.surfaces.cli.app import App, command, plain


@command("pull", example="tenure team pull")
def team_pull_command(app: App) -> None:
    """Update this machine's copy of the team's database; prompts read the copy, never the network."""
    with app.open() as workspace:
        found = workspace.pull()
    if found is None:
        app.answer({"pulled": None}, lambda: "This project's memory is on this machine, so there is nothing to pull.")
        return
    memories = display.count(found.memories, "memory", "memories")
    app.answer(
        {"pulled": plain(found)},
        lambda: (
            f"Your copy has {memories} (ledger entry {found.entry}):"
            f" {found.came} added, {found.edited} changed, {found.gone} removed."
        ),
    )
