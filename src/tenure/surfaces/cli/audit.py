"""`audit` and `route`."""

from __future__ import annotations

import json
import math
import os
import sys
from typing import TYPE_CHECKING, Any

import click

from tenure.model.errors import BadRequest
from tenure.surfaces.cli import display
from tenure.surfaces.cli.app import App, command, fitted, plain


def _number(_: click.Context, parameter: click.Parameter, value: float | None) -> float | None:
    """Refuse nan, which click takes to be within every range."""
    if value is not None and math.isnan(value):
        raise click.BadParameter("nan is not a number from 0 to 1.", param=parameter)
    return value


if TYPE_CHECKING:
    from tenure.audit.findings import Report
    from tenure.usecases.answers.guards import Obeyed


@command(
    "audit",
    example="tenure audit --deep\ntenure audit --fix --dry-run\ntenure audit --deep --fail-on broken --format github",
)
@click.argument("path", required=False, metavar="[PATH]")
@click.option("--deep", is_flag=True, help="Check what they say against the project and its history.")
@click.option("--fix", is_flag=True, help="Mend references to files that only moved; implies --deep.")
@click.option("--dry-run", is_flag=True, help="With --fix: show the changes and make none.")
@click.option("--undo", "take_back", is_flag=True, help="Take back what the last --fix here changed.")
@click.option("--perhaps", is_flag=True, help="Also list what may be broken; implies --deep.")
@click.option(
    "--docs",
    is_flag=True,
    help="Also check README, CONTRIBUTING and the pages that instruction files name; implies --deep.",
)
@click.option("--obeyed", is_flag=True, help="Instead, show which rules agents followed in their past sessions.")
@click.option("--sessions", "session_files", multiple=True, metavar="FILE",
              help="With --obeyed: read these session files instead of this project's own.")  # fmt: skip
@click.option("--online", is_flag=True, help="Also check that URLs answer.")
@click.option(
    "--min-confidence",
    type=click.FloatRange(0, 1),
    callback=_number,
    help="With --fix: apply every repair that is at least this certain.",
)
@click.option("--fail-on", multiple=True, type=click.Choice(["broken", "stale", "secrets"]),
              help="Exit with status 1 when found; may be given several times. `broken` implies --deep.")  # fmt: skip
@click.option("--html", "picture_file", metavar="FILE",
              help="Write one self-contained page to FILE, to look at or to send; implies --deep.")  # fmt: skip
@click.option("--format", "form", default="text", show_default=True,
              type=click.Choice(["text", "json", "sarif", "github"]), help="How to answer.")  # fmt: skip
def audit_command(
    app: App,
    path: str | None,
    deep: bool,
    take_back: bool,
    obeyed: bool,
    session_files: tuple[str, ...],
    fail_on: tuple[str, ...],
    picture_file: str | None,
    form: str,
    **options: Any,
) -> int:
    """Check what agents read: CLAUDE.md, AGENTS.md, rules and memories. Only --fix and --undo change it."""
    # Start-up: the audit's own modules are not needed for the command's help.
    from tenure import workspace
    from tenure.audit import report, terminal_report

    _refuse_what_has_no_effect(app, obeyed, session_files, form, options)
    if obeyed:
        return _obeyed(app, session_files)
    if options["dry_run"] and take_back:
        raise BadRequest("--undo has no dry run.", hint="Look at the files first, for example with git diff.")
    if take_back:
        undone = workspace.undo_audit(app.store, path)
        app.answer({"undone": [each.file for each in undone]}, lambda: "\n".join(f"Back: {e.file}" for e in undone))
        return 0
    deep = deep or options["perhaps"] or options["docs"] or "broken" in fail_on or picture_file is not None
    with display.progress("Reading the code") as progress:
        found = workspace.audit(app.store, path, deep=deep, progress=progress, **options)
    failed = report.fails(found, set(fail_on))
    if picture_file is not None:
        _draw(found, picture_file)
    if app.json or form == "json":
        app.json = True
        app.answer(report.as_json(found), str)
    elif form == "sarif":
        print(json.dumps(report.as_sarif(found), indent=1))
    elif form == "github":
        sys.stdout.write(report.as_annotations(found))
    else:
        told = terminal_report.render(found, colour=sys.stdout.isatty() and not os.environ.get("NO_COLOR"))
        print(fitted(told, sys.stdout))
        if picture_file is not None:
            print(f"\nThe page is in {picture_file}.")
    return 1 if failed else 0


