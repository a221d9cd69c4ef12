"""`guard`, `guards` and `allow`."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tenure.model import clock
from tenure.model.errors import BadRequest
from tenure.surfaces.cli import display
from tenure.surfaces.cli.app import App, command, plain
from tenure.text.words import one_line, spelled

if TYPE_CHECKING:
    from tenure.model.guard import Guard, Level, Tool
    from tenure.usecases.answers.guards import DryRun, PastFire
    from tenure.workspace import Workspace

LEVELS = ("count", "remind", "ask", "deny")
EXPORT = "export"
QUIT = "quit"
NONE_YET = "No guards yet. Turn a memory into one with: tenure guard ID"


@command(
    "guard",
    example="tenure guard m-4k7q2x9\ntenure guard m-4k7q2x9 --level remind\ntenure guard export --to claude-code",
)
@click.argument("id", metavar="ID|export")
@click.option("--level", type=click.Choice(LEVELS), help="Switch it on at this level; needs a person.")
@click.option("--deny-now", is_flag=True, help="Let it deny at once, before past fires have shown that it is right.")
@click.option("--off", is_flag=True, help="Switch it off; needs a person.")
@click.option("--propose", is_flag=True, help="Only write the guard down; a person confirms it later.")
@click.option("--tool", type=click.Choice(["run", "edit", "read", "any"]), help="The kind of tool call it checks.")
@click.option("--command", "commands", multiple=True, metavar="LINE",
              help="A command it fires at: program, words, and options of which one must be present.")  # fmt: skip
@click.option("--path", "paths", multiple=True, metavar="GLOB", help="Files it fires at, in .gitignore syntax.")
@click.option("--except", "spared", multiple=True, metavar="GLOB", help="Files it ignores.")
@click.option("--text", "texts", multiple=True, help="Fire only at a call that adds this text.")
@click.option("--fires", multiple=True, metavar="EXAMPLE", help="An example that fires: 'run LINE', 'edit PATH', …")
@click.option("--passes", multiple=True, metavar="EXAMPLE", help="An example that passes.")
@click.option("--days", default=30, show_default=True, help="How far back the dry run looks.")
@click.option("--sessions", "files", multiple=True, type=click.Path(exists=True, path_type=Path), metavar="FILE",
              help="Try it on these session files instead of this project's own.")  # fmt: skip
@click.option("--to", "target", default="claude-code", show_default=True,
              type=click.Choice(["claude-code", "opencode", "gemini", "pre-commit"]),
              help="With export: the format to write.")  # fmt: skip
def guard_command(
    app: App, id: str, level: Level | None, deny_now: bool, off: bool, propose: bool, days: int, target: str,
    files: tuple[Path, ...], **parts: Any,
) -> None:  # fmt: skip
    """Turn a memory into a check at tool calls. Shows where it would have fired in past sessions.

    Nothing is switched on without --level or, at a terminal, your answer.
    """
    with app.open() as workspace:
        if id == EXPORT:
            _export(app, workspace, target)
            return
        if off:
            after = workspace.guard_off(id)
            app.notes(workspace, after.notes)
            app.answer(
                {"id": after.id, "guard": plain(after.guard)}, lambda: f"The guard of {spelled(after.id)} is off."
            )
            return
        level = "deny" if level is None and deny_now else level
        guard = _given(parts) if any(parts.values()) else workspace.suggested_guard(id)
        tried = workspace.try_guard(guard, days=days, files=files)
        answer = {"id": id, "guard": plain(guard), "dry_run": plain(tried)}
        judged: dict[str, int] = {}
        if not app.json:
            condition = "" if any(parts.values()) else workspace.unchecked_condition(id)
            app.answer({}, lambda: _shown(guard, tried, condition))
            # Verdicts stay with a guard that is switched on, and the same fires of the past count once.
            fresh = guard.state != "on" and not guard.right and not guard.wrong
            answered = _asked_about(tried.fires) if fresh and not propose else {}
            if answered is None:
                app.answer({}, lambda: _not_on(id, parts))
                return
            judged = answered
        elif level is None and not propose:
            app.answer(answer, str)
            return
        if level is None and not propose:
            level = _asked_for_level()
            # Whoever types it at the question may not know that a guard earns it by its fires.
            deny_now = level == "deny" and click.confirm("Deny at once, before any of its fires is judged?", err=True)
        if level is None and not propose:
            if guard.state != "on":
                app.answer({}, lambda: _not_on(id, parts))
            return
        if level is None:
            after = workspace.propose_guard(id, guard)
        else:
            after = workspace.confirm_guard(id, level, guard=guard, deny_now=deny_now, judged=judged)
        app.notes(workspace, after.notes)
        if level is not None and (tools := guard.also_asked):
            told = f"For Claude Code to check {' and '.join(tools)} calls too, run again: tenure install claude-code"
            app.notes(workspace, [told])
        if level is not None:
            app.notes(workspace, _without_agent(app))
        said = "proposed; a person can switch it on with --level" if level is None else f"on: {level}"
        app.answer(answer | {"guard": plain(after.guard)}, lambda: f"The guard of {spelled(after.id)} is {said}.")


@command("guards", example="tenure guards")
@click.option("--judge", "verdict", type=click.Choice(["right", "wrong"]), help="Judge one fire; needs a person.")
@click.option("--fire", type=int, default=0, help="With --judge: the number of the fire.")
def guards_command(app: App, verdict: str | None, fire: int) -> None:
    """List guards: what each looks for, its fires in 30 days and how they were judged. At a terminal you can judge."""
    with app.open() as workspace:
        found = workspace.guards()
        waiting = [(report.id, one) for report in found for one in report.unjudged]
        if verdict is not None:
            owner = next((id for id, one in waiting if one.number == fire), None)
            if owner is None:
                hint = "`tenure guards --json` lists the fires that wait, each with its number."
                raise BadRequest(f"There is no fire {fire} that waits for a verdict.", hint=hint)
            before = next(report.level for report in found if report.id == owner)
            after = workspace.judge_guard(owner, verdict, fire=fire)
            app.answer({"id": owner, "guard": plain(after.guard)}, lambda: _judged(owner, verdict, before, after.guard))
            return
        rows = [
            [r.id, r.state, r.level, str(r.fires), str(r.right), str(r.wrong), r.until[:10], r.looks_for] for r in found
        ]
        head = ["ID", "STATE", "LEVEL", "FIRES", "RIGHT", "WRONG", "UNTIL", "LOOKS FOR"]
        app.notes(workspace, _without_agent(app) if any(report.state == "on" for report in found) else [])
        app.answer({"guards": plain(found)}, lambda: display.table(rows, head) if rows else NONE_YET)
        if not app.json and _person_there():
            for id, one in waiting:
                key = _key(f"{one.at[:16]} {one.host}: {spelled(id)} {one.call} at {one.about}")
                if key == QUIT:
                    break
                if key:
                    workspace.judge_guard(id, key, fire=one.number)


def _without_agent(app: App) -> list[str]:
    """Say that a guard which is on does nothing where no agent has our hooks; a plugin's hooks are not seen here."""
    from tenure import workspace  # start-up: not needed for the command's help

    here = workspace.situation(Path.cwd(), app.store, since=clock.now())
    if any(agent.wired for agent in here.agents):
        return []
    return ["No agent is wired with `tenure install`, so guards fire only where you installed the plugin."]


