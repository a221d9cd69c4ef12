"""The `tenure` command: global options, and a table of commands that are imported when they are called."""

from __future__ import annotations

import importlib
import os
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TextIO

import click

from tenure.text.words import for_terminal, json_for_terminal, spelled

if TYPE_CHECKING:
    from tenure.workspace import Workspace

# Command -> (module, what it does). Listed in the order a newcomer needs them.
COMMANDS: dict[str, tuple[str, str]] = {
    "start": ("start", "Guided setup: audit, learn from past sessions, wire agents."),
    "audit": ("audit", "Check what your agents read against the code."),
    "demo": ("demo", "Watch a memory's whole life in a temporary repository."),
    "init": ("start", "Show which memory stores this project has and which is used."),
    "add": ("add", "Add a memory: something worth knowing next time."),
    "capture": ("add", "Turn proposals from runs and sessions into memories."),
    "route": ("audit", "Suggest where a lesson belongs, and write it there."),
    "edit": ("add", "Change what a memory says."),
    "list": ("show", "List memories."),
    "show": ("show", "Show one memory."),
    "search": ("show", "Find memories by words."),
    "inject": ("inject", "Print the memories that fit a prompt or task."),
    "why": ("show", "Explain whether agents see a memory, and what it still needs."),
    "history": ("show", "Show everything that happened to a memory."),
    "status": ("show", "Show counts, what is due and what waits for you."),
    "review": ("review", "Decide what waits for you: keep, drop, edit, merge."),
    "promote": ("review", "Promote memories that have enough evidence."),
    "log": ("review", "Record how using a memory turned out."),
    "effect": ("effect", "Measure whether memory helps, by holding some of it back."),
    "guard": ("guard", "Turn a memory into a check at tool calls."),
    "guards": ("guard", "List guards and judge what they did."),
    "allow": ("guard", "Let a call through that a guard stopped."),
    "decay": ("upkeep", "Retire memories that expired or lost confidence."),
    "upkeep": ("upkeep", "Do the maintenance that is due: promote, decay, clean up."),
    "gc": ("upkeep", "Remove retired memories whose grace period is over."),
    "scrub": ("upkeep", "Rescan everything stored for secrets and erase them."),
    "check": ("upkeep", "Verify the store against its ledger."),
    "doctor": ("upkeep", "Check the installation end to end and say how to fix it."),
    "retire": ("retire", "Take a memory out of use."),
    "restore": ("retire", "Bring a memory back."),
    "archive": ("retire", "Archive a memory: kept for good, never shown."),
    "unarchive": ("retire", "Bring a memory back from the archive."),
    "supersede": ("retire", "Replace one memory with another."),
    "undo": ("retire", "Reverse the last change to memories, or one ledger entry."),
    "forget": ("retire", "Erase a memory completely, history included."),
    "export": ("export", "Write all memories with their history to a file."),
    "import": ("export", "Read memories from an export or another program."),
    "share": ("share", "Share memories with your team as files to commit."),
    "sync": ("share", "Sync your memory between your machines."),
    "team": ("team", "Set up and manage memory that a team shares."),
    "ui": ("ui", "Look at memory in your browser and decide what waits."),
    "policy": ("policy", "Print every setting and where its value comes from."),
    "install": ("install", "Wire a coding agent: hooks and the MCP server."),
    "uninstall": ("install", "Remove exactly what `install` added."),
    "off": ("off", "Turn hooks off for a session, a project or everywhere."),
    "on": ("off", "Turn hooks back on."),
    "trust": ("install", "Let agents see memory that came with a repository."),
    "mcp": ("install", "Run the MCP server."),
}

# What `tenure --help` shows together; a command that is named nowhere here is listed as advanced.
GROUPS: dict[str, tuple[str, ...]] = {
    "Start here": ("start", "audit", "add", "install", "demo"),
    "Look": ("status", "ui", "list", "show", "search", "inject", "why", "history", "effect"),
    "Decide": ("review", "edit", "supersede", "retire", "restore", "archive", "unarchive", "promote", "log"),
    "Keep tidy": ("upkeep", "decay", "gc", "scrub", "undo", "forget", "check", "doctor"),
    "Share": ("share", "sync", "team", "trust", "export", "import"),
    "Agents": ("capture", "guard", "guards", "allow", "off", "on", "mcp", "uninstall"),
}
ADVANCED = "Advanced"
# Dispatched before this module is loaded; each answers --help itself.
SLIM = {
    "hook": "Handle an event of a coding agent (`install` sets it up).",
    "claude-memory": "Drop-in replacement for claude-memory's scripts.",
    "archeflow": "Drop-in replacement for ArcheFlow's memory script.",
}


_STYLE = re.compile("(\x1b\\[[0-9;]*m)")
# What `json.dumps` leaves as it is and a terminal might obey: C1 controls and changes of direction.
_OBEYED = {code: f"\\u{code:04x}" for code in (*range(0x7F, 0xA0), *range(0x202A, 0x202F), *range(0x2066, 0x206A))}


