"""`start`: the one door in. It audits, learns and wires, one step after the other, and each can be declined.

`init`, its first part, still answers by its old name. Without a person at the terminal nothing is changed unless
`--yes` says so, and beside a coding agent nothing is wired: an agent must not give itself hooks.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tenure import workspace
from tenure.model import clock
from tenure.model.errors import TenureError
from tenure.surfaces.cli import display
from tenure.surfaces.cli.ages import days
from tenure.surfaces.cli.app import App, command, plain
from tenure.surfaces.cli.display import count, style
from tenure.surfaces.cli.review_page import wrap
from tenure.text.words import folded, one_line, spelled

if TYPE_CHECKING:
    from tenure.audit.findings import Report
    from tenure.usecases.answers.captured import LearnedPast
    from tenure.usecases.answers.start import AgentHere, Situation
    from tenure.workspace import Workspace

STEPS = ("audit", "learn", "wire")
# So many of a list are shown; the command that shows all is named.
MOST_SHOWN = 8
# As far back as sessions are looked for where there are none in the time that was asked for.
OLDEST = "520w"
# Tenure's own store, which no agent reads as a file.
OWN = "tenure"
_NOTHING = (
    "Nothing to set up here: found no instruction files, no coding agent and no past sessions."
    " Add a first memory with: tenure add 'what you learned'"
)


@command(
    "start", example="tenure start\ntenure start --yes --skip wire\ntenure start --use claude-memory:.claude/memory"
)
@click.option("--yes", is_flag=True, help="Do every step without asking.")
@click.option("--skip", multiple=True, type=click.Choice(STEPS), help="Leave a step out; may be given several times.")
@click.option("--since", default="30d", show_default=True, metavar="AGE", help="How far back to learn: 12h, 30d, 8w.")
@click.option("--project", "scope", flag_value="project", help="Wire agents for this project, in files you can commit.")
@click.option(
    "--user", "scope", flag_value="user", default=True, help="Wire agents for all your projects; the default."
)
@click.option("--use", "url", metavar="URL", help="Use this store for this project from now on.")
def start_command(app: App, yes: bool, skip: tuple[str, ...], since: str, scope: str, url: str | None) -> None:
    """Set up Tenure here: check what agents read, learn from their sessions, wire them. Asks before each step."""
    begin = clock.after(clock.now(), -days(since))
    written = _chosen(app, url) if url else ""
    here = workspace.situation(Path.cwd(), app.store, since=begin)
    steps = _Steps(app, here, yes=yes, scope=scope)
    data: dict[str, Any] = {**_survey(here), "written": written}
    shallow = None if "audit" in skip else workspace.audit(app.store)
    read = bool(shallow and shallow.memories)
    older = _older(app) if not any(agent.sessions for agent in here.agents) else 0
    if not (read or here.agents or here.found or here.session_files or older or url):
        app.answer({**data, "audit": None, "learned": [], "wired": [], "next": ["tenure add"]}, lambda: _NOTHING)
        return
    steps.say(style(f"Tenure in {one_line(here.project)}", bold=True), *_stores(here, written))
    with app.open() as opened:
        why = _left_out(here, skip, read=read, since=since, older=older)
        data["audit"] = steps.audit(shallow) if steps.has("audit", why) and shallow else None
        data["learned"] = steps.learn(opened, begin) if steps.has("learn", why) else []
        for line in () if "learn" in skip else _session_files(here):
            steps.say(line)
        data["wired"] = steps.wire(opened) if steps.has("wire", why) else []
        waiting = opened.queue_page(0, 1).total
    data["changed"] = steps.changed
    data["next"] = steps.next(data, waiting)
    app.answer(data, lambda: steps.ending(data["next"]))


@command("init", example="tenure init\ntenure init --use claude-memory:.claude/memory")
@click.option("--use", "url", metavar="URL", help="Use this store for this project from now on.")
def init_command(app: App, url: str | None) -> None:
    """Show the memory stores and agents of this project, and which store Tenure uses: the first part of `start`."""
    written = _chosen(app, url) if url else ""
    here = workspace.situation(Path.cwd(), app.store, since=clock.now())
    lines = [*_stores(here, written), *(_wiring(agent) for agent in here.agents if agent.installed)]
    app.answer({**_survey(here), "written": written}, lambda: "\n".join([*lines, "Next: tenure start"]))


def _chosen(app: App, url: str) -> str:
    with app.open() as opened:
        opened.no_agent("init --use")
    written = str(workspace.choose(url, Path.cwd()))
    with app.open() as opened:
        opened.accept_place()
    return written


def _left_out(here: Situation, skip: Sequence[str], *, read: bool, since: str, older: int) -> dict[str, str]:
    """Return the steps that are left out, each with the reason in one line."""
    found = {}
    if not read:
        found["audit"] = "Nothing to check: no instruction files and no memories here."
    if not any(agent.sessions for agent in here.agents):
        hint = f" For {count(older, 'older one', 'older ones')}: tenure start --since {OLDEST}" if older else ""
        lead = "No" if older or here.session_files else "Nothing to learn from: no"
        found["learn"] = f"{lead} agent sessions here in the last {since}.{hint}"
    if all(agent.wired for agent in here.agents if agent.installed):
        found["wire"] = f"Nothing to wire: {_wired_already(here)}."
    said = {"audit": "Audit", "learn": "Learning from sessions", "wire": "Wiring agents"}
    return {**found, **{step: f"{said[step]}: skipped (--skip {step})." for step in skip}}


def _older(app: App) -> int:
    """Return how many sessions there are at all."""
    begin = clock.after(clock.now(), -days(OLDEST))
    return sum(agent.sessions for agent in workspace.situation(Path.cwd(), app.store, since=begin).agents)


def _session_files(here: Situation) -> Iterator[str]:
    """Say which files with sessions lie in the project, and which command reads them."""
    for found in here.session_files:
        where = spelled(os.path.relpath(os.path.join(here.project, found.pattern)))
        yield f"Found {count(found.count, 'file', 'files')} of {found.tool} sessions. To see what they would teach:"
        yield f"  tenure capture {where} --dry-run"


def _wired_already(here: Situation) -> str:
    wired = [agent for agent in here.agents if agent.wired]
    if not wired:
        return "found no coding agent on this machine"
    absent = [f"`{agent.client}`" for agent in wired if not agent.installed]
    titles = ", ".join(agent.title for agent in wired)
    verb, were = "is" if len(wired) == 1 else "are", "was" if len(absent) == 1 else "were"
    lost = f", but {', '.join(absent)} {were} not found on the PATH" if absent else ""
    return f"{titles} {verb} already wired{lost}"


def _survey(here: Situation) -> dict[str, Any]:
    return {
        "store": here.store,
        "origin": here.origin,
        "found": plain(here.found),
        "agents": plain(here.agents),
        "session_files": plain(here.session_files),
    }


def _stores(here: Situation, written: str) -> Iterator[str]:
    if written:
        yield f"Wrote {written}."
    begins = ", created by the first write" if here.is_new else ""
    yield f"Store: {spelled(_short(here.store))} ({here.origin}{begins})"
    others = [_short(found.url) for found in here.found if not found.used]
    yield from (f"Also here: {url}" for url in others)
    if others:
        yield f"To use it instead: tenure start --use {others[0]}"
        yield f"To copy its memories: tenure import {others[0]}"


def _wiring(agent: AgentHere) -> str:
    done = "is wired" if agent.wired else f"is not wired: tenure install {agent.agent}"
    return f"Agent: {agent.agent} {done}"


def _short(url: str) -> str:
    """Return a URL as it can be typed in this folder."""
    scheme, _, path = url.partition(":")
    here = Path.cwd()
    return f"{scheme}:{Path(path).relative_to(here)}" if Path(path).is_relative_to(here) else url


class _Steps:
    """The steps, each of which shows what it would do, asks, and does it."""

    def __init__(self, app: App, here: Situation, *, yes: bool, scope: str) -> None:
        self.app, self.here, self.yes, self.scope = app, here, yes, scope
        self.asks = not yes and not app.json and sys.stdin.isatty() and sys.stdout.isatty()
        self.changed = False
        self._number = 0

    def say(self, *lines: str) -> None:
        if not self.app.json:
            click.echo("\n".join(lines))

    def head(self, title: str) -> None:
        self._number += 1
        self.say("", style(f"{self._number}. {title}", bold=True))

    def agreed(self, question: str, *, look: bool = False) -> bool:
        """Ask the person; without one only `--yes` agrees to a change, and nobody need agree to looking."""
        if self.asks:
            return click.confirm(f"   {question}", default=True)
        return self.yes or look

    def wanted(self, lessons: Sequence[dict[str, Any]]) -> Sequence[dict[str, Any]]:
        """Ask the person which of the lessons to keep: all, none, or one by one."""
        if len(lessons) < 2 or not self.asks:
            return lessons if lessons and self.agreed("Keep this?") else []
        answer = click.prompt(
            f"   Keep these {len(lessons)}? y all, n none, s one by one [Y/n/s]",
            type=click.Choice(["y", "n", "s"], case_sensitive=False),
            default="y",
            show_choices=False,
            show_default=False,
        )
        if answer != "s":
            return lessons if answer == "y" else []
        kept = []
        for number, lesson in enumerate(lessons, start=1):
            self.say(*_told(lesson, f"{number} of {len(lessons)}:"))
            if self.agreed("Keep it?"):
                kept.append(lesson)
        return kept

    def has(self, step: str, why: dict[str, str]) -> bool:
        """Return whether there is such a step; where there is none, say in one line why."""
        if step in why:
            self.say("", *wrap(why[step], _width(0)))
        return step not in why

    def audit(self, shallow: Report) -> dict[str, Any] | None:
        """Check what agents read here against the code and its history."""
        from tenure.audit import report

        names = [memory.source.path for memory in shallow.memories if memory.source.dialect != OWN]
        own = len(shallow.memories) - len(names)
        self.head("What agents read here")
        if names:
            self.say(*_listed(names))
        if own:
            self.say(f"   {count(own)} in Tenure's store.")
        if not self.agreed("Check what they say against the code and its history?", look=True):
            return None
        with display.progress("   Reading the code") as progress:
            found = workspace.audit(self.app.store, deep=True, progress=progress)
        broken = _once([(memory, finding) for memory in found.memories for finding in report.broken(memory)])
        numbers = report.summary(found)
        said = f"   {count(numbers['claims'], 'claim', 'claims')} checked, {len(broken)} broken."
        self.say(style(said, fg="red" if broken else "green"))
        for memory, finding in broken[:MOST_SHOWN]:
            own = memory.source.dialect == OWN
            where = (
                f"memory {spelled(memory.source.id)}" if own else f"{spelled(memory.source.path)}:{finding.claim.line}"
            )
            self.say(f"   {one_line(where, 60)}")
            told = f"{one_line(finding.claim.in_words, 60)} {report.told_in_words(finding)}"
            self.say(*(f"     {line}" for line in wrap(told, _width(5))))
        if broken:
            more = f"{len(broken) - MOST_SHOWN} more · " if len(broken) > MOST_SHOWN else ""
            self.say(f"   {more}full report: tenure audit --deep · as HTML: tenure audit --html FILE")
        rows = [
            {
                "path": memory.source.path,
                "line": finding.claim.line,
                "text": finding.claim.text,
                "repair": finding.repair,
                "says": report.told_in_words(finding),
            }
            for memory, finding in broken
        ]
        return {**numbers, "broken": rows}

    def learn(self, opened: Workspace, begin: Any) -> list[dict[str, Any]]:
        """Learn from the sessions agents kept, each agent's after a dry run."""
        agents = [agent for agent in self.here.agents if agent.sessions]
        self.head("What your sessions can teach")
        done = []
        for agent in agents:
            kept = f"{agent.title} has {count(agent.sessions, 'session', 'sessions')} of this project."
            self.say(f"   {kept}")
            if not self.agreed(f"Read {'it' if agent.sessions == 1 else 'them'}? Nothing is written yet.", look=True):
                continue
            with display.progress("   Reading") as progress:
                would = opened.learn_past(agent.agent, begin, dry_run=True, progress=progress)
            lessons = _lessons(would)
            row: dict[str, Any] = {
                "agent": agent.agent, "sessions": would.sessions, "would_keep": lessons, "known": len(would.known),
                "decisions": [],
            }  # fmt: skip
            done.append(row)
            self.say(*_would_keep(lessons, len(would.known)))
            wanted = self.wanted(lessons)
            if wanted:
                declined = [lesson["text"] for lesson in lessons if lesson not in wanted]
                with display.progress("   Learning") as progress:
                    learned = opened.learn_past(agent.agent, begin, declined=declined, progress=progress)
                row["decisions"] = plain(learned.decisions)
                self.changed = True
                self.say(f"   {_learned(opened, learned)}")
        return done

    def wire(self, opened: Workspace) -> list[dict[str, Any]]:
        """Offer to wire each agent that is installed; beside an agent only say how."""
        from tenure.hosts import catalog, install

        agents = [agent for agent in self.here.agents if agent.installed and not agent.wired]
        self.head("Your agents")
        done = []
        for agent in agents:
            flag = " --project" if self.scope == "project" else ""
            row: dict[str, Any] = {
                "agent": agent.agent, "scope": self.scope, "written": False, "files": [], "error": "",
            }  # fmt: skip
            done.append(row)
            if opened.actor.is_agent:
                self.say(f"   {agent.title} is not wired. A person has to run: tenure install {agent.agent}{flag}")
                continue
            try:
                found = catalog.host(agent.agent)
                changes = install.installing(found, self.scope, Path(self.here.project))
                row["files"] = [str(change.path) for change in changes]
                self.say(f"   {agent.title} would get hooks and the MCP server, in:", *_paths(row["files"]))
                if not self.agreed(f"Wire {agent.title}? (Undo: tenure uninstall {agent.agent})"):
                    continue
                install.apply(changes)
            except TenureError as error:
                row["error"] = error.message
                self.say(f"   {style('Not wired:', fg='red')} {one_line(error.message)}")
                continue
            row["written"] = self.changed = True
            self.say(f"   {agent.title} is wired.", *(f"   {line}" for line in wrap(found.then, _width(3)) if line))
        return done

    def next(self, data: dict[str, Any], waiting: int) -> list[str]:
        """Return the commands that come next, the most useful first."""
        found = []
        if data["audit"] and data["audit"]["fixable"]:
            found.append("tenure audit --fix --dry-run")
        if waiting:
            found.append("tenure review")
        if any(row["written"] for row in data["wired"]):
            found.append("tenure doctor")
        left = [row["agent"] for row in data["wired"] if not row["written"]]
        found += [f"tenure install {agent}" for agent in left[:1]]
        return found or ["tenure add 'what you learned'", "tenure status"]

    def ending(self, commands: Sequence[str]) -> str:
        does = {
            "tenure audit --fix --dry-run": "preview the certain repairs",
            "tenure review": "decide what waits for you",
            "tenure doctor": "check that the wiring works",
            "tenure status": "see counts and what is due",
        }
        width = max(len(each) for each in commands)
        lines = ["", style("Next", bold=True)]
        lines += [f"  {style(each.ljust(width), fg='cyan')}  {does.get(each, '')}".rstrip() for each in commands]
        if not (self.asks or self.yes):
            lines.append(
                "Nothing was changed. At a terminal `tenure start` asks; `tenure start --yes` does every step."
            )
        return "\n".join(lines)