def _judged(id: str, verdict: str, before: str, guard: Guard | None) -> str:
    """Return what a verdict did to the guard: nothing, a step down, or off."""
    if guard is None or guard.state != "on":
        return f"{spelled(id)}: {verdict}. Its guard is off now."
    return f"{spelled(id)}: {verdict}." + (
        f" Its guard is now at {guard.level} instead of {before}." if guard.level != before else ""
    )


@command("allow", example="tenure allow m-4k7q2x9 --once")
@click.argument("id")
@click.option("--once", is_flag=True, help="Allow only the last call it stopped, once (the default).")
@click.option("--session", is_flag=True, help="Allow every call for the rest of the session it last fired in.")
def allow_command(app: App, id: str, once: bool, session: bool) -> None:
    """Allow a call that a guard stopped; needs a person."""
    if once and session:
        raise BadRequest("Use --once or --session, not both.")
    with app.open() as workspace:
        fire = workspace.allow(id, session=session)
        where = f"the {fire.host} session {fire.session[:8]}" if fire.session else f"that {fire.host} session"
        said = (
            f"{spelled(fire.memory)} stops nothing for the rest of {where}."
            if session
            else f"{spelled(fire.memory)} allows the last call it stopped in {where}, once: {fire.about}.\n"
            "Tell the agent to repeat that exact call; any other is still stopped."
        )
        data = {"id": fire.memory, "session": fire.session, "allowed": "session" if session else "once"}
        app.answer(data, lambda: said)


