"""What ArcheFlow's files have no field for: which run was extracted last, and what each run has counted.

It lives in `.tenure/`, never in `.archeflow/`, and may be lost: without it decay counts every lesson as
unseen.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from tenure.dialects import files
from tenure.errors import Refused, TenureError

FOLDER = Path(".tenure")
NAME = "archeflow.json"


class Companion:
    """The companion file of one project."""

    def __init__(self, project: Path) -> None:
        self._folder = project / FOLDER
        state = self._read()
        last, counted = state.get("last_run"), state.get("counted")
        self.last_run = last if isinstance(last, str) else ""
        self._counted: dict[str, list[str]] = {}
        for run, ids in counted.items() if isinstance(counted, dict) else ():
            if isinstance(ids, list):
                self._counted[run] = [one for one in ids if isinstance(one, str)]

    def counted(self, run: str) -> frozenset[str]:
        """Return the ids of the lessons that the run has triggered so far."""
        return frozenset(self._counted.get(run, ()))

    def remember(self, run: str, counted: Iterable[str], keep_runs: int) -> None:
        """Write down that the run was extracted; only the newest runs are kept."""
        self.last_run = run
        self._counted.pop(run, None)
        if run:
            self._counted[run] = sorted(counted)
        kept = dict(list(self._counted.items())[-keep_runs:])
        if self._folder.is_symlink():
            raise Refused(f"refusing to write through symlink: {FOLDER}")
        self._folder.mkdir(exist_ok=True)
        ignore = self._folder / ".gitignore"
        if not ignore.exists():
            files.replace(ignore, b"*\n")
        state = {"last_run": run, "counted": kept}
        files.replace(self._folder / NAME, json.dumps(state).encode("ascii"))

    def _read(self) -> dict[str, object]:
        if self._folder.is_symlink():
            return {}
        try:
            state = json.loads(files.read_bytes(self._folder / NAME))
        except (OSError, ValueError, RecursionError, TenureError):
            return {}
        return state if isinstance(state, dict) else {}