def _once(broken: list[tuple[Any, Any]]) -> list[tuple[Any, Any]]:
    """Return each broken claim once, however many lines and pages repeat it."""
    first: dict[tuple[str, str, str | None], tuple[Any, Any]] = {}
    for memory, finding in broken:
        first.setdefault((finding.claim.kind, finding.claim.text, finding.repair), (memory, finding))
    return list(first.values())


def _lessons(learned: LearnedPast) -> list[dict[str, Any]]:
    """Return what would be kept, each text once with the person's words and the number of sessions that have it."""
    found: dict[str, dict[str, Any]] = {}
    for decision in learned.decisions:
        if decision.action not in ("create", "update") or not decision.text:
            continue
        fresh: dict[str, Any] = {
            "text": decision.text, "quote": decision.quote, "kind": decision.kind, "sessions": 0,
        }  # fmt: skip
        row = found.setdefault(folded(decision.text), fresh)
        row["sessions"] += 1
    return list(found.values())


def _would_keep(lessons: Sequence[dict[str, Any]], known: int) -> Iterator[str]:
    if known:
        yield f"   Already learned from them: {count(known)}.{'' if lessons else ' Nothing new.'}"
    elif not lessons:
        yield "   Nothing to keep: found no rule, correction or preference in what you said."
    if not lessons:
        return
    yield "   It would keep:"
    for lesson in lessons[:MOST_SHOWN]:
        yield from _told(lesson, "·")
    if len(lessons) > MOST_SHOWN:
        yield f"   and {len(lessons) - MOST_SHOWN} more"


