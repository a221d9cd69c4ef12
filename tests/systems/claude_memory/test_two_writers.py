"""Two processes on one record, and a process killed between record and index, with real processes and files."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from .case_runner import SOURCE
from .project import Project, record

GENERIC = """
import sys
sys.path.insert(0, sys.argv[1])
import tenure
from tenure.model.errors import Conflict
ws = tenure.open("claude-memory:.claude/memory")
version = ws.version("queue")
print("ready", flush=True)
sys.stdin.readline()
try:
    ws.edit("queue", tags=["orders", "queue", sys.argv[2]], expected_version=version)
    print("updated")
except Conflict as error:
    print(error.code)
"""
KILLED = """
import os, signal, sys
sys.path.insert(0, sys.argv[1])
import tenure
from tenure.systems.claude_memory import folder
folder.RecordFolder._revise = lambda self, wanted: os.kill(os.getpid(), signal.SIGKILL)
tenure.open("claude-memory:.claude/memory").add("Use SQLite because it needs no server", kind="decision")
"""
UNCOMMITTED = """
import os, signal, sys
sys.path.insert(0, sys.argv[1])
import tenure
from tenure.store.companion import FileStore
ws = tenure.open("claude-memory:.claude/memory")
FileStore._remember = lambda self, *rest: os.kill(os.getpid(), signal.SIGKILL)
ws.add("Use SQLite because it needs no server", kind="decision")
"""


def start(project: Project, script: str, *words: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", script, str(SOURCE), *words],
        cwd=project.root,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


@pytest.fixture
def stored(project: Project) -> Project:
    (project.root / ".git").mkdir()
    project.put(record())
    project.run("index", "--rebuild")
    return project


def test_of_two_generic_writers_one_wins_and_one_is_told(stored: Project) -> None:
    """Issue: two processes updating the same record, nothing is lost."""
    writers = [start(stored, GENERIC, word) for word in ("one", "two")]
    for writer in writers:
        assert writer.stdout is not None
        assert writer.stdout.readline() == "ready\n"
    answers = [writer.communicate("go\n")[0].strip() for writer in writers]
    assert sorted(answers) == ["OCC_CONFLICT", "updated"]
    winner = ("one", "two")[answers.index("updated")]
    assert stored.read("decisions/queue.json")["tags"] == ["orders", "queue", winner]


def test_a_generic_writer_and_the_drop_in_cannot_overwrite_each_other(stored: Project) -> None:
    """Issue: the drop-in's hash and the store's version both notice who wrote first."""
    writer = start(stored, GENERIC, "late")
    assert writer.stdout is not None
    assert writer.stdout.readline() == "ready\n"
    old, seen = stored.read("decisions/queue.json"), stored.md5("decisions/queue.json")
    change = {"date": "2026-06-01T12:00:00Z", "summary": "first"}
    draft = {**old, "tags": ["first", "orders", "queue"], "changes": [*old["changes"], change]}
    assert stored.update("decisions/queue.json", draft) == 0
    assert writer.communicate("go\n")[0].strip() == "OCC_CONFLICT"
    assert stored.update("decisions/queue.json", draft, hash=seen) == 1
    assert stored.error() == "OCC_CONFLICT"
    assert stored.read("decisions/queue.json")["tags"] == ["first", "orders", "queue"]


@pytest.mark.parametrize("script", [KILLED, UNCOMMITTED], ids=["before the index", "before the companion"])
def test_a_kill_in_the_middle_heals_on_the_next_command(stored: Project, script: str) -> None:
    """Issue: a kill between record and index heals; the files are picked up by the next command."""
    done = start(stored, script)
    done.communicate()
    assert done.returncode == -signal.SIGKILL
    assert (stored.memory / "decisions" / "use-sqlite-because-it-needs-no-server.json").exists()
    listed = subprocess.run(
        [sys.executable, "-m", "tenure", "--store", "claude-memory:.claude/memory", "--json", "list"],
        cwd=stored.root,
        env={**os.environ, "PYTHONPATH": str(SOURCE)},
        capture_output=True,
        text=True,
        check=True,
    )
    ids = [memory["id"] for memory in json.loads(listed.stdout)["memories"]]
    assert sorted(ids) == ["queue", "use-sqlite-because-it-needs-no-server"]
    assert stored.run("index", "--validate") == 0, stored.out
    assert not Path(stored.memory / ".index.lockdir").exists()
