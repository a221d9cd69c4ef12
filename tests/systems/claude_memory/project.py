"""A project with a memory folder, and the drop-in commands run inside it."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from tenure.systems.claude_memory import command
from tenure.systems.claude_memory.records import FOLDERS

CONTENT: dict[str, dict[str, Any]] = {
    "session_summary": {"goal": "g", "outcome": "partial", "completed": ["a"], "next_actions": ["b"]},
    "decision": {"status": "accepted", "context": "c", "decision": "d", "rationale": ["r"]},
    "runbook": {"trigger": "t", "steps": ["s"], "verification": "v"},
    "constraint": {"kind": "gap", "rule": "r", "impact": ["i"], "severity": "low", "active": True},
    "tech_debt": {"status": "open", "priority": "low", "description": "d", "reason_deferred": "r"},
    "preference": {"topic": "t", "value": "v", "reason": "r", "strength": "soft"},
}


def record(category: str = "decision", **fields: Any) -> dict[str, Any]:
    """Return a valid record of the category, with some fields set."""
    return {
        "schema_version": "1.0",
        "category": category,
        "id": "queue",
        "title": "Use managed queue for orders",
        "record_status": "active",
        "created_at": "2026-01-10T09:00:00Z",
        "updated_at": "2026-01-10T09:00:00Z",
        "tags": ["orders", "queue"],
        "content": CONTENT[category],
        "changes": [{"date": "2026-01-10T09:00:00Z", "summary": "created"}],
        "times_updated": 0,
        **fields,
    }


class Project:
    """The commands and files of one project."""

    def __init__(self, root: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.root, self.capsys = root, capsys
        self.memory = root / ".claude" / "memory"
        self.memory.mkdir(parents=True)
        self.out = self.err = ""

    def run(self, *arguments: str) -> int:
        """Run a command and keep what it printed."""
        status = command.main(list(arguments))
        self.out, self.err = self.capsys.readouterr()
        return status

    def write(self, action: str, target: str, **flags: str) -> int:
        """Run the writer on a target inside the memory folder."""
        words = [word for name, value in flags.items() for word in (f"--{name}", value)]
        return self.run("write", "--action", action, "--target", f".claude/memory/{target}", *words)

    def draft(self, value: Any, name: str = "draft.json") -> str:
        """Put a draft where the writer may read it."""
        path = self.root.parent / name
        path.write_text(value if isinstance(value, str) else json.dumps(value), "utf-8")
        return str(path)

    def create(self, target: str, value: dict[str, Any], **flags: str) -> int:
        """Create a memory from a record."""
        return self.write("create", target, category=value["category"], input=self.draft(value), **flags)

    def update(self, target: str, value: dict[str, Any], **flags: str) -> int:
        """Update a memory by a record, with the hash of what is there."""
        flags = {"hash": self.md5(target), **flags}
        return self.write("update", target, category="decision", input=self.draft(value), **flags)

    def put(self, value: dict[str, Any], name: str | None = None) -> str:
        """Place a record's file as the original would have left it, without touching the index."""
        target = f"{FOLDERS[value['category']]}/{name or value['id']}.json"
        path = self.memory / target
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps(value, indent=2, ensure_ascii=False) + "\n", "utf-8")
        return target

    def configure(self, **values: Any) -> None:
        """Write the project's settings."""
        (self.memory / "memory-config.json").write_text(json.dumps(values), "utf-8")

    def read(self, target: str) -> dict[str, Any]:
        """Return a record as it lies on disk."""
        value: dict[str, Any] = json.loads((self.memory / target).read_text("utf-8"))
        return value

    def md5(self, target: str) -> str:
        """Return the hash `--hash` wants."""
        return hashlib.md5((self.memory / target).read_bytes()).hexdigest()

    def index(self) -> list[str]:
        """Return the lines of the index; none where there is no index yet."""
        path = self.memory / "index.md"
        text = path.read_text("utf-8") if path.exists() else ""
        return [line for line in text.split("\n") if line.startswith("- [")]

    def error(self) -> str:
        """Return the name of the error printed last."""
        return self.out.split("\n")[0]

    def keys(self) -> dict[str, str]:
        """Return the keys of the error printed last."""
        return dict(line.split(": ", 1) for line in self.out.splitlines()[1:] if ": " in line)
