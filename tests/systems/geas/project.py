"""A project with a `.geas` folder, driven through the workspace or the real program."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tenure import workspace
from tenure.systems.geas import schemas
from tenure.workspace import Workspace

MEMORY = "mem-task-001-1"
STORE = ("--store", "geas:.geas")
NOW = "2026-04-10T12:00:00Z"


class Project:
    """One project folder; `at` sets the clock, `open` opens its memory."""

    def __init__(self, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.root, self.geas = root, root / ".geas"
        self._patch = monkeypatch
        self.geas.mkdir(parents=True, exist_ok=True)
        self.at(NOW)

    def at(self, moment: str) -> None:
        """Set the clock."""
        self._patch.setenv("TENURE_NOW", moment)

    def open(self) -> Workspace:
        """Return the project's memory."""
        return workspace.open("geas:.geas", self.root)

    def put(self, place: str, document: Any) -> Path:
        """Write a document as geas would, without telling Tenure."""
        path = self.geas / place
        path.parent.mkdir(parents=True, exist_ok=True)
        text = document if isinstance(document, str) else json.dumps(document, indent=2)
        path.write_text(text + "\n", encoding="utf-8")
        return path

    def entry(self, document: dict[str, Any]) -> Path:
        """Write a memory where its state belongs."""
        folder = "candidates" if "candidate_reason" in document else "entries"
        return self.put(f"memory/{folder}/{document['memory_id']}.json", document)

    def read(self, place: str) -> Any:
        """Return a document of the folder."""
        return json.loads((self.geas / place).read_text("utf-8"))

    def file(self, memory_id: str = MEMORY) -> Any:
        """Return the one file of a memory."""
        found = [path for path in self.geas.glob(f"memory/*/{memory_id}.json") if path.parent.name != "logs"]
        assert len(found) == 1, found
        return json.loads(found[0].read_text("utf-8"))

    def states(self) -> dict[str, str]:
        """Return every memory's state, as the files say."""
        found = {}
        for path in sorted(self.geas.glob("memory/*/*.json")):
            if path.parent.name in ("candidates", "entries") and not path.stem.endswith("-review"):
                found[path.stem] = json.loads(path.read_text("utf-8"))["state"]
        return found

    def index(self) -> dict[str, str]:
        """Return every memory's state, as the index says."""
        return {row["memory_id"]: row["state"] for row in self.read("state/memory-index.json")["entries"]}

    def events(self, name: str = "") -> list[dict[str, Any]]:
        """Return the event lines, of one name when given."""
        path = self.geas / "ledger" / "events.jsonl"
        lines = path.read_text("utf-8").splitlines() if path.exists() else []
        events = [json.loads(line) for line in lines]
        return [event for event in events if not name or event["event"] == name]

    def files(self) -> dict[str, bytes]:
        """Return every byte of the folder."""
        found = {path.relative_to(self.geas).as_posix(): path for path in self.geas.rglob("*") if path.is_file()}
        return {name: path.read_bytes() for name, path in sorted(found.items())}

    def invalid(self) -> list[str]:
        """Return what is wrong with any memory artifact in the folder."""
        found = []
        for path in self.geas.rglob("*.json"):
            document = json.loads(path.read_text("utf-8"))
            if schemas.artifact_of(document, path) is None:
                continue
            for problem in schemas.problems(document, path=path):
                found.append(f"{path.name}: {problem.field}: {problem.message}")
        return found


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Project]:
    """An empty project whose memory must hold, and whose files must be valid, when the test is over."""
    made = Project(tmp_path / "project", monkeypatch)
    yield made
    with made.open() as ws:
        assert ws.check() == []
    assert made.invalid() == []