class App:
    """What every command shares: the options before it, and the way to answer."""

    def __init__(self, *, json: bool = False) -> None:
        self.json = json
        self.store: str | None = None

    def open(self) -> Workspace:
        """Return the workspace the options name."""
        from tenure import workspace

        opened = workspace.open(self.store, surface="command line")
        if above := opened.above():
            _say("Note:", above)
        if opened.ignored:
            origin = opened.ignored[0].origin
            _say("Note:", f"{spelled(origin)} {opened.why_ignored}: its policy counts only after `tenure trust`.")
        if opened.offline:
            _say("Note:", f"{opened.offline} This is what was pulled last.")
        return opened

    def open_to_read(self) -> Workspace:
        """Return the workspace for a command that only looks; a database that was named must be there."""
        opened = self.open()
        if not opened.offline and (unsent := opened.unsent):
            waits = "1 command is" if unsent == 1 else f"{unsent} commands are"
            _say(
                "Note:",
                f"{waits} waiting in this machine's outbox for the database. To send now: tenure team outbox --send",
            )
        scheme, _, path = opened.url.partition(":")
        if (self.store or os.environ.get("TENURE_STORE")) and scheme == "sqlite" and not os.path.exists(path):
            from tenure.model.errors import StoreUnusable  # start-up: help needs none

            raise StoreUnusable(f"There is no store at {path!r}.", hint="Check the path; the first write makes one.")
        return opened

    def answer(self, data: Mapping[str, Any], text: Callable[[], str], *, exact: bool = False) -> None:
        """Print the answer: one JSON document, or words for a person; `exact` breaks no lines."""
        if self.json:
            import json

            at_terminal = sys.stdout.isatty()
            indent = 2 if at_terminal else None
            document = json.dumps(data, ensure_ascii=not speaks_utf8(sys.stdout), indent=indent)
            print(json_for_terminal(document) if at_terminal else document.translate(_OBEYED))
        elif shown := text():
            # What a command forgot to clean must not reach the terminal; its own styles may.
            parts = _STYLE.split(shown) if sys.stdout.isatty() else [shown]
            safe = "".join(part if n % 2 else for_terminal(part) for n, part in enumerate(parts))
            print(safe if exact else fitted(safe, sys.stdout))

    def notes(self, workspace: Workspace, notes: Sequence[str] = ()) -> None:
        """Print what the user should know besides the answer."""
        for note in (*workspace.unusable, *notes):
            _say("Note:", note)
        for id in workspace.damaged:
            _say("Warning:", f"{spelled(id)} was altered outside Tenure and is left out; run `tenure check`.", "red")


def _say(head: str, text: str, colour: str = "yellow") -> None:
    """Print something beside the answer, where it is not mistaken for a part of it."""
    click.echo(fitted(f"{click.style(head, fg=colour)} {for_terminal(text)}", sys.stderr), err=True)


def fitted(text: str, stream: TextIO) -> str:
    """Return a text as it fits the terminal it goes to, broken between words; in a pipe every line is whole."""
    if not stream.isatty():
        return text
    import shutil  # start-up: only a terminal needs both

    from tenure.text.wrap import wrap

    return wrap(text, shutil.get_terminal_size().columns)


def plain(record: object) -> Any:
    """Return a record of the workspace as JSON has it."""
    import msgspec  # start-up: help and errors need none

    return msgspec.to_builtins(record)


def speaks_utf8(stream: TextIO) -> bool:
    """Tell whether any character can be written to a stream as it is; JSON spells out the others."""
    return (stream.encoding or "utf-8").lower().replace("_", "-") in ("utf-8", "utf8")


class LazyCommands(click.Group):
    """A group that imports a command's module when the command is called, so that help stays quick."""

    # Command -> (module, one line), and what stands before a command's name in its module.
    commands_by_name: Mapping[str, tuple[str, str]] = {}
    prefix = ""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.commands_by_name)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in self.commands_by_name:
            return None
        module = importlib.import_module(f"tenure.surfaces.cli.{self.commands_by_name[name][0]}")
        found: click.Command = getattr(module, f"{self.prefix}{name}_command")
        return found

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in self.commands_by_name.items()])


class LazyGroup(LazyCommands):
    """All commands, in groups."""

    commands_by_name = COMMANDS

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in COMMANDS:
            from tenure.text.words import nearest

            close = nearest(args[0], COMMANDS)
            hint = f" Did you mean {' or '.join(close)}?" if close else ""
            raise click.UsageError(f"There is no command {args[0]!r}.{hint}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        named = {name for names in GROUPS.values() for name in names}
        rest = [name for name in COMMANDS if name not in named]
        does = {**{name: text for name, (_, text) in COMMANDS.items()}, **SLIM}
        width = max(map(len, does))
        for title, names in {**GROUPS, ADVANCED: (*rest, *SLIM)}.items():
            with formatter.section(title):
                # One column for all groups.
                formatter.write_dl([(name.ljust(width), does[name]) for name in names])


class _Command(click.Command):
    """A command whose every wrong use names its own help; of an option without a value the library forgets whose."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        try:
            return super().parse_args(ctx, args)
        except click.UsageError as error:
            error.ctx = error.ctx or ctx
            raise


def command(name: str, *, example: str) -> Callable[[Callable[..., Any]], click.Command]:
    """Make a command that takes `--json` after it too, and whose help ends with an example."""

    def wrap(function: Callable[..., Any]) -> click.Command:
        epilog = "\b\nExample:\n" + "\n".join(f"  {line}" for line in example.strip().splitlines())
        made = click.command(name, cls=_Command, epilog=epilog)(click.pass_obj(function))
        assert isinstance(made, click.Command)
        made.params.append(
            click.Option(["--json"], is_flag=True, expose_value=False, help="Answer with one JSON document.")
        )
        return made

    return wrap


@click.group(
    cls=LazyGroup,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Run `tenure start` in your repository, or `tenure demo` to see how it works.",
)
@click.option("--store", metavar="URL", help="The store to use: sqlite:PATH, geas:DIR, claude-memory:DIR, …")
@click.option("--json", is_flag=True, expose_value=False, help="Answer with one JSON document.")
@click.option("--version", is_flag=True, help="Print the version.")
@click.pass_context
def tenure(ctx: click.Context, store: str | None, version: bool) -> None:
    """Agent memory that has to earn its place."""
    ctx.obj.store = store
    if version:
        from tenure import __version__

        click.echo(f"tenure {__version__}")
        ctx.exit(0)
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())
