"""`add`, `capture` and `edit`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from tenure.model.errors import BadRequest, InvalidInput
from tenure.surfaces.cli.app import App, command, plain
from tenure.text.words import one_line, spelled

if TYPE_CHECKING:
    from tenure.usecases.answers.captured import Captured, LearnedPast

_COLUMNS = ("ACTION", "ID", "KIND", "WHY")


@command("add", example="tenure add 'Run make db before the tests' --kind runbook --tag tests --file Makefile")
@click.argument("text")
@click.option("--kind", default="", help="What kind of memory it is; default: lesson.")
@click.option("--title", default="", help="A short title; otherwise its first sentence.")
@click.option("--description", default="", help="One line saying what it is about.")
@click.option("--id", "chosen", default="", help="An id of your choice; otherwise one is generated.")
@click.option("--tag", "tags", multiple=True, help="A tag; may be given several times.")
@click.option("--file", "files", multiple=True, help="A file it is about; may be given several times.")
@click.option("--scope", default="project", show_default=True, help="Who it is for.")
@click.option("--source", default="", help="Its origin; agent:NAME, tool:NAME and web:NAME are trusted less than you.")
@click.option("--content", default="", metavar="JSON", help="Typed content, such as a runbook's steps.")
@click.option("--quote", default="", help="The user's exact words in this session; for agents, who need them as proof.")
@click.option("--same-as", default="", metavar="ID", help="With --quote: the memory that says this already.")
def add_command(app: App, text: str, chosen: str, content: str, quote: str, same_as: str, **fields: Any) -> None:
    """Add a memory: something worth knowing next time. TEXT may be `-` for standard input."""
    if text == "-":
        text = sys.stdin.read()
    with app.open() as workspace:
        fields |= {"id": chosen, "content": _object(content)}
        if quote:
            memory = workspace.remember(text, quote=quote, same_as=same_as, **fields)
        else:
            memory = workspace.add(text, **fields)
        app.notes(workspace, memory.notes)
        near = {"nearest": plain(memory.nearest)} if quote else {}
        app.answer(
            as_json(memory) | near,
            lambda: f"{memory.id} is {memory.state}: {memory.title}\nNext: tenure why {memory.id}",
        )


@command(
    "capture",
    example="tenure capture proposals.jsonl --run 2026-04-03-auth-fix\ntenure capture --since 30d --agent claude-code",
)
@click.argument("paths", nargs=-1, metavar="PATH…")
@click.option("--agent", default="", help="Learn from the sessions this agent has kept of the project.")
@click.option(
    "--since", default="30d", show_default=True, metavar="AGE", help="How far back, with --agent: 12h, 30d, 8w."
)
@click.option("--run", default="", help="The run these come from; one run counts once as evidence.")
@click.option("--task", default="", help="The task these come from, when there is no run.")
@click.option("--keep-going", is_flag=True, help="Skip bad lines instead of refusing the file.")
@click.option("--dry-run", is_flag=True, help="Show what would happen and change nothing.")
def capture_command(
    app: App, paths: tuple[str, ...], agent: str, since: str, run: str, task: str, keep_going: bool, dry_run: bool
) -> None:
    """Turn proposals and sessions into memories. A PATH holds JSON Lines or a transcript; `-` is standard input."""
    if bool(paths) == bool(agent):
        raise BadRequest("Name files to capture, or an agent whose sessions to learn from.", hint="See --help.")
    if agent:
        _capture_past(app, agent, since, dry_run)
        return
    with app.open() as workspace:
        answer = workspace.capture_files(paths, run=run, task=task, keep_going=keep_going, dry_run=dry_run)
        app.notes(workspace, answer.notes)
        skipped = [
            f"skipped {':'.join(map(spelled, filter(None, (item.path, item.line))))}: {one_line(item.why)}"
            for item in answer.skipped
        ]
        page = _page(answer, dry_run, _origins(answer)) or "Nothing to capture was found."
        data = {"decisions": plain(answer.decisions), "skipped": plain(answer.skipped), "read": plain(answer.read)}
        app.answer(data, lambda: "\n".join([page, *skipped, *_ending(answer, dry_run)]))


def _origins(found: Captured) -> list[str]:
    """Return for each decision which session it is from, empty for a proposal."""
    several = {one.path for one in found.read if sum(one.path == other.path for other in found.read) > 1}
    named = [f"{one.path}, session {one.session}" if one.path in several else one.path for one in found.read]
    from_sessions = [name for name, one in zip(named, found.read, strict=True) for _ in range(one.decisions)]
    return [""] * (len(found.decisions) - len(from_sessions)) + from_sessions


def _ending(found: Captured, dry_run: bool) -> list[str]:
    from tenure.surfaces.cli import display  # start-up: `add` and `edit` count nothing

    said = [f"{display.count(len(found.read), 'session', 'sessions')} read."] if found.read else []
    if dry_run:
        again = " Next: the same without --dry-run." if any(item.action != "noop" for item in found.decisions) else ""
        said.append(f"Nothing was written.{again}")
    return [" ".join(said)] if said else []


def _page(found: Captured | LearnedPast, dry_run: bool, origins: Sequence[str] = ()) -> str:
    """Return what became of each proposal; a dry run tells what each memory would say and the words it rests on."""
    from tenure.surfaces.cli import display  # start-up: `add` and `edit` print no table

    if not dry_run:
        rows = [[item.action, item.id or "-", item.kind, "; ".join(item.reasons)] for item in found.decisions]
        return display.table(rows, _COLUMNS) if rows else ""
    # A new memory gets its id when it is written; the one of a dry run leads nowhere.
    unwritten = {item.id for item in found.decisions if item.action == "create"}
    lines: list[str] = []
    for item, origin in zip(found.decisions, origins or [""] * len(found.decisions), strict=True):
        known = [spelled(item.id)] if item.id and item.id not in unwritten else []
        lines += _wrapped(" · ".join([item.action, *known, item.kind, "; ".join(item.reasons)]), 0)
        lines += _wrapped(item.text, 2) if item.text else []
        lines += _wrapped(f'said: "{one_line(item.quote)}"', 2) if item.quote else []
        lines += _wrapped(f"in: {one_line(origin)}", 2) if origin else []
    return "\n".join(lines)


def _wrapped(text: str, indent: int) -> list[str]:
    import shutil

    from tenure.surfaces.cli.review_page import wrap

    width = min(shutil.get_terminal_size().columns, 100) - indent
    return [f"{' ' * indent}{line}" for line in wrap(text, width, indent=2)]


def _capture_past(app: App, agent: str, since: str, dry_run: bool) -> None:
    from tenure.model import clock
    from tenure.surfaces.cli import ages, display

    begin = clock.after(clock.now(), -ages.days(since))
    with app.open() as workspace, display.progress("Learning") as progress:
        found = workspace.learn_past(agent, begin, dry_run=dry_run, progress=progress)
        app.notes(workspace, found.notes)
    page = _page(found, dry_run)
    said = f"{display.count(found.sessions, 'session', 'sessions')} of {agent} since {clock.stamp(begin)}"
    app.answer(
        {"sessions": found.sessions, "since": clock.stamp(begin), "decisions": plain(found.decisions)},
        lambda: f"{page}\n{said}." if page else f"Nothing new in {said}.",
    )


@command("edit", example="tenure edit m-4k7q2x9 --text 'Run make db-test before the tests' --tag database")
@click.argument("id")
@click.option("--title", help="A new title.")
@click.option("--text", help="A new text.")
@click.option("--content", metavar="JSON", help="New typed content.")
@click.option("--tag", "tags", multiple=True, help="A tag to add.")
@click.option(
    "--without-tag", "evicted", multiple=True, help="Replace this tag (needed only when the tag limit is reached)."
)
@click.option("--file", "files", multiple=True, help="A file to add.")
@click.option("--without-file", "dropped", multiple=True, help="A file to drop; it must be gone from the project.")
@click.option("--expect", "expected", type=int, help="The version you read; refuse if it has changed since.")
def edit_command(
    app: App, id: str, expected: int | None, evicted: tuple[str, ...], dropped: tuple[str, ...], **given: Any
) -> None:
    """Change what a memory says. Its id, kind and date never change."""
    fields = {name: value for name, value in given.items() if value not in (None, ())}
    if not fields and not evicted and not dropped:
        raise BadRequest("Nothing to change was given.", hint="tenure edit ID --text 'what it should say'")
    with app.open() as workspace:
        memory = workspace.get(id)
        if "content" in fields:
            fields["content"] = _object(fields["content"])
        if "tags" in fields or evicted:
            fields["tags"] = _renewed("tag", memory.tags, fields.get("tags", ()), evicted)
        if "files" in fields or dropped:
            fields["files"] = _renewed("file", memory.files, fields.get("files", ()), dropped)
        after = workspace.edit(id, expected_version=expected, **fields)
        app.notes(workspace, after.notes)
        app.answer(as_json(after), lambda: f"{spelled(after.id)} now says: {one_line(after.title)}")


def _renewed(what: str, known: Sequence[str], added: Sequence[str], dropped: Sequence[str]) -> list[str]:
    """Return a list with some items added and others dropped; name one that is not there to drop."""
    if missing := next((item for item in dropped if item not in known), None):
        raise BadRequest(f"It has no {what} {one_line(missing, 60)!r}.", hint=f"It has: {', '.join(known) or 'none'}")
    kept = [item for item in known if item not in dropped]
    return [*kept, *(item for item in added if item not in kept)]


def as_json(memory: Any) -> dict[str, Any]:
    """Return a memory in the shape scripts rely on."""
    from tenure.model.memory import as_json as convert

    return convert(memory)


def _object(text: str) -> dict[str, Any]:
    if not text:
        return {}
    from tenure.files import strict_json

    try:
        value = strict_json.decode(text)
    except InvalidInput as error:
        raise InvalidInput(f"--content: {error.message}", field="content") from None
    if not isinstance(value, dict):
        raise InvalidInput(f"--content: must be a JSON object, found {value!r:.60}.", field="content")
    return value