def _given(parts: dict[str, Any]) -> Guard:
    """Return the guard that options describe."""
    from tenure.model.guard import CommandRule, Guard  # start-up: not needed for the command's help

    rules = []
    for line in parts["commands"]:
        words = shlex.split(line)
        if not words:
            raise BadRequest("--command needs a program.")
        options = tuple(word for word in words[1:] if word.startswith("-"))
        plain_words = tuple(word for word in words[1:] if not word.startswith("-"))
        rules.append(CommandRule(program=words[0], words=plain_words, options=options))
    tool: Tool = parts["tool"] or ("run" if rules else "any")
    return Guard(
        tool=tool, commands=tuple(rules), paths=parts["paths"], spared=parts["spared"], text=parts["texts"],
        fires=parts["fires"], passes=parts["passes"],
    )  # fmt: skip


def _shown(guard: Guard, tried: DryRun, condition: str) -> str:
    lines = [f"Looks for: {guard.looks_for}"]
    if condition:
        lines.append(f'Not checked: "{condition}". The guard fires with or without it.')
    lines += [f"  fires   {text}" for text in guard.fires] + [f"  passes  {text}" for text in guard.passes]
    sessions = display.count(tried.sessions, "session", "sessions")
    if not tried.calls:
        none = f"found {sessions} without tool calls" if tried.sessions else "found none of this project"
        lines.append(f"Not tried on past sessions: {none}.")
        return "\n".join(lines)
    known = f"{sessions}, {display.count(tried.calls, 'call', 'calls')}"
    lines.append(f"In past sessions ({known}) it would have fired {display.count(len(tried.fires), 'time', 'times')}.")
    for one in tried.fires:
        lines.append(f"{one.at[:16]}  {one.host}  {one.session[:8]}  {one_line(one.call)}  {one.followed or '-'}")
    return "\n".join(lines)


def _asked_about(fires: Sequence[PastFire]) -> dict[str, int] | None:
    """Return how many fires were right and wrong: by what followed, and where nothing did by the person's keys.

    None when the person left.
    """
    counts: dict[str, int] = {}
    if not _person_there():
        return counts
    for one in fires:
        verdict = "right" if one.followed else _key(f"{one.at[:16]} {one.host}: {one.call}")
        if verdict == QUIT:
            return None
        if verdict:
            counts[verdict] = counts.get(verdict, 0) + 1
    return counts


def _not_on(id: str, parts: dict[str, Any]) -> str:
    """Say how to switch on the guard that was shown, with the options that described it."""
    names = {"tool": "--tool", "commands": "--command", "paths": "--path", "spared": "--except", "texts": "--text"}
    words = ["tenure", "guard", id]
    for name, given in parts.items():
        for value in (given,) if isinstance(given, str) else given or ():
            words += [names.get(name, f"--{name}"), value]
    return f"The guard is not on. To switch it on: {shlex.join([*words, '--level', 'remind'])}"


def _asked_for_level() -> Level | None:
    if not _person_there():
        return None
    chosen: Any = click.prompt("Switch it on at", type=click.Choice([*LEVELS, "no"]), default="no", err=True)
    return None if chosen == "no" else chosen


def _person_there() -> bool:
    return sys.stdin.isatty() and sys.stdout.isatty()


def _key(question: str) -> str:
    """Ask by one key whether a fire was right; return right, wrong, quit or nothing."""
    click.echo(one_line(question), err=True)
    with click.termui.raw_terminal() as terminal:
        # Said only now: entering this mode drops what was typed before, and nobody answers what they have not read.
        click.echo("  [r]ight  [w]rong  [q]uit  [s]kip ", nl=False, err=True)
        key = os.read(terminal, 32).decode("utf-8", "replace").lower()
    click.echo(key if key.isprintable() else "", err=True)
    if key in ("", "\x03", "\x04"):
        raise click.Abort
    return {"r": "right", "w": "wrong", "q": QUIT}.get(key, "")


def _export(app: App, workspace: Workspace, target: str) -> None:
    from tenure.guards.export import export  # start-up: not needed for the command's help

    on = [(m.id, m.guard) for m in workspace.memories(phase="live") if m.guard is not None and m.guard.state == "on"]
    text, left = export(on, target)
    said = [f"Left out, because {target} cannot express it: {', '.join(left)}." for _ in left[:1]]
    app.notes(workspace, said)
    app.answer({"target": target, "rules": text, "left_out": left}, lambda: text)
