"""`retire`, `restore`, `archive`, `unarchive`, `supersede`, `undo` and `forget`."""

from __future__ import annotations

import click

from tenure.model.errors import BadRequest, Refused
from tenure.model.memory import as_json
from tenure.surfaces.cli.app import App, command
from tenure.text.words import one_line, spelled
from tenure.usecases.answers.changed import Erased

# What the ledger can number.
MOST_ENTRIES = 2**63 - 1


@command("retire", example="tenure retire m-4k7q2x9\ntenure retire m-4k7q2x9 --reason 'the service is gone'")
@click.argument("id")
@click.option("--reason", default="not wanted any more", show_default=True, help="Why.")
def retire_command(app: App, id: str, reason: str) -> None:
    """Take a memory out of use. It can be restored until `tenure gc` removes it, after its grace period."""
    with app.open() as workspace:
        memory = workspace.retire(id, reason=reason)
        app.notes(workspace, memory.notes)
        app.answer(
            as_json(memory),
            lambda: f"{spelled(memory.id)} is retired.\nBring it back with: tenure restore {spelled(memory.id)}",
        )


@command("restore", example="tenure restore m-4k7q2x9")
@click.argument("id")
def restore_command(app: App, id: str) -> None:
    """Bring back a memory that was retired, archived, rejected or decayed."""
    _bring_back(app, id)


@command("archive", example="tenure archive m-4k7q2x9")
@click.argument("id")
@click.option("--reason", default="", help="Why.")
def archive_command(app: App, id: str, reason: str) -> None:
    """Archive a memory: it is kept for good and never shown to agents."""
    with app.open() as workspace:
        memory = workspace.archive(id, reason=reason)
        app.notes(workspace, memory.notes)
        app.answer(
            as_json(memory),
            lambda: f"{spelled(memory.id)} is archived.\nBring it back with: tenure unarchive {spelled(memory.id)}",
        )


@command("unarchive", example="tenure unarchive m-4k7q2x9")
@click.argument("id")
def unarchive_command(app: App, id: str) -> None:
    """Bring back a memory from the archive."""
    _bring_back(app, id, only_from="archived")


def _bring_back(app: App, id: str, *, only_from: str | None = None) -> None:
    with app.open() as workspace:
        gone = workspace.get(id).phase == "gone"
        memory = workspace.restore(id, only_from=only_from)
        app.notes(workspace, memory.notes)
        after = " again." if gone else "; it was not gone."
        app.answer(as_json(memory), lambda: f"{spelled(memory.id)} is {memory.state}{after}")


@command("supersede", example="tenure supersede m-4k7q2x9 m-8r3wz5n --reason 'the API changed'")
@click.argument("old")
@click.argument("new")
@click.option("--reason", default="", help="Why.")
def supersede_command(app: App, old: str, new: str, reason: str) -> None:
    """Replace OLD with NEW. Each remembers the other."""
    with app.open() as workspace:
        memory = workspace.supersede(old, new, reason=reason)
        app.notes(workspace, memory.notes)
        app.answer(
            as_json(memory), lambda: f"{spelled(memory.id)} is superseded by {spelled(memory.superseded_by or '')}."
        )


@command("undo", example="tenure undo\ntenure undo 42\ntenure undo 42 --batch")
@click.argument("event", required=False, type=click.IntRange(1, MOST_ENTRIES))
@click.option("--batch", "whole", is_flag=True, help="With EVENT: everything that was written together with it.")
def undo_command(app: App, event: int | None, whole: bool) -> None:
    """Reverse everything your last command did, or one ledger entry. What agents did since then stays."""
    if whole and event is None:
        raise BadRequest("--batch needs the number of an entry.", hint="`tenure history ID` shows the numbers.")
    with app.open() as workspace:
        found = workspace.undo(event, whole=whole)
        app.notes(workspace, found.notes)
        undone = [{"seq": e.seq, "id": e.event.memory_id, "type": e.event.type} for e in found.entries]
        lines = [f"Undone: {item['type']} {spelled(str(item['id']))} (entry {item['seq']})" for item in undone]
        app.answer({"undone": undone}, lambda: "\n".join(lines))


@command("forget", example="tenure forget m-4k7q2x9 --yes\ntenure forget m-4k7q2x9 m-8w2c5d1 --yes")
@click.argument("ids", metavar="ID...", nargs=-1, required=True)
@click.option("--yes", is_flag=True, help="Really erase; there is no undo.")
def forget_command(app: App, ids: tuple[str, ...], yes: bool) -> None:
    """Erase memories completely, history included. Only their ids and the time remain."""
    with app.open() as workspace:
        # All are looked up before the first is erased, so an unknown id costs none of the others.
        found = list({memory.id: memory for memory in map(workspace.get, ids)}.values())
        if not yes:
            named = ", ".join(f"{spelled(memory.id)} ({one_line(memory.title)})" for memory in found)
            raise Refused(
                f"Forgetting {named} cannot be undone.",
                hint=f"Confirm with --yes, or retire it instead: tenure retire {spelled(found[0].id)} --reason …",
            )
        erased = workspace.forget_all([memory.id for memory in found])
        data = [{name: getattr(each, name) for name in each.__struct_fields__} for each in erased]
        app.answer(
            data[0] if len(ids) == 1 else {"erased": data},
            lambda: "\n".join(_erased(each) for each in erased),
        )


def _erased(erased: Erased) -> str:
    waiting = " A reader still holds an old view; `tenure upkeep` finishes it." if erased.pending else ""
    derived = (
        f" Related memories you may want to review: {', '.join(map(spelled, erased.derived))}."
        if erased.derived
        else ""
    )
    team = ""
    if erased.team_file:
        team = f"\nThe team still has it: git rm {spelled(erased.team_file)} && git commit. Its history keeps the text."
    copies = "".join(f"\nNot pulled yet by {copy}." for copy in erased.copies)
    entries = f"{erased.events} ledger {'entry' if erased.events == 1 else 'entries'}"
    return f"{spelled(erased.id)} is erased, with {entries}.{waiting}{derived}{team}{copies}"
