"""A project folder with ArcheFlow files, as the tests of this dialect set it up and look at it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

LESSONS = Path(".archeflow/memory/lessons.jsonl")
ARCHIVE = Path(".archeflow/memory/archive.jsonl")
AUDIT = Path(".archeflow/memory/audit.jsonl")


def write(path: Path, *rows: dict[str, Any]) -> Path:
    """Write rows as JSON lines."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def read(path: Path) -> list[dict[str, Any]]:
    """Return the rows of a JSON-lines file, none when there is no file."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []


def verdict(run: str, *descriptions: str, severity: str = "warning", source: str = "guardian") -> dict[str, Any]:
    """Return a review.verdict event with these findings."""
    findings = [{"severity": severity, "description": words, "category": "code"} for words in descriptions]
    return {"run_id": run, "type": "review.verdict", "data": {"archetype": source, "findings": findings}}


def events(project: Path, run: str, *descriptions: str) -> str:
    """Write the events of a run with these findings and return their path, relative to the project."""
    start = {"run_id": run, "type": "run.start", "data": {"task": "t"}}
    path = project / ".archeflow" / "events" / f"{run}.jsonl"
    return str(write(path, start, verdict(run, *descriptions)).relative_to(project))


def lesson(identity: str, description: str, frequency: int = 1, unseen: int = 0, **more: Any) -> dict[str, Any]:
    """Return a lesson as the script would have written it."""
    return {
        "id": identity,
        "ts": "2026-04-03T14:00:00Z",
        "run_id": "r0",
        "type": "pattern",
        "source": "guardian",
        "description": description,
        "frequency": frequency,
        "severity": "bug",
        "domain": "code",
        "tags": [],
        "archetype": None,
        "last_seen_run": "r0",
        "runs_since_last_seen": unseen,
    } | more


def process(project: Path, *arguments: str) -> subprocess.Popen[str]:
    """Start the drop-in in the project as a process of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "tenure", "archeflow", *arguments],
        cwd=project,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    )
