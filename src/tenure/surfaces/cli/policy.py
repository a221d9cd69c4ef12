"""`policy`: every threshold and where it came from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from tenure.model.errors import BadRequest
from tenure.surfaces.cli import display
from tenure.surfaces.cli.app import App, command
from tenure.text.words import nearest

if TYPE_CHECKING:
    from tenure.model.policy import Setting


@command("policy", example="tenure policy decay\ntenure policy promotion.hold.failures")
@click.argument("key", default="")
def policy_command(app: App, key: str) -> None:
    """Print every setting in force and where its value comes from. KEY narrows it to a section or one value."""
    with app.open() as workspace:
        found = [s for s in workspace.settings if not key or s.key == key or s.key.startswith(f"{key}.")]
        if not found:
            close = nearest(key, [setting.key for setting in workspace.settings])
            raise BadRequest(
                f"There is no policy key {key!r}.",
                hint=f"Did you mean {' or '.join(close)}?" if close else "`tenure policy` lists every key.",
            )
        rows = [[setting.key, setting.origin, str(setting.value)] for setting in found]
        rows += [[s.key, "asked for, not in force", str(s.value)] for s in workspace.ignored]
        data = {"values": [_shown(setting) for setting in found]}
        if workspace.ignored:
            data["ignored"] = [_shown(setting) for setting in workspace.ignored]
        app.answer(data, lambda: display.table(rows, ["KEY", "FROM", "VALUE"]))


def _shown(setting: Setting) -> dict[str, Any]:
    return {"key": setting.key, "value": setting.value, "origin": setting.origin}
