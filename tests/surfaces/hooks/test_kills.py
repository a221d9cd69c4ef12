"""Sessions killed with -9 at any moment leave no process, no lock and no temporary file."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.program import Program

EVENTS = ("session-start", "pre-tool", "post-tool", "stop", "session-end")


def run(program: Program, name: str, session: str, inherited: int, transcript: Path) -> subprocess.Popen[bytes]:
    payload: dict[str, Any] = {
        "session_id": session,
        "cwd": str(program.folder),
        "transcript_path": str(transcript),
        "tool_name": "Bash",
        "tool_input": {"command": "make test"},
    }
    started = subprocess.Popen(
        [sys.executable, "-m", "tenure", "hook", name],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=program.variables({"CLAUDECODE": "1"}),
        cwd=program.folder,
        pass_fds=(inherited,),
        start_new_session=True,
    )
    assert started.stdin
    started.stdin.write(json.dumps(payload).encode())
    started.stdin.close()
    return started


@pytest.mark.parametrize("count", [8, pytest.param(200, marks=pytest.mark.slow)])
def test_killed_sessions_leave_nothing_behind(count: int, program: Program, tmp_path: Path) -> None:
    """R13, issue 8: 0 processes, 0 stale locks, temporary files gone."""
    program.ok("add", "Run make db before make test", "--id", "make-db")
    chance = random.Random(8)
    alive, inherited = os.pipe()
    for number in range(count):
        transcript = tmp_path / f"{number}.jsonl"
        line = {"type": "user", "uuid": str(number), "message": {"content": "No, use tabs instead of spaces here."}}
        transcript.write_text(json.dumps(line) + "\n")
        for name in EVENTS:
            started = run(program, name, f"s-{number}", inherited, transcript)
            if chance.random() < 0.5:
                try:
                    started.wait(chance.random() * 0.1)
                except subprocess.TimeoutExpired:
                    os.killpg(started.pid, signal.SIGKILL)
            started.wait()
    os.close(inherited)
    # Ends when the last worker has; a process left behind would hold the pipe open for ever.
    assert os.read(alive, 1) == b""
    os.close(alive)
    late: dict[str, Any] = {"TENURE_NOW": "2099-01-01T00:00:00Z"}
    assert program("hook", "work", **late).status == 0
    assert list((program.home / "sessions").iterdir()) == []
    assert not [path for root in (program.home, program.folder) for path in root.rglob("*.tmp")]
    assert program("check").status == 0
