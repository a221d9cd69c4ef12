"""The real program as a process, for tests that look from outside.

`Program` runs `python -m tenure` in a folder with its own home; nothing of the caller's environment leaks in.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import tenure

SOURCE = str(Path(tenure.__file__).resolve().parents[1])
# A safety net against a hang, never a measurement.
SAFETY_NET_SECONDS = 300


@dataclass(frozen=True)
class Result:
    """What a finished process left behind."""

    status: int
    out: bytes
    err: bytes

    @property
    def text(self) -> str:
        return self.out.decode()

    @property
    def errors(self) -> str:
        return self.err.decode()

    @property
    def json(self) -> Any:
        """The one JSON document on standard output."""
        return json.loads(self.out)

    @property
    def error(self) -> dict[str, str]:
        """The error as `--json` reports it on standard error."""
        found: dict[str, str] = json.loads(self.err.splitlines()[-1])["error"]
        return found


@dataclass
class Program:
    """The program, run in one folder with one home."""

    folder: Path
    home: Path
    environment: dict[str, str] = field(default_factory=dict)
    prefix: Sequence[str] = ()
    before: Callable[[], None] | None = None

    def __call__(self, *words: str, stdin: bytes = b"", **environment: str) -> Result:
        """Run one command to its end."""
        done = subprocess.run(
            [*self.prefix, sys.executable, "-m", "tenure", *words],
            input=stdin,
            capture_output=True,
            cwd=self.folder,
            env=self.variables(environment),
            timeout=SAFETY_NET_SECONDS,
            preexec_fn=self.before,
            check=False,
        )
        return Result(done.returncode, done.stdout, done.stderr)

    def ok(self, *words: str, stdin: bytes = b"", **environment: str) -> Any:
        """Run a command that must succeed and return its JSON answer."""
        done = self("--json", *words, stdin=stdin, **environment)
        assert done.status == 0, (words, done.status, done.err)
        return done.json

    def start(self, script: str, *words: str, **environment: str) -> subprocess.Popen[bytes]:
        """Start Python code that uses the API in this folder, with its output in a pipe."""
        return subprocess.Popen(
            [*self.prefix, sys.executable, "-c", script, *words],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=self.folder,
            env=self.variables(environment),
            preexec_fn=self.before,
        )

    def variables(self, more: Mapping[str, str] | None = None) -> dict[str, str]:
        """Return the environment of the process: ours, and what finds Python."""
        # The last is how `scripts/coverage` counts what programs run.
        passed_on = ("PATH", "LD_LIBRARY_PATH", "SYSTEMROOT", "COVERAGE_PROCESS_CONFIG")
        kept = {name: os.environ[name] for name in passed_on if name in os.environ}
        own = {
            "PYTHONPATH": SOURCE,
            "HOME": str(self.home.parent),
            "TENURE_HOME": str(self.home),
            "LC_ALL": "C.UTF-8",
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_NOSYSTEM": "1",
            "TENURE_ENCODER": "none",
            # Nobody sits at a test, whoever runs it.
            "TENURE_UNATTENDED": "1",
        }
        return {**kept, **own, **self.environment, **(more or {})}

    @property
    def database(self) -> Path:
        return self.folder / ".tenure" / "memory.db"

    def owned(self) -> dict[Path, bytes]:
        """Return every byte of every file the program owns."""
        roots = (self.folder / ".tenure", self.home)
        return {path: path.read_bytes() for root in roots for path in sorted(root.rglob("*")) if path.is_file()}


def proposals(*items: Mapping[str, Any]) -> bytes:
    """Return proposals as JSON Lines."""
    return b"".join(json.dumps(item).encode() + b"\n" for item in items)
