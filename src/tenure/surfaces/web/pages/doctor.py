"""The results of `tenure doctor`, run on request: it takes some seconds and works on a temporary copy."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import msgspec

from tenure.model.errors import StoreUnusable
from tenure.surfaces.web.pages import Ask, Page

if TYPE_CHECKING:
    from tenure.workspace import Workspace

MOST_SECONDS = 120


def read(workspace: Workspace, ask: Ask) -> dict[str, Any]:
    """Return the store's own facts, and the checks when they are asked for."""
    return {
        "status": msgspec.to_builtins(workspace.status()),
        "trusted": workspace.trusted,
        "words_only": workspace.words_only(),
        "server": workspace.prompt_server(),
        "erasing": workspace.erasure_pending(),
        "checks": _checks(workspace, ask) if ask.query.get("run") == "1" else None,
    }


def _checks(workspace: Workspace, ask: Ask) -> list[dict[str, Any]]:
    # A surface of its own, so it is run as the program; -P keeps the project's files from being imported, and so does
    # leaving out entries of PYTHONPATH that mean another folder in the program that is started.
    entries = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    whole = [entry for entry in entries if os.path.isabs(entry) and not entry.startswith("/proc/")]
    command = [sys.executable, "-P", "-m", "tenure", "--store", ask.store, "--json", "doctor"]
    try:
        done = subprocess.run(
            command,
            cwd=workspace.folder,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(whole)},
            capture_output=True,
            timeout=MOST_SECONDS,
            check=False,
        )
        found: list[dict[str, Any]] = json.loads(done.stdout)["checks"]
    except (subprocess.TimeoutExpired, OSError, ValueError, KeyError):
        raise StoreUnusable("The checks did not end.", hint="Run `tenure doctor` in a terminal.") from None
    return found


PAGES = [Page("/doctor", "Doctor", "doctor.html", read, "/doctor.json")]
ACTS: list[Any] = []
