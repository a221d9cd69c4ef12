"""Delivery at least once, effect once (R12), and no more memory than S17 allows, with real processes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.faults import PEAK_KILOBYTES, linux_only
from tests.program import Program

CORRECTION = "No, use tabs instead of spaces in the Makefile."
MOST_KILOBYTES = 100 * 1024


def transcript(tmp_path: Path, *said: str) -> Path:
    path = tmp_path / "t.jsonl"
    records = [{"type": "user", "uuid": str(n), "message": {"content": text}} for n, text in enumerate(said)]
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


def end(program: Program, path: Path, session: str = "s-1") -> None:
    event = {"session_id": session, "cwd": str(program.folder), "transcript_path": str(path)}
    done = program(
        "hook",
        "session-end",
        stdin=json.dumps(event).encode(),
        CLAUDECODE="1",
        TENURE_NO_WORKER="1",
        TENURE_HOOK_SECONDS="60",
    )
    assert (done.status, done.out, done.err) == (0, b"", b"")


def drafter(program: Program, tmp_path: Path, code: str) -> None:
    script = tmp_path / "drafter.py"
    script.write_text(code)
    program.home.mkdir(parents=True, exist_ok=True)
    command = json.dumps(f"{sys.executable} {script}")
    (program.home / "config.toml").write_text(f"[drafter]\ncommand = {command}\ntimeout_seconds = 30\n")


def evidence(program: Program) -> list[tuple[str, int]]:
    return [(m["state"], m["signals"]["evidence_count"]) for m in program.ok("list")["memories"]]


def test_a_worker_killed_between_taking_and_committing_leaves_the_session_to_the_next(
    program: Program, tmp_path: Path
) -> None:
    """R12: kill between spool and commit. The worker is stopped inside its work by a drafter that waits on a pipe."""
    reached, hold = tmp_path / "reached", tmp_path / "hold"
    for pipe in (reached, hold):
        os.mkfifo(pipe)
    drafter(program, tmp_path, f"open({str(reached)!r}, 'w').write('x')\nopen({str(hold)!r}).read()\nprint('[]')\n")
    end(program, transcript(tmp_path, CORRECTION))
    worker = subprocess.Popen(
        [sys.executable, "-m", "tenure", "hook", "work"], cwd=program.folder, env=program.variables()
    )
    assert reached.read_text() == "x"
    os.kill(worker.pid, signal.SIGKILL)
    worker.wait()
    hold.write_text("")
    assert program.ok("status")["sessions"] == {"going_on": 0, "waiting": 1, "failed": 0}
    assert "1 wait to be learned from" in json.dumps(program("--json", "doctor").json)
    assert program.ok("list")["memories"] == []
    (program.home / "config.toml").unlink()
    for _ in range(2):
        assert program("hook", "work").status == 0
    assert evidence(program) == [("candidate", 1)]
    assert program.ok("status")["sessions"] == {"going_on": 0, "waiting": 0, "failed": 0}


@pytest.mark.parametrize(
    ("code", "why"),
    [
        ("print('I am sorry, as a language model')", "JSON"),
        ("import sys\nprint('401 unauthorized', file=sys.stderr)\nsys.exit(3)", "ended with status 3"),
        ("print('{\"kind\": 7}')", "must answer with a list"),
        ("import sys\nsys.stdout.write('[' * 300000)", "drafter"),
    ],
)
def test_a_drafter_that_answers_garbage_costs_its_drafts_only(
    code: str, why: str, program: Program, tmp_path: Path
) -> None:
    """R12: a model returning garbage or an authentication error: the rest counts, once, and the reason is logged."""
    drafter(program, tmp_path, code)
    path = transcript(tmp_path, CORRECTION)
    for _ in range(3):
        end(program, path)
        assert program("hook", "work").status == 0
    assert evidence(program) == [("candidate", 1)]
    log = (program.home / "hooks.log").read_text()
    assert " work " in log and (why in log or why == "drafter")


def test_a_session_reported_by_two_hosts_of_one_name_or_late_counts_once(program: Program, tmp_path: Path) -> None:
    """R12: duplicate and reordered events: the end twice, before the start, and again after the worker was there."""
    path = transcript(tmp_path, CORRECTION)
    event = {"session_id": "s-1", "cwd": str(program.folder), "transcript_path": str(path)}
    for round in range(2):
        for name in ("session-end", "stop", "session-start", "session-end", "stop"):
            program(
                "hook",
                name,
                stdin=json.dumps(event).encode(),
                CLAUDECODE="1",
                TENURE_NO_WORKER="1",
                TENURE_HOOK_SECONDS="60",
            )
        assert program.ok("status")["sessions"]["waiting"] == 1, round
        assert program("hook", "work").status == 0
    assert evidence(program) == [("candidate", 1)]


def _peak(program: Program, words: list[str], stdin: Any) -> tuple[int, int]:
    """Return the exit status and the most memory, in kilobytes, a command of the program ever had."""
    code = f"import sys, tenure.__main__ as m; s = m.main({words!r}); sys.stdout = sys.stderr; {PEAK_KILOBYTES}"
    done = subprocess.run(
        [sys.executable, "-c", code],
        stdin=stdin,
        capture_output=True,
        cwd=program.folder,
        env=program.variables({"CLAUDECODE": "1", "TENURE_NO_WORKER": "1"}),
        check=False,
    )
    return done.returncode, int(done.stderr.split()[-1])


@linux_only
def test_a_line_of_200_megabytes_costs_the_worker_and_the_hook_no_memory(program: Program, tmp_path: Path) -> None:
    """S17: at most 100 MB resident. Measured: 37 MB for the worker, 28 MB for the hook."""
    path = tmp_path / "t.jsonl"
    said = {"type": "user", "uuid": "2", "message": {"content": CORRECTION}}
    with path.open("wb") as file:
        file.write(b'{"type": "user", "message": {"content": "')
        file.seek(200 * 1024 * 1024)
        file.write(b'"}}\n' + json.dumps(said).encode() + b"\n" + b'{"type": "user", "mess')
    end(program, path)
    status, kilobytes = _peak(program, ["hook", "work"], subprocess.DEVNULL)
    assert status == 0 and kilobytes < MOST_KILOBYTES, kilobytes
    assert evidence(program) == [("candidate", 1)]
    with path.open("rb") as huge:
        status, kilobytes = _peak(program, ["hook", "post-tool"], huge)
    assert status == 0 and kilobytes < MOST_KILOBYTES, kilobytes


def test_a_home_that_is_refused_stops_no_prompt(program: Program) -> None:
    """S19: also where the home should become an unattended one; the program ended with a traceback."""
    program.home.mkdir(parents=True, exist_ok=True)
    for path in program.home.iterdir():
        path.unlink()
    program.home.chmod(0o777)
    done = program("hook", "prompt", stdin=b'{"prompt": "why do the tests fail?"}', TENURE_UNATTENDED="1")
    assert (done.status, done.out, done.err) == (0, b"", b"")
    refused = program("status", TENURE_UNATTENDED="1")
    assert refused.status == 5 and "chmod go-w" in refused.errors and "Traceback" not in refused.errors
