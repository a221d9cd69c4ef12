"""The checks of `tenure doctor`: each runs for real, in a temporary folder where it would change something."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tenure import __version__, workspace
from tenure.files import homes, locate
from tenure.model.errors import TenureError
from tenure.surfaces.cli import display
from tenure.surfaces.hooks.host import DEADLINE_VARIABLE, named_seconds, seconds_for

# What a person reads instead of a check's name; programs read the name.
LABELS = {
    "home": "Tenure's own folder",
    "folder": "store folder",
    "place": "store location",
    "trust": "trust in this store",
    "drafter": "drafting command",
    "effect": "effect measurement",
    "meaning": "search by meaning",
    "socket": "prompt server",
    "sessions": "learning from sessions",
    "deadline": "hook time limit",
    "whole loop": "trial run",
}


def checks(store: str | None) -> list[dict[str, Any]]:
    """Return what was checked, whether it holds, and what to do where it does not."""
    probes: list[tuple[str, Callable[[], str], str]] = [
        ("program", _program, "Install Tenure again."),
        ("home", _home, "Set TENURE_HOME to a folder of yours."),
        ("folder", lambda: _folder(store), "Give yourself the right to write there, or name another with --store."),
        ("store", lambda: _store(store), "Run `tenure check` for the details."),
        ("place", lambda: _place(store), "Put the store back. If you moved it on purpose: tenure trust"),
        ("trust", lambda: _trust(store), "Look with `tenure list`, then: tenure trust"),
        ("drafter", lambda: _drafter(store), "Read the command. If you agree to run it: tenure trust"),
        ("effect", lambda: _effect(store), "`tenure effect --sessions` shows what was measured."),
        ("meaning", lambda: _meaning(store), "Install the extra again."),
        ("socket", lambda: _socket(store), "Set TENURE_HOME to a folder of yours."),
        (
            "sessions",
            lambda: _sessions(store),
            "Look into the files named, then remove them; `tenure capture --since 30d` reads again.",
        ),
        ("deadline", _deadline, f"Unset {DEADLINE_VARIABLE}, or name seconds."),
        ("agents", _agents, "Run `tenure install AGENT` again."),
        ("whole loop", _loop, "This is a bug of ours; please report it with the output of `tenure doctor --json`."),
    ]
    return [_probe(name, probe, hint) for name, probe, hint in probes]


def _probe(name: str, probe: Callable[[], str], hint: str) -> dict[str, Any]:
    try:
        return {"name": name, "ok": True, "detail": probe(), "hint": ""}
    except TenureError as error:
        return {"name": name, "ok": False, "detail": error.message, "hint": error.hint or hint}
    except Exception as error:
        return {"name": name, "ok": False, "detail": f"{type(error).__name__}: {error}", "hint": hint}


def _program() -> str:
    version = ".".join(map(str, sys.version_info[:3]))
    return f"tenure {__version__}, Python {version}, {workspace.engine()}"


def _home() -> str:
    home = locate.home()
    home.mkdir(mode=0o700, parents=True, exist_ok=True)
    if not os.access(home, os.W_OK):
        raise TenureError(f"{str(home)!r} cannot be written.")
    return str(home)


def _folder(store: str | None) -> str:
    """Tell whether the store's folder, or the first one above it that exists, can be written."""
    place = locate.locate(store, Path.cwd())
    folder = place.path.parent if place.native else place.path
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    try:
        # Permissions alone do not tell of a file system that takes no files.
        tempfile.TemporaryFile(dir=folder, suffix=".tmp").close()
    except OSError as error:
        why = f"cannot be written ({error.strerror}), so no memory can be saved there"
        raise TenureError(f"{str(folder)!r} {why}.") from None
    if place.path.is_file() and not os.access(place.path, os.W_OK):
        raise TenureError(f"{str(place.path)!r} cannot be written, so no memory can be saved there.")
    return f"{folder} can be written"


def _store(store: str | None) -> str:
    with workspace.open(store) as ws:
        problems = ws.check()
        if problems:
            first = problems[0]
            raise TenureError(f"{len(problems)} problems, the first: {first.field}: {first.message}")
        if ws.erasure_pending():
            raise TenureError("An erasure is not finished.", hint="Run `tenure upkeep`.")
        status = ws.status()
        return f"{display.count(status.memories)} verified in {status.store}"


