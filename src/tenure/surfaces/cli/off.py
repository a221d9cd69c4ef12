"""`off` and `on`: silence Tenure's hooks for a while, and let them speak again."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click

from tenure.files import locate
from tenure.model.errors import BadRequest
from tenure.spool import journal, off
from tenure.surfaces.cli.app import App, command

# What agents name their session in for the commands they run, as their hooks name it to us.
SESSION_VARIABLES = (
    "CLAUDE_CODE_SESSION_ID", "CODEX_SESSION_ID", "CODEX_THREAD_ID", "COPILOT_AGENT_SESSION_ID", "GEMINI_SESSION_ID",
)  # fmt: skip
_SAID = {
    off.EVERYWHERE: "everywhere",
    off.PROJECT: "in this project",
    off.SESSION: "in this session",
    off.VARIABLE: f"because {off.VARIABLE} is set",
}


def _scoped(function: Any) -> Any:
    for option in (
        click.option("--session", "scope", flag_value=off.SESSION, help="Only the agent session running here."),
        click.option("--project", "scope", flag_value=off.PROJECT, help="Only this project."),
    ):
        function = option(function)
    return function


@command("off", example="tenure off --session\ntenure off --project\ntenure off")
@_scoped
def off_command(app: App, scope: str | None) -> None:
    """Turn hooks off: agents are shown nothing and nothing is learned. Everywhere, unless you say where.

    Guards are off too, so a coding agent may not run this. Commands you type keep working. TENURE_OFF=1 does the same
    for any program started with it.
    """
    with app.open() as workspace:
        workspace.may_silence()
    _switch(app, scope or off.EVERYWHERE, silent=True)


@command("on", example="tenure on\ntenure on --project")
@_scoped
def on_command(app: App, scope: str | None) -> None:
    """Turn hooks back on after `tenure off`."""
    _switch(app, scope or off.EVERYWHERE, silent=False)


def _switch(app: App, scope: str, *, silent: bool) -> None:
    project = locate.project_of(Path.cwd())
    name = {off.PROJECT: str(project), off.EVERYWHERE: ""}.get(scope) if scope != off.SESSION else _session(project)
    changed = off.switch(scope, name or "", off=silent)
    still = off.why(str(project), name if scope == off.SESSION and name else "")
    where, again = _SAID[scope], "" if scope == off.EVERYWHERE else f" --{scope}"

    def text() -> str:
        if silent:
            return f"Hooks are off {where}.\nTurn them back on with: tenure on{again}"
        said = f"Hooks {'are on again' if changed else 'were not off'} {where}."
        return f"{said} They are still off {_SAID[still]}." if still else said

    app.answer({"scope": scope, "name": name or "", "off": silent, "changed": changed, "silenced_by": still}, text)


def silenced(project: Path) -> str:
    """Return how `status` says that hooks are off here, empty when they are not."""
    found = off.why(str(project), next(iter(_named()), ""))
    again = {off.EVERYWHERE: "tenure on", off.VARIABLE: f"unset {off.VARIABLE}"}.get(found, f"tenure on --{found}")
    return f"Hooks are off {_SAID[found]}. Turn them back on with: {again}" if found else ""


def _named() -> list[str]:
    return [os.environ[name] for name in SESSION_VARIABLES if os.environ.get(name)]


def _session(project: Path) -> str:
    """Return the id of the session around this command, or of the last one that hooks told of in this project."""
    if named := _named():
        return named[0]
    root = os.path.realpath(project)
    try:
        names = [os.path.join(journal.folder(), name) for name in os.listdir(journal.folder())]
    except OSError:
        names = []
    for path in sorted((name for name in names if name.endswith(".jsonl")), key=os.path.getmtime, reverse=True):
        for line in journal.lines(path):
            folder = line.get("folder")
            if isinstance(folder, str) and (os.path.realpath(folder) + os.sep).startswith(root + os.sep):
                return str(line.get("session") or "")
    raise BadRequest(
        "No agent session is running in this project, as far as hooks have seen.",
        hint="Silence them in the whole project with: tenure off --project",
    )
