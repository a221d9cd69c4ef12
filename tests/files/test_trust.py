"""The user-level folder: keys, trust and journals lie there."""

from __future__ import annotations

import json
import os

import pytest

from tenure.files import trust
from tests.program import Program


def facts(mode: int, user: int = 1000, group: int = 1000) -> os.stat_result:
    return os.stat_result((0o040000 | mode, 0, 0, 1, user, group, 0, 0, 0, 0))


@pytest.mark.parametrize(
    ("found", "why"),
    [
        (facts(0o700), ""),
        (facts(0o755), ""),
        (facts(0o775), ""),
        (facts(0o775, group=100), "may be written by its group"),
        (facts(0o777), "may be written by everybody"),
        (facts(0o1777), "may be written by everybody"),
        (facts(0o702), "may be written by everybody"),
        (facts(0o700, user=1001), "belongs to somebody else"),
        (facts(0o755, user=0), ""),
    ],
)
def test_a_folder_that_others_may_write_is_known(found: os.stat_result, why: str) -> None:
    """Issue 13: whoever writes there can trust a store, forge a seal or plant a journal. A user's own group may."""
    assert trust.open_to_others(found, 1000) == why
    assert trust.open_to_others(facts(0o700, user=1001), 0) == "", "root may look into anybody's"


def test_a_home_that_everybody_may_write_is_refused_with_the_command_that_mends_it(program: Program) -> None:
    """Issue 13: refused on every surface; a hook stays silent, and the session goes on."""
    program.ok("add", "Run make db before the tests", "--id", "make-db", "--file", "Makefile")
    program.home.chmod(0o777)
    for words in (["list"], ["add", "x"], ["inject", "tests"], ["trust", "--yes"], ["install", "codex", "--yes"]):
        done = program("--json", *words)
        assert done.status == 5 and f"chmod go-w {program.home}" in done.error["hint"], (words, done)
    checks = {check["name"]: check for check in program("--json", "doctor").json["checks"]}
    assert not checks["home"]["ok"] and "chmod go-w" in checks["home"]["hint"]
    event = {"session_id": "s", "cwd": str(program.folder), "prompt": "why do the tests fail?"}
    done = program("hook", "prompt", stdin=json.dumps(event).encode(), CLAUDECODE="1", TENURE_HOOK_SECONDS="60")
    assert (done.status, done.out) == (0, b"")
    program.home.chmod(0o700)
    assert program.ok("list")["memories"]


def test_no_file_of_the_home_makes_a_hook_or_a_command_wait(program: Program) -> None:
    """Hooks fail open: a pipe in the place of any file there is read as an empty one, never waited for."""
    program.ok("add", "Run make db before the integration tests", "--id", "make-db")
    event = json.dumps({"session_id": "s", "prompt": "run the integration tests", "cwd": str(program.folder)}).encode()
    program("hook", "prompt", stdin=event)
    files = [path for path in program.home.rglob("*") if path.is_file()]
    assert {trust.FILE, trust.TIMES} <= {path.relative_to(program.home).parts[0] for path in files}
    for path in files:
        kept = path.read_bytes()
        path.unlink()
        os.mkfifo(path)
        assert program("hook", "prompt", stdin=event).status == 0, path
        for command in ("status", "list"):
            assert program(command).status < 70, (command, path)
        path.unlink()
        path.write_bytes(kept)