def _refuse_what_has_no_effect(
    app: App, obeyed: bool, session_files: tuple[str, ...], form: str, options: dict[str, Any]
) -> None:
    """Raise `BadRequest` for an option that would be ignored beside, or without, another one."""
    if session_files and not obeyed:
        raise BadRequest("--sessions needs --obeyed.", hint="tenure audit --obeyed --sessions FILE")
    if app.json and form in ("sarif", "github"):
        raise BadRequest(f"--json and --format {form} are two answers.", hint="Leave one of them out.")
    if options["min_confidence"] is not None and not options["fix"]:
        raise BadRequest("--min-confidence needs --fix.", hint="tenure audit --fix --dry-run --min-confidence 0.9")


def _obeyed(app: App, files: tuple[str, ...]) -> int:
    """Say which rules were kept and which were broken, each with a call that shows it."""
    from pathlib import Path

    with app.open() as workspace:
        found = workspace.obeyed(files=[Path(file) for file in files])
        app.answer(plain(found), lambda: _kept(found))
    return 0


def _kept(found: Obeyed) -> str:
    # Without a session nothing was looked at, so no rule was irrelevant either.
    told, never = [], [rule for rule in found.checked if found.sessions and not rule.relevant]
    for rule in found.checked:
        if rule.relevant:
            counts = f"relevant in {rule.relevant}, kept in {rule.kept}, broken in {rule.broken}"
            told.append(f"{rule.where}  {counts}: {rule.rule}")
            told += [f"    {call.at[:16]}  {call.host}  {call.call}" for call in rule.calls]
    told += [f"{rule.where}  never relevant: {rule.rule}" for rule in never]
    told += [f"{rule.where}  says the same as {rule.same_as}" for rule in found.checked if rule.same_as]
    broken = sum(rule.broken > 0 for rule in found.checked)
    head = f"{display.count(found.sessions, 'session', 'sessions')}, {found.calls:,} calls. "
    if not found.checked:
        return f"{head}None of the {found.rules} lines names a command or a path that a check can be derived from."
    if not found.sessions:
        told = [f"{rule.where}  can be checked: {rule.rule}" for rule in found.checked] + told
        head = "No session of this project was found, so nothing says whether its rules are kept. "
        head += f"Of {found.rules} lines {len(found.checked)} can be checked"
        return "\n".join([f"{head}; name sessions with --sessions FILE.", *told])
    head += f"Of {found.rules} lines {len(found.checked)} can be checked: {broken} broken, {len(never)} never relevant;"
    return "\n".join([f"{head} the others cannot be checked.", *told])


def _draw(found: Report, file: str) -> None:
    """Write a report as one self-contained page; raise `BadRequest` when it cannot be written there."""
    from pathlib import Path

    from tenure.audit import html_report
    from tenure.files import durable

    target = Path(file).absolute()
    try:
        durable.replace(target, html_report.render(found, Path(found.root).name).encode("utf-8", errors="replace"))
    except OSError as error:
        raise BadRequest(f"{file!r} cannot be written: {error.strerror}.", hint="Name a file in a folder.") from error


@command(
    "route",
    example="tenure route 'prefer small functions over clever ones'\ntenure route 'always run make lint' --apply",
)
@click.argument("text")
@click.option("--apply", "write", is_flag=True, help="Write it there.")
@click.option("--session", default="", metavar="FILE", help="The transcript whose project it belongs to.")
def route_command(app: App, text: str, write: bool, session: str) -> None:
    """Suggest where a lesson belongs, and say why: a value (how you like to work), a memory, CLAUDE.md or elsewhere."""
    from tenure import workspace  # start-up: not needed for the command's help

    if text == "-":
        text = sys.stdin.read()
    found = workspace.route(text, store=app.store, session=session, write=write)
    data = {name: getattr(found, name) for name in found.__struct_fields__}
    app.answer(data, lambda: _routed(found, asked=write))


def _routed(found: Any, *, asked: bool) -> str:
    if found.destination == "skip":
        return f"skip: {found.reason}."
    kind = f" (type {found.kind})" if found.kind else ""
    head = f"{found.destination}{kind}: {found.reason}."
    if asked:
        return f"{head}\nWritten: {found.written}"
    return f"{head}\nIt belongs in {found.path}. Write it there with --apply."
