"""`review`, `promote` and `log`."""

from __future__ import annotations

import click

from tenure.model.errors import BadRequest
from tenure.model.memory import as_json
from tenure.surfaces.cli import display
from tenure.surfaces.cli.app import App, command, plain


@command(
    "review", example="tenure review\ntenure review m-4k7q2x9 --decision approve --by alice --rationale 'used it twice'"
)
@click.argument("id", required=False)
@click.option("--decision", help="approve, promote_STATE, keep, weaken, supersede, reject, archive or request_review.")
@click.option("--by", default="", help="Who decides.")
@click.option("--rationale", default="", help="Why.")
@click.option("--successor", default="", help="With supersede: the memory that takes its place.")
def review_command(app: App, id: str | None, decision: str | None, by: str, rationale: str, successor: str) -> None:
    """Show what waits for a reviewer, or give a verdict on one memory."""
    with app.open() as workspace:
        if id is None and (decision or by or rationale or successor):
            raise BadRequest("A verdict needs the id of a memory.", hint="`tenure review` alone lists what waits.")
        if id is None:
            queue = workspace.queue()
            rows = [[item.id, item.state, item.needs, item.why] for item in queue]
            app.notes(workspace)
            app.answer(
                {"queue": plain(queue)},
                lambda: display.table(rows, ["ID", "STATE", "NEEDS", "WHY"]) if rows else "Nothing waits for a review.",
            )
            return
        if not decision or not by:
            raise BadRequest(
                "A verdict needs --decision and --by.", hint=f"tenure review {id} --decision keep --by you"
            )
        memory = workspace.review(id, decision, by=by, rationale=rationale, successor=successor)
        app.notes(workspace, memory.notes)
        app.answer(as_json(memory), lambda: f"{memory.id} is {memory.state}.\nNext: tenure why {memory.id}")


@command("promote", example="tenure promote --dry-run")
@click.argument("ids", nargs=-1, metavar="[ID]…")
@click.option("--mode", type=click.Choice(["inline", "batch"]), default="inline", show_default=True,
              help="Batch promotes only what a reviewer agreed to.")  # fmt: skip
@click.option("--dry-run", is_flag=True, help="Say what would happen and change nothing.")
def promote_command(app: App, ids: tuple[str, ...], mode: str, dry_run: bool) -> None:
    """Promote what has earned it, and say what each of the others still needs."""
    with app.open() as workspace:
        found = workspace.promote(ids, mode=mode, dry_run=dry_run)
        lines = [f"{item.id}: {item.before} -> {item.after}" for item in found.promoted]
        lines += [f"{item.id} waits for {'; '.join(item.needs)}" for item in found.waiting]
        app.notes(workspace, found.notes)
        app.answer(
            {"promoted": plain(found.promoted), "waiting": plain(found.waiting)},
            lambda: "\n".join(lines) or "Nothing to promote.",
        )


@command("log", example="tenure log m-4k7q2x9 --effect positive --task T-17 --by reviewer")
@click.argument("id")
@click.option("--effect", required=True, help="positive, negative, neutral, neutral_but_risky or unknown.")
@click.option("--task", default="", help="The task it was used in.")
@click.option("--by", default="", help="The agent that used it.")
@click.option("--surface", default="", help="Where it was shown.")
@click.option("--contradiction", is_flag=True, help="What happened contradicts it.")
@click.option("--notes", default="", help="What happened.")
def log_command(
    app: App, id: str, effect: str, task: str, by: str, surface: str, contradiction: bool, notes: str
) -> None:
    """Record what came of using a memory. Two failures put it under review."""
    with app.open() as workspace:
        memory = workspace.log(id, effect, task=task, by=by, surface=surface, contradiction=contradiction, notes=notes)
        app.notes(workspace, memory.notes)
        confidence = memory.signals.confidence / 100
        app.answer(as_json(memory), lambda: f"{memory.id} is {memory.state}, confidence {confidence:g}.")
