"""P1: what files beside the store keep of a memory's words goes with it."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from tests.program import Program

WORD = "zanzibarquux"


def git(program: Program, *words: str) -> None:
    who = ["-c", "user.name=A", "-c", "user.email=a@example.org"]
    subprocess.run(["git", *who, *words], cwd=program.folder, env=program.variables(), check=True, capture_output=True)


def left(program: Program) -> list[str]:
    return [path.name for path, data in program.owned().items() if WORD.encode() in data]


@pytest.mark.parametrize("store", ["native", "claude-code"])
def test_what_audits_kept_of_a_forgotten_memory_is_gone(program: Program, store: str) -> None:
    """An audit keeps each memory's claims, so that the next is quick, and each repair, so that it can be taken back."""
    git(program, "init", "-q", "-b", "main")
    (program.folder / "src").mkdir()
    (program.folder / "src" / "gateway.py").write_text("def pay():\n    return 1\n" * 20)
    (program.folder / "Makefile").write_text("all:\n\tls\n")
    git(program, "add", ".")
    git(program, "commit", "-qm", "one")
    named: tuple[str, ...] = ()
    if store == "claude-code":
        (program.folder / ".claude" / "memory").mkdir(parents=True)
        named = ("--store", "claude-code:.claude/memory")
    program.ok(*named, "add", "Something else altogether about lint rules")
    text = f"The gateway lives in `src/gateway.py`; run `make {WORD}` and `npm run {WORD}` first"
    id = program.ok(*named, "add", text, "--title", "Gateway")["id"]
    (program.folder / "lib").mkdir()
    git(program, "mv", "src/gateway.py", "lib/gateway.py")
    git(program, "commit", "-qm", "move")
    for words in (("audit", "--deep"), ("audit", "--fix"), ("upkeep", "--deep")):
        program(*named, *words)
    assert "claims.msgpack" in left(program)
    program.ok(*named, "forget", id, "--yes")
    assert left(program) == []
    fixes = [json.loads(data) for path, data in program.owned().items() if path.name == "fixes.json"]
    assert fixes == ([[]] if store == "claude-code" else [])


def test_what_the_worker_noted_of_a_session_is_gone(program: Program, tmp_path: Path) -> None:
    program.ok("add", "Something else altogether about lint rules")
    said = f"From now on always run the {WORD} linter with make zlint before every commit."
    path = tmp_path / "t.jsonl"
    path.write_text(json.dumps({"type": "user", "uuid": "1", "message": {"content": said}}) + "\n")
    event = {"session_id": "s-1", "cwd": str(program.folder), "transcript_path": str(path)}
    program("hook", "session-end", stdin=json.dumps(event).encode(), CLAUDECODE="1", TENURE_NO_WORKER="1")
    log = program.home / "hooks.log"
    program.home.mkdir(exist_ok=True)
    with log.open("a") as file:
        file.write("2026-01-01T00:00:00Z work the database is away\n")
    assert program("hook", "work").status == 0
    assert f"work learned: 'From now on always run the {WORD}" in log.read_text()
    [id] = [one["id"] for one in program.ok("list")["memories"] if WORD in one["text"]]
    program.ok("forget", id, "--yes")
    assert left(program) == []
    assert log.read_text() == "2026-01-01T00:00:00Z work the database is away\n"
