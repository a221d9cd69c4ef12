"""`review`, `promote` and `log`."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from tenure.model.errors import BadRequest, TenureError
from tenure.model.memory import as_json
from tenure.surfaces.cli.app import App, command, plain
from tenure.text.words import one_line, spelled

if TYPE_CHECKING:
    from tenure.workspace import Workspace


@command(
    "review",
    example="tenure review\ntenure review m-4k7q2x9 m-7b1c0d3 --drop\n"
    "tenure review m-4k7q2x9 --decision approve --by alice --rationale 'used it twice'",
)
@click.argument("ids", nargs=-1, metavar="[ID]…")
@click.option("--keep", is_flag=True, help="Give each the verdict that keeps it.")
@click.option("--drop", is_flag=True, help="Give each the verdict that drops it.")
@click.option("--decision", help="approve, promote_STATE, keep, weaken, supersede, reject, archive or request_review.")
@click.option("--by", default="", help="Who decides; needed with --decision.")
@click.option("--rationale", default="", help="Why.")
@click.option("--successor", default="", help="With supersede: the memory that takes its place.")
@click.option("--plain", "as_lines", is_flag=True, help="Print lines at a terminal too, instead of the screen.")
def review_command(
    app: App,
    ids: tuple[str, ...],
    keep: bool,
    drop: bool,
    decision: str | None,
    by: str,
    rationale: str,
    successor: str,
    as_lines: bool,
) -> None:
    """Work through what waits for a reviewer, or give a verdict on the memories named.

    What matters most comes first. At a terminal this is a screen: a keeps, x drops, e edits, s merges,
    space marks several. In a pipe it prints one line for each memory.
    """
    if keep + drop + bool(decision) > 1:
        raise BadRequest("--keep, --drop and --decision are verdicts: give one.", hint="tenure review --help")
    quick = "keep" if keep else "drop" if drop else None
    with app.open() as workspace:
        if not ids and (quick or decision or rationale or successor):
            raise BadRequest("A verdict needs the id of a memory.", hint="`tenure review` alone lists what waits.")
        if not ids:
            _work(app, workspace, by, as_lines=as_lines)
            return
        if bool(quick) == bool(decision) or (decision and not by):
            raise BadRequest(
                "A verdict needs --decision and --by, or --keep or --drop.",
                hint=f"tenure review {ids[0]} --keep · tenure review {ids[0]} --decision keep --by you",
            )
        _judge(app, workspace, ids, quick, decision or "", by, rationale, successor)


def _work(app: App, workspace: Workspace, by: str, *, as_lines: bool) -> None:
    from tenure.surfaces.cli import review_page, review_screen  # start-up: verdicts need neither

    queue = workspace.queue()
    app.notes(workspace)
    at_terminal = sys.stdin.isatty() and sys.stdout.isatty() and os.environ.get("TERM", "dumb") != "dumb"
    # An agent in a terminal of its own would sit before the screen for ever, and may not decide.
    if queue and at_terminal and not (app.json or as_lines or workspace.actor.is_agent):
        decided = review_screen.work(workspace, queue, by or workspace.actor.user or "user")
        left = workspace.queue_page(0, 1).total
        click.echo(f"{decided} decided, {left} still wait." if decided else f"Nothing was decided; {left} wait.")
        return
    app.answer(
        {"queue": plain(queue)},
        lambda: review_page.plain_lines(queue) if queue else "Nothing waits for a review.",
    )


def _judge(
    app: App,
    workspace: Workspace,
    given: Sequence[str],
    quick: str | None,
    decision: str,
    by: str,
    rationale: str,
    successor: str,
) -> None:
    """Give one verdict on each memory; an unknown id stops before the first, a refusal stops only its own."""
    # What a session suggests for another system's folder waits without being a memory yet.
    suggested = {row.id for row in workspace.waiting(given) if row.state == "suggested"}
    ids = list(dict.fromkeys(id if id in suggested else workspace.get(id).id for id in given))
    rows = {row.id: row for row in workspace.waiting(ids)} if quick else {}
    memories, failures = [], []
    for id in ids:
        row = rows.get(id)
        verdict = decision or (row.keep if row and quick == "keep" else row.drop if row else "")
        who = by or (row.reviewer if row and row.reviewer != "user" else workspace.actor.user or "user")
        try:
            memory = workspace.review(
                id,
                verdict or ("keep" if quick == "keep" else "reject"),
                by=who,
                rationale=rationale,
                successor=successor,
            )
        except TenureError as error:
            if len(ids) == 1 or error.code == "NEEDS_PERSON":
                raise
            failures.append((id, error))
            continue
        app.notes(workspace, memory.notes)
        memories.append(memory)
    lines = [f"{spelled(memory.id)} is {memory.state}." for memory in memories]
    lines += [f"{spelled(id)}: {one_line(error.message)}" for id, error in failures]
    if len(ids) == 1:
        app.answer(as_json(memories[0]), lambda: f"{lines[0]}\nNext: tenure why {spelled(memories[0].id)}")
        return
    failed = [{"id": id, "code": error.code, "message": error.message, "hint": error.hint} for id, error in failures]
    app.answer({"memories": [as_json(memory) for memory in memories], "failed": failed}, lambda: "\n".join(lines))
    if failures:
        click.get_current_context().exit(failures[0][1].exit_status)


@command("promote", example="tenure promote --dry-run")
@click.argument("ids", nargs=-1, metavar="[ID]…")
@click.option("--mode", type=click.Choice(["inline", "batch"]), default="inline", show_default=True,
              help="batch: promote only what a reviewer agreed to.")  # fmt: skip
@click.option("--dry-run", is_flag=True, help="Show what would happen and change nothing.")
def promote_command(app: App, ids: tuple[str, ...], mode: str, dry_run: bool) -> None:
    """Promote memories that have enough evidence, and show what the others still need."""
    with app.open() as workspace:
        found = workspace.promote(ids, mode=mode, dry_run=dry_run)
        lines = [f"{spelled(item.id)}: {item.before} -> {item.after}" for item in found.promoted]
        lines += [f"{spelled(item.id)} still needs {'; '.join(item.needs)}" for item in found.waiting]
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
    """Record how using a memory turned out. Two failures put it under review, or one that an
    agent or a script reports.
    """
    with app.open() as workspace:
        memory = workspace.log(id, effect, task=task, by=by, surface=surface, contradiction=contradiction, notes=notes)
        app.notes(workspace, memory.notes)
        confidence = memory.signals.confidence / 100
        app.answer(as_json(memory), lambda: f"{spelled(memory.id)} is {memory.state}, confidence {confidence:g}.")
