"""`inject`: what an agent should know now, what one was shown before, and why."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

import click

from tenure.model.errors import BadRequest
from tenure.surfaces.cli import display
from tenure.surfaces.cli.app import App, command, fitted, plain
from tenure.text.words import one_line, spelled

if TYPE_CHECKING:
    from tenure.usecases.answers.found import Replay, Replayed
    from tenure.workspace import Workspace

LAST = "last"
MOST_LISTED = 20
_EMPTY = (
    "Nothing has been injected yet. `tenure inject QUERY` does it, and so does an agent after `tenure install AGENT`."
)
# What one injection was and the list of them take these to narrow the search, and nothing else.
_LISTED_BY = ("limit", "run", "task", "agent")


@command(
    "inject",
    example="tenure inject 'fix the failing login test' --files src/auth/login.py src/auth/token.py\n"
    "tenure inject --list\ntenure inject --replay 12",
)
@click.argument("words", nargs=-1, metavar="[QUERY]")
@click.option("--task", default="", help="The task this is for.")
@click.option("--agent", default="", help="The agent it is shown to.")
@click.option("--domain", default="", help="Leave out memories about other domains.")
@click.option("--files", multiple=True, help="Files being worked on; several may follow, after the QUERY.")
@click.option("--limit", type=click.IntRange(0, 1000), help="How many memories at most.")
@click.option("--budget", "budget_chars", type=click.IntRange(0, 1_000_000_000), help="How many characters at most.")
@click.option("--run", default="", help="The run this belongs to.")
@click.option("--explain", is_flag=True, help="Explain how the query was read, the scores, and what was left out.")
@click.option("--list", "listed", is_flag=True, help="List past injections; --run, --task, --agent narrow it.")
@click.option(
    "--replay",
    is_flag=False,
    flag_value=LAST,
    metavar="[NUMBER]",
    help="Show an earlier injection again (default: the last) and what changed since.",
)
def inject_command(
    app: App, words: tuple[str, ...], explain: bool, listed: bool, replay: str | None, **options: Any
) -> None:
    """Print the memories that fit a prompt or task, as an agent gets them; nothing when nothing fits."""
    query, more = _query(words, options["files"])
    options["files"] = (*options["files"], *more)
    with app.open() as workspace:
        if listed or replay is not None:
            _refuse_others(query, listed, replay, options)
            _answer_list(app, workspace, options) if listed else _answer_replay(app, workspace, replay or LAST)
            return
        found = workspace.inject(query, **options)
        app.notes(workspace, found.notes)
        shown, left = plain(found.memories), plain(found.suppressed)
        data: dict[str, Any] = {"block": found.block, "memories": shown, "suppressed": left}
        page = found.block
        if explain:
            data["explained"] = plain(found.explained) or {}
            kept_back = [f"Not shown: {spelled(item.id)}: {item.why}" for item in found.suppressed]
            terms = (found.explained.terms if found.explained else None) or {}
            why = "\n".join(filter(None, [display.explained(found.explained, terms), *kept_back]))
            page = "\n".join(filter(None, [page.rstrip("\n"), fitted(why, sys.stdout)]))
        # The block is printed as an agent reads it; only what explains it is broken to fit the terminal.
        app.answer(data, lambda: page, exact=True)


def _query(words: tuple[str, ...], files: tuple[str, ...]) -> tuple[str, tuple[str, ...]]:
    """Return the query and the files among the words that are no option's own: those that follow `--files`."""
    if len(words) > 1 and not files:
        raise BadRequest(f"A query is one argument; found {len(words)}.", hint="Put it in quotes.")
    query, rest = (words[0], words[1:]) if words else ("", ())
    if files and query and " " not in query and os.path.exists(query):
        # `--files a.py b.py` without a query: what looks like one is a file too.
        return "", words
    return query, rest


def _refuse_others(query: str, listed: bool, replay: str | None, options: dict[str, Any]) -> None:
    """Raise for what would be left unanswered: nothing is injected when the past is asked for."""
    narrowing = _LISTED_BY if listed else ()
    others = [name for name, value in options.items() if value not in (None, "", ()) and name not in narrowing]
    if query or others or (listed and replay is not None):
        asked = "--list" if listed else "--replay"
        raise BadRequest(
            f"{asked} shows past injections and cannot be combined with a query or other options.",
            hint=f"Run `tenure inject {asked}` alone.",
        )


def _answer_list(app: App, workspace: Workspace, options: dict[str, Any]) -> None:
    limit = MOST_LISTED if options["limit"] is None else options["limit"]
    items = workspace.injections(limit=limit, **{name: options[name] for name in ("run", "task", "agent")})
    rows = [
        [str(item.number), item.at, item.agent or "-", item.run or "-", str(item.memories), item.query or item.task]
        for item in items
    ]
    header = ["NUMBER", "WHEN", "AGENT", "RUN", "SHOWN", "FOR"]
    empty = "No injection matches." if any(options[name] for name in ("run", "task", "agent")) else _EMPTY
    app.answer({"injections": plain(items)}, lambda: display.table(rows, header) if rows else empty)


def _answer_replay(app: App, workspace: Workspace, which: str) -> None:
    if which != LAST and not (which.isascii() and which.isdigit() and len(which) < 16):
        raise BadRequest(
            f"--replay takes the number of an injection, not {one_line(which, 40)!r}.",
            hint="`tenure inject --list` shows the numbers; `--replay` alone shows the last.",
        )
    found = workspace.replay(None if which == LAST else int(which))
    app.notes(workspace)
    if found is None:
        app.answer({"number": None, "block": "", "memories": []}, lambda: _EMPTY)
        return
    data = {name: getattr(found, name) for name in found.__struct_fields__}
    data["memories"] = [{name: getattr(item, name) for name in item.__struct_fields__} for item in found.memories]
    app.answer(data, lambda: _page(found), exact=True)


def _page(found: Replay) -> str:
    """Return the block, then to whom it was shown, why each memory was in it, and what happened since."""
    to = f" to {found.agent}" if found.agent else ""
    where = f" in run {found.run}" if found.run else ""
    what = one_line(found.query or found.task, 60)
    head = f"Injection {found.number}: shown {found.at}{to}{where}{f' for {what!r}' if what else ''}."
    exact = ["The block above is exactly what was shown, except for its random nonce."] if found.exact else []
    lines = [line for item in found.memories for line in _memory(item)]
    return "\n".join(
        [found.block.rstrip("\n"), "", fitted("\n".join([head, *exact, *lines, *found.notes]), sys.stdout)]
    )


def _memory(item: Replayed) -> list[str]:
    how = ", ".join(filter(None, [f"version {item.version}" if item.version else "", item.length]))
    why = item.why or ", ".join(f"{name} {value:+.2f}" for name, value in item.terms.items()) or "not recorded"
    after = f"since then: {'; '.join(item.since)}" if item.since else "unchanged since then"
    return [f"{spelled(item.id)}{f' ({how})' if how else ''}: score {item.score:g}; why: {why}", f"  {after}"]