def _told(lesson: dict[str, Any], mark: str) -> Iterator[str]:
    yield from (f"   {line}" for line in wrap(f"{mark} {lesson['text']}", _width(3), indent=2))
    times = f" ({lesson['sessions']} sessions)" if lesson["sessions"] > 1 else ""
    if lesson["quote"]:
        quote = wrap(f'you said: "{one_line(lesson["quote"], 300)}"{times}', _width(5), indent=2)
        yield from (style(f"     {line}", dim=True) for line in quote)


def _learned(opened: Workspace, learned: LearnedPast) -> str:
    ids = {decision.id for decision in learned.decisions if decision.action in ("create", "update") and decision.id}
    phases = [opened.get(id).phase for id in ids]
    live, waits = phases.count("live"), phases.count("pending")
    parts = [f"{live} in use"] if live else []
    parts += [f"{waits} waiting for a second session or your review"] if waits else []
    return f"Learned: {', '.join(parts) or 'nothing new'}."


def _listed(names: Sequence[str]) -> Iterator[str]:
    shown = ", ".join(one_line(spelled(name), 60) for name in names[:MOST_SHOWN])
    more = f" and {len(names) - MOST_SHOWN} more" if len(names) > MOST_SHOWN else ""
    said = f"{count(len(names), 'file', 'files')}: {shown}{more}."
    yield from (f"   {line}" for line in wrap(said, _width(3), indent=2))


def _paths(paths: Sequence[str]) -> Iterator[str]:
    home = str(Path.home())
    for path in paths:
        yield f"     {spelled('~' + path.removeprefix(home) if path.startswith(home) else path)}"


def _width(indent: int) -> int:
    import shutil

    return min(shutil.get_terminal_size().columns, 100) - indent
