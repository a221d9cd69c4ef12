"""`share`: what this project learned, for the whole team."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from tenure.surfaces.cli import display
from tenure.surfaces.cli.app import App, command, plain
from tenure.text.words import spelled

if TYPE_CHECKING:
    from tenure.usecases.answers.shared import SharedFiles, Synced


@command("share", example="tenure share m-7kq2xva\ntenure share m-7kq2xva --since HEAD")
@click.argument("ids", metavar="ID...", nargs=-1, required=True)
@click.option(
    "--since",
    "commit",
    metavar="COMMIT",
    default="",
    help="The commit that made it true; the memory counts only where the history has it.",
)
@click.option("--replace", is_flag=True, help="Overwrite a file that somebody edited since you shared it.")
@click.option("--dry-run", is_flag=True, help="Show what would happen and change nothing.")
def share_command(app: App, ids: tuple[str, ...], commit: str, replace: bool, dry_run: bool) -> None:
    """Write memories as files in .tenure/team, one each, for the next commit. The pull request is the review."""
    with app.open() as workspace:
        answer = workspace.share(ids, commit=commit, replace=replace, dry_run=dry_run)
    app.answer(plain(answer), lambda: _report(answer, dry_run))


def _report(answer: SharedFiles, dry_run: bool) -> str:
    done = "would be written" if dry_run else "written"
    lines = [f"{spelled(file.id)} {done} to {file.path} as {file.shared_as}" for file in answer.files]
    lines += [
        f"  Something that looks like a secret was removed from {file.path}." for file in answer.files if file.redacted
    ]
    if not dry_run:
        lines.append(f"Next: {answer.commit} && git commit")
    return "\n".join(lines)


@command("sync", example="tenure sync ~/Dropbox/tenure\ntenure sync git:git@example.org:me/memory.git")
@click.argument("remote")
@click.option("--name", default="", help="The project's name there; default: the folder's name.")
@click.option("--join", is_flag=True, help="What is there is this project, though both synced apart before.")
def sync_command(app: App, remote: str, name: str, join: bool) -> None:
    """Sync your memory between your machines, through a folder or a private repository (git:URL).

    Each machine writes its own file, sealed with your key, so there are no conflicts. All need the same seal.key.
    """
    with app.open() as workspace:
        answer = workspace.sync(remote, name=name, join=join)
    app.answer(plain(answer), lambda: _synced(answer))


def _synced(answer: Synced) -> str:
    others = display.count(len(answer.machines), "other machine", "other machines")
    taken = display.count(answer.taken, "event", "events")
    lines = [f"{taken} received from {others}; this machine's file has {answer.sent}."]
    lines += [f"  erased here too, as on another machine: {spelled(id)}" for id in answer.forgotten]
    for machine, ids in answer.unseen.items():
        named = ", ".join(map(spelled, ids))
        lines.append(f"  machine {spelled(machine)} has not erased these forgotten memories yet: {named}")
    return "\n".join(lines)
