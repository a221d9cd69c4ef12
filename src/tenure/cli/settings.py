"""`policy`: every threshold and where it came from."""

from __future__ import annotations

import click

from tenure.cli import display
from tenure.cli.app import App, command
from tenure.errors import BadRequest
from tenure.text import nearest


@command("policy", example="tenure policy decay\ntenure policy promotion.hold.failures")
@click.argument("key", default="")
def policy_command(app: App, key: str) -> None:
    """Print every threshold in force and where it came from; KEY narrows it to a section or a value."""
    with app.open() as workspace:
        found = [s for s in workspace.settings if not key or s.key == key or s.key.startswith(f"{key}.")]
        if not found:
            close = nearest(key, [setting.key for setting in workspace.settings])
            raise BadRequest(
                f"There is no policy key {key!r}.", hint=f"Did you mean {' or '.join(close)}?" if close else ""
            )
        rows = [[setting.key, setting.origin, str(setting.value)] for setting in found]
        app.answer(
            {"values": [{"key": s.key, "value": s.value, "origin": s.origin} for s in found]},
            lambda: display.table(rows, ["KEY", "FROM", "VALUE"]),
        )
