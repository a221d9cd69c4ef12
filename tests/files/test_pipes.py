"""A pipe that an archive or a shared folder put where a file is expected is not waited for: nobody writes to it."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from tests.program import Program

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
TEAM_FILE = (
    "---\ntype: lesson\ntitle: Pin it\nstatus: stable\ntenure:\n  commit: 0123456789abcdef\n---\n\nPin the compiler.\n"
)


@pytest.fixture
def project(program: Program) -> Program:
    subprocess.run(["git", "init", "-q"], cwd=program.folder, check=True)
    (program.folder / ".tenure" / "team").mkdir(parents=True)
    (program.folder / ".tenure" / "team" / "pin.md").write_text(TEAM_FILE)
    (program.folder / ".tenure" / "config.toml").write_text("")
    (program.folder / ".claude" / "memory" / "decisions").mkdir(parents=True)
    program.ok("trust", "--yes")
    return program


def pipe(path: Path) -> None:
    path.unlink(missing_ok=True)
    path.parent.mkdir(parents=True, exist_ok=True)
    os.mkfifo(path)


@pytest.mark.parametrize("name", [".git/HEAD", ".git/commondir", ".git/refs/heads/main", ".tenure/team/pin.md"])
@pytest.mark.parametrize("words", [["status"], ["hook", "session-start"]], ids=" ".join)
def test_a_command_and_a_sessions_start_do_not_wait_for_it(project: Program, name: str, words: list[str]) -> None:
    """S17, S19: with a memory that names a commit, both read which commit `.git` says is checked out."""
    (project.folder / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    pipe(project.folder / name)
    message = {"session_id": "s", "cwd": str(project.folder), "source": "startup"}
    # It hung until the safety net; what git itself says of such a folder is not the point.
    assert project(*words, stdin=json.dumps(message).encode()).status in (0, 1, 2)


@pytest.mark.parametrize("name", [".tenure/triage.jsonl", ".tenure/config.toml"])
def test_a_drop_in_does_not_wait_for_it(project: Program, name: str) -> None:
    """S17: the log of triage and the settings lie in the project."""
    pipe(project.folder / name)
    said = project.folder.parent / "s.jsonl"
    said.write_text(json.dumps({"type": "user", "message": {"role": "user", "content": "We decided to use Redis."}}))
    store = f"claude-memory:{project.folder / '.claude' / 'memory'}"
    message = {"session_id": "s", "cwd": str(project.folder), "transcript_path": str(said)}
    for words in (["triage"], ["retrieve"]):
        done = project("claude-memory", *words, stdin=json.dumps(message).encode(), TENURE_STORE=store)
        assert done.status == 0, done.err
