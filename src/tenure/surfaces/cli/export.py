"""`export` and `import`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from tenure.surfaces.cli import display
from tenure.surfaces.cli.app import App, command, plain
from tenure.text.words import one_line, spelled

if TYPE_CHECKING:
    from tenure.usecases.answers.changed import Moved

# So many lines of a dry run are printed.
MOST_LISTED = 50


@command("export", example="tenure export jsonl:memories.jsonl\ntenure export jsonl:mine.jsonl --from s-1")
@click.argument("url")
@click.option(
    "--from", "source", default="", help="Only memories that this person, agent, program or session contributed to."
)
@click.option("--replace", is_flag=True, help="Write over a file that is no export.")
def export_command(app: App, url: str, source: str, replace: bool) -> None:
    """Write all memories with their history to a JSON Lines file or another store; `-` is standard output.

    `okf:FOLDER` (Open Knowledge Format) and `markdown:FILE` write what is in use, without history, for other programs.
    """
    with app.open_to_read() as workspace, display.progress("Exporting") as progress:
        answer = workspace.export(url, progress, source=source, replace=replace)
        app.notes(workspace, answer.notes)
    if url != "-":
        data = {"written": answer.written, "skipped": plain(answer.skipped), "target": answer.target}
        app.answer(data, lambda: f"{display.count(answer.written)} written to {answer.target}.")


@command("import", example="tenure import jsonl:memories.jsonl --dry-run")
@click.argument("url")
@click.option("--trust", is_flag=True, help="Keep states and counters although you did not export this yourself.")
@click.option("--dry-run", is_flag=True, help="Show what would happen and change nothing.")
def import_command(app: App, url: str, trust: bool, dry_run: bool) -> None:
    """Read memories from an export, another store or another program's files.

    What you did not export yourself arrives as a candidate. Formats: okf:, markdown: (list items, e.g. of AGENTS.md),
    cursor: (rules), copilot: (instructions), codex: (its folder of memories), mcp-memory: (the MCP reference server's
    file), basic-memory:, mem0: (JSON or history), claude-mem: (database), kage: (its packets), hindsight: (an archive).
    """
    with app.open() as workspace, display.progress("Importing") as progress:
        answer = workspace.import_(url, trusted=trust, dry_run=dry_run, progress=progress)
        app.notes(workspace, answer.notes)
    data = {name: value for name, value in plain(answer).items() if name != "notes"}
    app.answer(data, lambda: _report(answer, dry_run))
    if not answer.written and answer.declined == len(answer.skipped) > 0:
        raise click.exceptions.Exit(1)


def _report(answer: Moved, dry_run: bool) -> str:
    lines = [f"{display.count(answer.written)} {'would be ' if dry_run else ''}imported."]
    lines += [
        f"  {spelled(item.where)}: {item.state} {item.kind}, {one_line(item.title)}"
        for item in answer.arriving[:MOST_LISTED]
    ]
    if len(answer.arriving) > MOST_LISTED:
        lines.append(f"  and {len(answer.arriving) - MOST_LISTED:,} more; --json lists all")
    lines += [f"  skipped {spelled(item.id)}: {one_line(item.why)}" for item in answer.skipped]
    if answer.not_counted:
        lines.append(f"  This is not your own export, so these fields were ignored: {', '.join(answer.not_counted)}.")
    return "\n".join(lines)
