"""`team outbox`."""

from __future__ import annotations

import click

from tenure.surfaces.cli import display
from tenure.surfaces.cli.app import App, command, plain


@command("outbox", example="tenure team outbox\ntenure team outbox --send\ntenure team outbox --again 1f0c2b9a")
@click.option("--send", is_flag=True, help="Send what is waiting now.")
@click.option("--again", metavar="KEY", help="Send a refused command once more, even if its memory changed since.")
@click.option("--drop", metavar="KEY", help="Remove a command without sending it.")
def team_outbox_command(app: App, send: bool, again: str | None, drop: str | None) -> None:
    """List the commands waiting for the team's database, and those it refused."""
    with app.open() as workspace:
        sent = workspace.send_again(again) if again else workspace.send() if send else None
        dropped = workspace.drop_command(drop) if drop else None
        waiting = workspace.outbox()
    lines = [f"{sent.sent} sent, {len(sent.refused)} refused, {sent.left} still waiting."] if sent else []
    lines += [f"Dropped: {dropped.text}"] if dropped else []
    rows = [(item.key, item.at, item.command, item.memory, item.refused or "not sent yet") for item in waiting]
    table = display.table(rows, ("KEY", "GIVEN", "COMMAND", "MEMORY", "WHY IT WAITS"))
    lines += [table] if rows else [] if lines else ["The outbox is empty."]
    app.answer({"commands": plain(waiting), "sent": plain(sent), "dropped": plain(dropped)}, lambda: "\n".join(lines))
