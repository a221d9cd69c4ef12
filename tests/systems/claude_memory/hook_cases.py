"""Runs recorded cases of claude-memory against the drop-in commands: real files, real processes.

A case names the files before, the steps, and what came out. Where 6.0 repaired 5.0, the case carries a `v6`
block, and that is what we expect. Placeholders: `{{ROOT}}` the project, `{{now-2d}}` a time, `{{EPOCH}}` any
number.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

CASES = Path(__file__).parent / "cases"
COMMANDS = {"write_guard": "write-guard", "validate_hook": "validate-hook", "search_engine": "search"}
UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days"}

Case = dict[str, Any]


def load(group: str) -> list[Case]:
    """Return the recorded cases of a group, by name."""
    return [json.loads(path.read_text(encoding="utf-8")) for path in sorted((CASES / group).glob("*.json"))]


def expected(case: Case) -> dict[str, Any]:
    """Return what the first step must answer: the repaired behaviour where there is one."""
    recorded: Case = case["expect"]
    found: dict[str, Any] = case.get("v6", recorded)["steps"][0]
    return found


def run(case: Case, project: Path) -> subprocess.CompletedProcess[str]:
    """Set the case up in `project` and run its only step."""
    for name, content in case["setup"]["files"].items():
        path = project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if "json" in content:
            text = json.dumps(content["json"], indent=2, ensure_ascii=False) + "\n"
        else:
            text = content["text"]
        path.write_text(filled(text, project), encoding="utf-8")
        if "age_s" in content:
            moment = time.time() - content["age_s"]
            os.utime(path, (moment, moment))
    (step,) = case["steps"]
    stdin = filled(json.dumps(step["stdin"]), project) if "stdin" in step else ""
    return tenure(project, COMMANDS.get(step["tool"], step["tool"]), *step.get("argv", []), stdin=stdin)


def tenure(project: Path, *words: str, stdin: str = "", **environment: str) -> subprocess.CompletedProcess[str]:
    """Run `tenure claude-memory WORDS` in the project's folder."""
    return subprocess.run(
        [sys.executable, "-m", "tenure", "claude-memory", *words],
        cwd=project,
        input=stdin,
        capture_output=True,
        encoding="utf-8",
        env={**os.environ, **environment},
        check=False,
    )


def filled(text: str, project: Path) -> str:
    """Return the text with its placeholders filled in."""

    def moment(match: re.Match[str]) -> str:
        past = datetime.now(UTC) - timedelta(**{UNITS[match[2]]: int(match[1])})
        return past.strftime("%Y-%m-%dT%H:%M:%SZ")

    return re.sub(r"\{\{now-(\d+)([smhd])\}\}", moment, text.replace("{{ROOT}}", str(project)))


def comparable(value: Any, project: Path) -> Any:
    """Return a recorded answer with the project's path in place, times of the run blanked."""
    text = re.sub(r"\.invalid\.(\d+|\{\{EPOCH\}\})", ".invalid.EPOCH", json.dumps(value))
    return json.loads(filled(text, project))


def changes(project: Path, before: dict[str, bytes]) -> set[str]:
    """Return the files that are new, different or gone, what lies under `.tenure/` left aside."""
    after = snapshot(project)
    return {name for name in before.keys() | after.keys() if before.get(name) != after.get(name)}


def snapshot(project: Path) -> dict[str, bytes]:
    """Return every file of the project outside `.tenure/`."""
    files = (path for path in project.rglob("*") if path.is_file())
    names = {path.relative_to(project).as_posix(): path.read_bytes() for path in files}
    return {name: data for name, data in names.items() if not name.startswith(".tenure/")}


def write_record(project: Path, path: str, **fields: Any) -> None:
    """Put a record into the project's memory folder, valid unless `fields` say otherwise."""
    record = {
        "schema_version": "1.0",
        "category": "decision",
        "id": Path(path).stem,
        "title": "Use managed queue for orders",
        "record_status": "active",
        "created_at": "2026-01-10T09:00:00Z",
        "updated_at": "2020-01-01T00:00:00Z",
        "tags": ["queue"],
        "related_files": None,
        "confidence": 0.8,
        "content": {
            "status": "accepted",
            "context": "Order service needs a queue",
            "decision": "Use a managed queue",
            "rationale": ["less ops work"],
        },
        "changes": [],
        "times_updated": 0,
        **fields,
    }
    place = project / ".claude" / "memory" / path
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(json.dumps(record, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def write_index(project: Path, *lines: str) -> None:
    """Write an index of these lines."""
    path = project / ".claude" / "memory" / "index.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("# Memory Index\n\n" + "".join(f"- {line}\n" for line in lines), encoding="utf-8")


def configure(project: Path, **sections: Any) -> None:
    """Write `memory-config.json`."""
    path = project / ".claude" / "memory" / "memory-config.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(sections), encoding="utf-8")