def _place(store: str | None) -> str:
    """Tell whether the project's memory has moved."""
    with workspace.open(store) as ws:
        if found := ws.elsewhere():
            raise TenureError(found)
        return f"the store has not moved. {ws.above()}".removesuffix(". ")


def _trust(store: str | None) -> str:
    """Tell whether agents are shown anything of this store."""
    with workspace.open(store) as ws:
        if found := ws.withheld():
            raise TenureError(f"{found.partition('. ')[0]}.")
        return "agents may see this memory"


def _drafter(store: str | None) -> str:
    """Tell which command drafts memories, and whether a person agreed to it."""
    with workspace.open(store) as ws:
        said, waits = ws.drafter()
    if waits:
        raise TenureError(said)
    return said or "none configured"


def _effect(store: str | None) -> str:
    with workspace.open(store) as ws:
        found = ws.status().effect
        if not found:
            return "off; no memory is held back"
        held = f"held back {found.held} of {found.exposures} times, {found.sessions} sessions are over"
        return held if found.on else f"{held}; off now"


def _meaning(store: str | None) -> str:
    """Say whether memories are found by meaning too; without it nothing is wrong."""
    with workspace.open(store) as ws:
        reason = ws.words_only()
        missing = 0 if reason else ws.without_vector()
    if missing:
        have = "has" if missing == 1 else "have"
        return f"an encoder is installed; {display.count(missing)} {have} no vector yet: tenure upkeep"
    return f"words only ({reason})" if reason else "an encoder is installed"


def _socket(store: str | None) -> str:
    """Tell whether a running server answers prompts; without one nothing is wrong."""
    with workspace.open(store) as ws:
        return ws.prompt_server()


def _sessions(store: str | None) -> str:
    """Tell how many sessions wait or were given up, and why hooks stayed silent here lately."""
    from tenure.spool import journal, log, pending

    folder = journal.folder()
    if lost := pending.failed(folder):
        raise TenureError(f"{len(lost)} session{'s' * (len(lost) > 1)} could not be learned from: {lost[0]}")
    waiting = len(pending.ready(folder))
    place = locate.locate(store, Path.cwd())
    lines = log.read_for({str(place.path), str(place.project), str(place.tree)})
    last = f"; last time a hook stayed silent: {lines[-1]}" if lines else ""
    return f"{waiting} wait to be learned from{last}"


def _agents() -> str:
    from tenure.surfaces.cli.doctor_agents import examine

    return examine()


def _deadline() -> str:
    """Tell how long hooks may take."""
    said = os.environ.get(DEADLINE_VARIABLE, "")
    if said and not named_seconds():
        raise TenureError(f"{DEADLINE_VARIABLE} is {said!r:.40}, which is not a number of seconds, so it is ignored.")
    return f"{seconds_for('prompt'):g} s for a prompt"


def _loop() -> str:
    """Write, find, use, judge and let go of a memory in a folder that is thrown away."""
    with (
        tempfile.TemporaryDirectory() as folder,
        homes.thrown_away(Path(folder) / "home"),
        workspace.open(f"sqlite:{Path(folder) / 'trial.db'}", folder) as ws,
    ):
        memory = ws.add("Doctor: start the database before the integration tests", kind="runbook")
        steps = [
            memory.state == "provisional",
            [hit.id for hit in ws.search("database integration")] == [memory.id],
            memory.id in ws.inject("how do I run the integration tests").block,
            ws.log(memory.id, "negative", task="one").state == "provisional",
            ws.log(memory.id, "negative", task="two").state == "under_review",
            ws.review(memory.id, "keep", by="doctor").state == "provisional",
            ws.retire(memory.id, reason="done").phase == "gone",
            ws.check() == [],
        ]
        if not all(steps):
            raise TenureError(f"Step {steps.index(False) + 1} of {len(steps)} gave a wrong result.")
    return "a test memory was added, found, shown, put under review, kept, retired and verified"
