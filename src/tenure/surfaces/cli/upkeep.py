"""`decay`, `upkeep`, `gc`, `scrub`, `check` and `doctor`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from tenure.surfaces.cli import display
from tenure.surfaces.cli.app import App, command, plain
from tenure.surfaces.cli.display import style
from tenure.text.words import one_line, spelled

if TYPE_CHECKING:
    from tenure.usecases.answers.changed import Scrubbed, Sweep


@command("decay", example="tenure decay --dry-run")
@click.option("--dry-run", is_flag=True, help="Show what would happen and change nothing.")
def decay_command(app: App, dry_run: bool) -> None:
    """Retire memories that expired, were contradicted, lost confidence or went unused."""
    with app.open() as workspace, display.progress("Sweeping") as progress:
        result = workspace.decay(dry_run=dry_run, progress=progress)
        app.notes(workspace, result.notes)
    app.answer(_sweep(result), lambda: _page(result, dry_run))


@command("upkeep", example="tenure upkeep --dry-run")
@click.option("--deep", is_flag=True, help="Also check what memories claim against the project.")
@click.option("--dry-run", is_flag=True, help="Show what would happen and change nothing.")
def upkeep_command(app: App, deep: bool, dry_run: bool) -> None:
    """Do the maintenance that is due: promote, decay, finish erasures, refresh the index."""
    with app.open() as workspace, display.progress("Upkeep") as progress:
        result = workspace.upkeep(deep=deep, dry_run=dry_run, progress=progress)
        app.notes(workspace, result.notes)
    app.answer(_sweep(result) | {"embedded": result.embedded}, lambda: _page(result, dry_run))


@command("gc", example="tenure gc --dry-run")
@click.option("--dry-run", is_flag=True, help="Show what would happen and change nothing.")
def gc_command(app: App, dry_run: bool) -> None:
    """Remove retired memories whose grace period is over. Archived ones are never removed."""
    with app.open() as workspace:
        found = workspace.gc(dry_run=dry_run)
        verb = "would be removed" if dry_run else "removed"
        named = f": {', '.join(map(spelled, found.purged))}" if found.purged else ""
        kept = f"{found.kept} retired {'memory is' if found.kept == 1 else 'memories are'} kept"
        app.answer(plain(found), lambda: f"{display.count(len(found.purged))} {verb}{named}; {kept}.")


@command("scrub", example="tenure scrub --dry-run")
@click.option("--dry-run", is_flag=True, help="Show what would happen and change nothing.")
def scrub_command(app: App, dry_run: bool) -> None:
    """Search all memories and their history again for secrets, with the rules of this version, and erase them.

    A memory that held one is rewritten without it, and its earlier history is erased. There is no undo.
    """
    with app.open() as workspace, display.progress("Scrubbing") as progress:
        found = workspace.scrub(dry_run=dry_run, progress=progress)
    app.answer(plain(found), lambda: _scrubbed(found, dry_run))


def _scrubbed(found: Scrubbed, dry_run: bool) -> str:
    if not found.memories and not found.injections:
        return "No secret was found."
    named = f": {', '.join(map(spelled, found.memories))}" if found.memories else ""
    verb = "would be" if dry_run else "were"
    waiting = " Another program still reads the old version; run `tenure upkeep` later." if found.pending else ""
    notes = f"; {found.injections} notes of injections {verb} reworded" if found.injections else ""
    return f"{display.count(len(found.memories))} {verb} rewritten without secrets{named}{notes}.{waiting}"


@command("check", example="tenure check --json")
@click.argument("paths", nargs=-1, metavar="[PATH]…")
def check_command(app: App, paths: tuple[str, ...]) -> int:
    """Verify every memory against the ledger, the record of all changes. Exit status 1 when something is wrong.

    With PATH, check files of another system against their schemas instead.
    """
    with app.open() as workspace, display.progress("Checking") as progress:
        problems = workspace.check(progress, paths)
        count = len(workspace.memories(all=True))
        said = [] if paths else workspace.notices().said
    # Rows are known by their id; files need their path.
    shown = ("path", "field", "message") if paths else ("field", "message")
    lines = [": ".join(spelled(getattr(problem, name)) for name in shown) for problem in problems]
    held = "No problems found." if paths else f"{display.count(count)} verified against the ledger."
    # Programs read `status` for what is no problem.
    app.answer({"problems": plain(problems)}, lambda: "\n".join([*(lines or [held]), *said]))
    return 1 if problems else 0


@command("doctor", example="tenure doctor\ntenure doctor --rebuild")
@click.option("--rebuild", is_flag=True, help="First rebuild the search index and everything else that can be rebuilt.")
def doctor_command(app: App, rebuild: bool) -> int:
    """Check the installation end to end: store, hooks, agents and a trial run. Says how to fix what is wrong."""
    from tenure.surfaces.cli.doctor import LABELS, checks

    if rebuild:
        with app.open() as workspace:
            workspace.rebuild()
    found = checks(app.store)
    lines = []
    for item in found:
        mark = style("ok  ", fg="green") if item["ok"] else style("FAIL", fg="red")
        lines.append(f"{mark} {LABELS.get(item['name'], item['name'])}: {one_line(item['detail'])}")
        if item["hint"] and not item["ok"]:
            lines.append(f"     {item['hint']}")
    app.answer({"checks": found}, lambda: "\n".join(lines))
    return 0 if all(item["ok"] for item in found) else 1


def _sweep(result: Sweep) -> dict[str, Any]:
    return {"changed": plain(result.changed), "kept": result.kept, "postponed": result.postponed}


def _page(result: Sweep, dry_run: bool) -> str:
    made = f"{display.count(result.embedded)} embedded for search by meaning." if result.embedded else ""
    if not result.changed:
        return made or f"Nothing is due: {display.count(result.kept)} unchanged."
    rows = [[item.id, item.change or f"{item.before} -> {item.after}", item.reason] for item in result.changed]
    tail = "Nothing was changed." if dry_run else "Reverse it with: tenure undo"
    more = f" {result.postponed} more wait for the next sweep." if result.postponed else ""
    end = " ".join(filter(None, (f"{result.kept} unchanged.{more}", made, tail)))
    return f"{display.table(rows, ['ID', 'CHANGE', 'WHY'])}\n{end}"
