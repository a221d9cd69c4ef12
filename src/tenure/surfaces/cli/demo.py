"""`demo`: a memory's whole life, told with real commands in a repository that is thrown away.

Every line of output comes from the program itself, run on real files with the clock set to the day of the story.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from time import sleep
from typing import Any

import click

from tenure import workspace
from tenure.files import homes, search_path
from tenure.model import clock
from tenure.model.errors import StoreUnusable
from tenure.surfaces.cli import main
from tenure.surfaces.cli.app import App, command
from tenure.surfaces.cli.demo_story import NAMES, NEXT, RUNS, SCENES, Scene
from tenure.surfaces.cli.display import style

PAUSE_SECONDS = 2.0
WIDEST = 100
SILENCE = "(nothing is printed)"


@command("demo", example="tenure demo\ntenure demo --fast")
@click.option("--fast", is_flag=True, help="Do not pause between the steps; a pipe never pauses.")
def demo_command(app: App, fast: bool) -> int:
    """Watch a memory's whole life in a temporary repository. Nothing of yours is read or changed."""
    quick = fast or app.json or not sys.stdout.isatty()
    steps = []
    with _stage():
        if not app.json:
            click.echo(_opening())
        begin = clock.now() - timedelta(days=SCENES[-1].day)
        for number, scene in enumerate(SCENES, start=1):
            step = _play(scene, number, begin)
            steps.append(step)
            if not app.json:
                click.echo(_shown(step))
                sleep(0 if quick else PAUSE_SECONDS)
    worked = all(run["status"] == 0 for step in steps for run in step["runs"])
    app.answer({"steps": steps, "worked": worked, "next": [typed for typed, _ in NEXT]}, lambda: _ending(worked))
    return 0 if worked else 1


@contextlib.contextmanager
def _stage() -> Iterator[None]:
    """Make the repository and its files, stand in it, and leave nothing behind."""
    environment, before = dict(os.environ), _here()
    try:
        temporary = tempfile.TemporaryDirectory(prefix="tenure-demo-")
    except OSError as error:
        raise StoreUnusable(
            f"There is no temporary folder to write in ({error.strerror}).", hint="Set TMPDIR to one."
        ) from None
    with temporary as name:
        folder = Path(name) / "shop"
        folder.mkdir()
        _repository(folder)
        for file, proposals in RUNS.items():
            lines = [json.dumps({"kind": kind, "text": text}) for kind, text in proposals]
            (folder / file).write_text("\n".join(lines) + "\n", encoding="utf-8")
        try:
            os.environ.pop("TENURE_STORE", None)
            os.chdir(folder)
            with homes.thrown_away(Path(name) / "home"):
                yield
        finally:
            os.chdir(before)
            os.environ.clear()
            os.environ.update(environment)


def _here() -> Path:
    try:
        return Path.cwd()
    except FileNotFoundError:
        return Path("/")


def _repository(folder: Path) -> None:
    """Make a git repository; without git an empty `.git` folder marks the root as well."""
    if git := search_path.find("git"):
        # A git variable set by whoever called us would point at their repository.
        clean = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        # Templates in the person's settings may have hooks, and git looks for its own parts too.
        clean["PATH"] = search_path.without_project()
        subprocess.run([git, "init", "--quiet", str(folder)], env=clean, capture_output=True, check=False)
    (folder / ".git").mkdir(exist_ok=True)


def _play(scene: Scene, number: int, begin: datetime) -> dict[str, Any]:
    os.environ["TENURE_NOW"] = clock.stamp(begin + timedelta(days=scene.day))
    return {
        "step": number,
        "title": scene.title,
        "day": scene.day,
        "says": scene.says,
        "runs": [_run(line) for line in scene.commands],
    }


def _run(line: str) -> dict[str, Any]:
    """Run one command line as a user would and return it with what it printed."""
    if "{" in line:
        line = line.format_map(_ids())
    program, *words = shlex.split(line)
    if program == "cat":
        return {"command": line, "status": 0, "output": Path(words[0]).read_text(encoding="utf-8").rstrip()}
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
        status = main(words)
    return {"command": line, "status": status, "output": printed.getvalue().rstrip()}


def _ids() -> dict[str, str]:
    with workspace.open() as ws:
        by_text = {memory.text: memory.id for memory in ws.memories(all=True)}
    return {name: by_text[text] for name, text in NAMES.items() if text in by_text}


def _opening() -> str:
    says = (
        "Tenure keeps what coding agents learn, and a memory has to earn its place. "
        "What follows really runs, in a temporary repository that is removed at the end."
    )
    return "\n".join(_wrapped(says))


def _shown(step: dict[str, Any]) -> str:
    head = f"{step['step']}. {step['title']}"
    lines = ["", style(f"{head}  (day {step['day']})", bold=True), *_wrapped(step["says"])]
    for run in step["runs"]:
        lines += [style(line, fg="cyan") for line in _wrapped(f"$ {run['command']}", "  ", "      ")]
        for line in (run["output"] or SILENCE).splitlines():
            lines += _wrapped(line, "  ", "      ")
        if run["status"]:
            lines.append(style(f"  This ended with exit status {run['status']}, which it should not.", fg="red"))
    return "\n".join(lines)


def _ending(worked: bool) -> str:
    if not worked:
        return "\nA step failed. This is a bug of ours; please report it with the output of `tenure demo --json`."
    width = max(len(typed) for typed, _ in NEXT)
    lines = ["", style("In your own repository", bold=True)]
    if not shutil.which("tenure"):
        lines.append(f"  {style(_on_path(), fg='cyan')}")
    lines += [f"  {style(typed.ljust(width), fg='cyan')}  {does}" for typed, does in NEXT]
    return "\n".join(lines)


def _on_path() -> str:
    """Return the command that lets a shell find this very program."""
    return f"export PATH={shlex.quote(str(Path(sys.executable).parent))}:$PATH"


def _wrapped(text: str, first: str = "", later: str = "") -> list[str]:
    width = min(shutil.get_terminal_size().columns, WIDEST)
    return textwrap.wrap(
        text, width, initial_indent=first, subsequent_indent=later, break_on_hyphens=False, replace_whitespace=False
    ) or [""]
