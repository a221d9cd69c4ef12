"""What ArcheFlow's files have no field for: the run extracted last, what each run has counted, ids that were erased.

It lives in `.tenure/`, never in `.archeflow/`, and may be lost: without it decay counts every lesson as
unseen.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from pathlib import Path

from tenure.files import durable
from tenure.model.errors import Refused, TenureError

FOLDER = Path(".tenure")
NAME = "archeflow.json"
_ID = re.compile(r"m-[0-9]{1,9}")


class Companion:
    """The companion file of one project."""

    def __init__(self, project: Path) -> None:
        self._folder = project / FOLDER
        state = self._read()
        last, counted = state.get("last_run"), state.get("counted")
        self.last_run = last if isinstance(last, str) else ""
        self._counted: dict[str, list[str]] = {}
        # The highest id that was erased from the files, so that it is not given again.
        erased = state.get("erased")
        self.erased = erased if isinstance(erased, str) and _ID.fullmatch(erased) else ""
        for run, ids in counted.items() if isinstance(counted, dict) else ():
            if isinstance(ids, list):
                self._counted[run] = [one for one in ids if isinstance(one, str)]

    def counted(self, run: str) -> frozenset[str]:
        """Return the ids of the lessons that the run has triggered so far."""
        return frozenset(self._counted.get(run, ()))

    def mentioned(self) -> bytes:
        """Return the erased id as a file would mention it."""
        return f'"{self.erased}"'.encode() if self.erased else b""

    def remember_erased(self, identity: str) -> None:
        """Write down that every line of this id was erased."""
        if _ID.fullmatch(identity) and int(identity[2:]) > int(self.erased[2:] or 0):
            self.erased = identity
            self._write()

    def remember(self, run: str, counted: Iterable[str], keep_runs: int) -> None:
        """Write down that the run was extracted; only the newest runs are kept."""
        self.last_run = run
        self._counted.pop(run, None)
        if run:
            self._counted[run] = sorted(counted)
        self._counted = dict(list(self._counted.items())[-keep_runs:])
        self._write()

    def _write(self) -> None:
        if self._folder.is_symlink():
            raise Refused(f"refusing to write through symlink: {FOLDER}")
        self._folder.mkdir(exist_ok=True)
        ignore = self._folder / ".gitignore"
        if not ignore.exists():
            durable.replace(ignore, b"*\n")
        state: dict[str, object] = {"last_run": self.last_run, "counted": self._counted}
        if self.erased:
            state["erased"] = self.erased
        durable.replace(self._folder / NAME, json.dumps(state).encode("ascii"))

    def _read(self) -> dict[str, object]:
        if self._folder.is_symlink():
            return {}
        try:
            state = json.loads(durable.read_bytes(self._folder / NAME))
        except (OSError, ValueError, RecursionError, TenureError):
            return {}
        return state if isinstance(state, dict) else {}
