"""`install`, `uninstall`, `trust` and `mcp`: letting coding agents in, and out again."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import click

from tenure.files.extras import adding
from tenure.model.errors import BadRequest
from tenure.surfaces.cli import display
from tenure.surfaces.cli.app import App, command, plain
from tenure.surfaces.cli.display import style
from tenure.text.words import for_terminal, one_line, spelled

_SCOPES = (
    click.option("--user", "scope", flag_value="user", default=True, help="For all your projects; the default."),
    click.option("--project", "scope", flag_value="project", help="For this project, in files you can commit."),
    click.option("--yes", is_flag=True, help="Do not ask."),
    click.option("--dry-run", is_flag=True, help="Show what would change and change nothing."),
)


def _scoped(function: Any) -> Any:
    for option in reversed(_SCOPES):
        function = option(function)
    return function


@command("install", example="tenure install claude-code\ntenure install codex --project --dry-run")
@click.argument("agent", default="")
@_scoped
def install_command(app: App, agent: str, scope: str, yes: bool, dry_run: bool) -> None:
    """Wire a coding agent: hooks and the MCP server. Shows the change and asks before it writes."""
    from tenure.hosts import catalog, install
    from tenure.hosts.api import guarding

    if not agent:
        raise BadRequest("`tenure install` needs an agent.", hint=f"Name one of: {', '.join(catalog.HOSTS)}.")
    found = guarding(catalog.host(agent), _guarded_tools(app))
    changes = install.installing(found, scope, _project())
    done = _confirmed(app, changes, yes=yes, dry_run=dry_run)
    kept = install.apply(changes) if done else []
    backups = [str(copy) for copy, change in zip(kept, changes, strict=False) if change.before is not None]
    missing = "" if find_spec("mcp") else f"The MCP server needs an extra: {adding('mcp')}"
    then = [line for line in (found.then, missing) if line]
    data = _report(found.name, scope, changes, done) | {"backups": backups, "next": " ".join(then)}

    def text() -> str:
        if not changes:
            return f"{found.title} is wired already. Check it with: tenure doctor"
        if not done:
            return "Nothing was changed."
        lines = [f"{found.title} is wired.", *(f"As it was before: {copy}" for copy in backups)]
        end = f"Next: tenure doctor · Undo with: tenure uninstall {found.name}{_flag(scope)}"
        return "\n".join([*lines, *then, end])

    app.answer(data, text)


def _guarded_tools(app: App) -> list[str]:
    """Return the tools for which the hook is wired only where a guard of this project looks at them."""
    from tenure.model.errors import TenureError

    try:
        with app.open() as workspace:
            guards = [memory.guard for memory in workspace.memories(phase="live") if memory.guard is not None]
    except TenureError:
        return []  # whoever wires an agent need not have a store
    return list(dict.fromkeys(tool for guard in guards if guard.state == "on" for tool in guard.also_asked))


@command("uninstall", example="tenure uninstall claude-code")
@click.argument("agent")
@_scoped
def uninstall_command(app: App, agent: str, scope: str, yes: bool, dry_run: bool) -> None:
    """Remove exactly what `install` added. Your memories stay."""
    from tenure.hosts import catalog, install

    with app.open() as opened:
        opened.no_agent("uninstall")
    found = catalog.host(agent)
    changes = install.uninstalling(found, scope, _project())
    done = _confirmed(app, changes, yes=yes, dry_run=dry_run)
    if done:
        install.apply(changes, removing=True)

    def text() -> str:
        if not changes:
            return f"{found.title} has nothing of ours{' in this project' if scope == 'project' else ''}."
        return f"{found.title} is as it was before." if done else "Nothing was changed."

    app.answer(_report(found.name, scope, changes, done), text)


def _confirmed(app: App, changes: Sequence[Any], *, yes: bool, dry_run: bool) -> bool:
    """Show the changes and return whether to write them; without a person to ask, `--yes` is needed."""
    asks_nobody = app.json or not sys.stdin.isatty()
    if changes and asks_nobody and not (yes or dry_run):
        named = "".join(f"\n  {_size(change.diff)} {spelled(str(change.path))}" for change in changes)
        raise BadRequest(
            f"These changes need your agreement:{named}", hint="--dry-run shows every line, --yes writes them."
        )
    if not app.json:
        for change in changes:
            click.echo("\n".join(_coloured(line) for line in change.diff.splitlines()) + "\n")
    if not changes or dry_run:
        return False
    if yes:
        return True
    click.confirm("Write this?", default=True, abort=True)
    return True


def _size(diff: str) -> str:
    """Return how many lines a change adds and takes away, as in "+12 -3"."""
    lines = [line for line in diff.splitlines() if not line.startswith(("+++", "---"))]
    return " ".join(f"{sign}{sum(line.startswith(sign) for line in lines)}" for sign in "+-")


def _coloured(line: str) -> str:
    colour = {"+": "green", "-": "red", "@": "cyan"}.get(line[:1])
    return style(for_terminal(line), fg=colour) if colour else for_terminal(line)


def _report(agent: str, scope: str, changes: Sequence[Any], done: bool) -> dict[str, Any]:
    rows = [{"path": str(change.path), "diff": change.diff} for change in changes]
    return {"agent": agent, "scope": scope, "changes": rows, "written": done and bool(changes)}


def _flag(scope: str) -> str:
    return " --project" if scope == "project" else ""


def _project() -> Path:
    from tenure.files import locate

    return locate.project_of(Path.cwd())


@command("trust", example="tenure trust\ntenure trust --revoke\ntenure trust --home ../ci-home")
@click.option("--revoke", is_flag=True, help="Take the trust back: agents no longer see this project's memory.")
@click.option("--home", metavar="FOLDER", help="Let a script or CI job that runs with TENURE_HOME=FOLDER decide here.")
@click.option("--yes", is_flag=True, help="Do not ask.")
def trust_command(app: App, revoke: bool, home: str | None, yes: bool) -> None:
    """Let agents see memory that came with a repository, and apply its settings.

    Memory that you made on this machine needs no trust.
    """
    with app.open() as workspace:
        if home is not None:
            workspace.let_in(home, revoke=revoke)
            app.answer({"store": workspace.url, "home": home, "let_in": not revoke}, lambda: _home_said(home, revoke))
            return
        live, brought = workspace.memories(phase="live"), workspace.brought()
        data: dict[str, Any] = {"store": workspace.url, "memories": len(live)}
        if brought:
            data["waiting"] = [plain(item) for item in brought]
        if revoke:
            workspace.distrust()
            app.answer({**data, "trusted": False}, lambda: "Agents no longer see this project's memory.")
            return
        elsewhere, (drafter, drafter_waits) = workspace.elsewhere(), workspace.drafter()
        settled = workspace.trusted and not (workspace.ignored or workspace.older or elsewhere or drafter_waits)
        if settled and not brought:
            app.answer({**data, "trusted": True}, lambda: f"{workspace.url} is already trusted.")
            return
        if not yes:
            if not app.json:
                for item in brought:
                    lead = "new with a commit" if item.new else "changed by a commit"
                    click.echo(f"  {spelled(item.id)}  {lead}\n{_indented(item.difference)}")
                if not brought:
                    click.echo("\n".join(f"  {spelled(memory.id)}  {one_line(memory.title)}" for memory in live[:20]))
                for line in filter(None, (elsewhere, drafter if drafter_waits else "")):
                    click.echo(one_line(line))
                click.echo(
                    f"Agents would see {display.count(len(live))}, and this project's settings would take effect."
                )
            if app.json or not sys.stdin.isatty():
                raise BadRequest("This needs your agreement.", hint="Look with `tenure list`, then add --yes.")
            click.confirm("Trust this project's memory?", default=False, abort=True)
        workspace.trust()
        said = f"Agents now see {display.count(len(live))} of {workspace.url}."
        if ours := [item for item in brought if item.id.startswith("ours/")]:
            said += f" Now in use from the team: {display.count(len(ours))}."
        if workspace.ignored:
            said += f" The policy in {spelled(workspace.ignored[0].origin)} is in force; next: tenure upkeep"
        app.answer({**data, "trusted": True}, lambda: f"{said}\nUndo with: tenure trust --revoke")


def _home_said(home: str, revoke: bool) -> str:
    name = spelled(home)
    if revoke:
        return f"Decisions from {name} no longer count here; `tenure check` names those that it made."
    return (
        f"Decisions with TENURE_HOME={name} now count here, except beside a coding agent.\n"
        f"Undo with: tenure trust --home {name} --revoke"
    )


def _indented(text: str) -> str:
    return "\n".join(f"    {line}" for line in for_terminal(text).split("\n"))


@command("mcp", example="tenure mcp\ntenure mcp --http 8765\ntenure mcp --face reference --import memory.json")
@click.option("--http", "port", type=click.IntRange(1, 65535), help="Serve streamable HTTP on this port of 127.0.0.1.")
@click.option("--face", type=click.Choice(["tenure", "reference"]), default="tenure", show_default=True,
              help="Which tools: Tenure's six, or the names of the reference memory server.")  # fmt: skip
@click.option("--import", "source", metavar="PATH", help="First read the reference memory server's JSONL file.")
def mcp_command(app: App, port: int | None, face: str, source: str | None) -> None:
    """Run the MCP server on standard input and output, or on HTTP with a token."""
    try:
        # Another surface, started here and not used; its extra is optional.
        reference, server, web = (
            import_module(f"tenure.surfaces.mcp.{name}") for name in ("reference", "server", "web")
        )
    except ImportError as error:
        raise BadRequest(
            f"The MCP server needs the `mcp` extra ({error.name} is missing).", hint=adding("mcp")
        ) from None
    if source:
        with app.open() as workspace, Path(os.path.expanduser(source)).open("rb") as file:
            used, skipped = reference.load(workspace, iter(file))
            click.echo(f"{used} lines read from {source}, {skipped} not understood.", err=True)
    made = (reference if face == "reference" else server).make(app.store)
    from tenure.workspace import following, listening  # start-up: no other command listens

    with listening(app.store), following(app.store):
        if port is None:
            made.speak()
            return
        web.token()
        click.echo(f"Listening on http://127.0.0.1:{port}/mcp; the token is in {web.token_path()}.", err=True)
        web.serve(made, "127.0.0.1", port)
