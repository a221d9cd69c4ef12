"""`export` and `import`."""

from __future__ import annotations

from typing import Any

import click

from tenure.surfaces.cli import display
from tenure.surfaces.cli.app import App, command


@command("export", example="tenure export jsonl:memories.jsonl")
@click.argument("url")
def export_command(app: App, url: str) -> None:
    """Write all memories with their history to a JSON Lines file or another store; `-` is standard output."""
    with app.open() as workspace, display.progress("Exporting") as progress:
        answer = workspace.export(url, progress)
    if url != "-":
        app.answer(answer, lambda: f"{display.count(answer['written'])} written to {answer['target']}.")


@command("import", example="tenure import jsonl:memories.jsonl --dry-run")
@click.argument("url")
@click.option(
    "--trust", is_flag=True, help="Take states and counters as they are, though this user did not export them."
)
@click.option("--dry-run", is_flag=True, help="Say what would happen and change nothing.")
def import_command(app: App, url: str, trust: bool, dry_run: bool) -> None:
    """Read memories from an export or another store. A line you did not export yourself arrives as a candidate."""
    with app.open() as workspace, display.progress("Importing") as progress:
        answer = workspace.import_(url, trusted=trust, dry_run=dry_run, progress=progress)
        app.notes(workspace)
    app.answer(answer, lambda: _report(answer, dry_run))
    if not answer["written"] and answer.get("declined") == len(answer["skipped"]) > 0:
        raise click.exceptions.Exit(1)


def _report(answer: dict[str, Any], dry_run: bool) -> str:
    lines = [f"{display.count(answer['written'])} {'would be ' if dry_run else ''}imported."]
    lines += [f"  left out {item['id']}: {item['why']}" for item in answer["skipped"]]
    if uncounted := answer.get("not_counted"):
        lines.append(f"  Not your own export, so these did not count: {', '.join(uncounted)}.")
    return "\n".join(lines)
