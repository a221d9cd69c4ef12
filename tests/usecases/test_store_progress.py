"""An old copy of the database put back is noticed, and what was forgotten stays forgotten."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.program import Program

SECRET = "The launch code of the demo is painted on the wall"

LATER = "The launch code of the demo was moved under the carpet"


@pytest.fixture
def copied(program: Program) -> tuple[Program, Path]:
    """A store whose copy still holds what was forgotten afterwards."""
    program.ok("add", "Run make db before the integration tests", "--id", "make-db")
    program.ok("add", SECRET, "--id", "secret")
    copy = program.folder / "copy.db"
    assert program.ok("check") == {"problems": []}
    shutil.copy(program.database, copy)
    program.ok("edit", "secret", "--text", LATER)
    program.ok("forget", "secret", "--yes")
    program.ok("add", "Keep the changelog in order", "--id", "changelog")
    return program, copy


def put_back(program: Program, copy: Path) -> None:
    for path in program.database.parent.glob("memory.db*"):
        if path.suffix != ".lock":
            path.unlink()
    shutil.copy(copy, program.database)


def test_an_old_copy_is_noticed_and_work_goes_on(copied: tuple[Program, Path]) -> None:
    """Issue 13: `check` exits 1, doctor and status say it, work goes on."""
    program, copy = copied
    assert "older" not in program.ok("status")
    put_back(program, copy)
    done = program("--json", "check")
    assert done.status == 1 and any("earlier copy" in problem["message"] for problem in done.json["problems"])
    assert "earlier copy" in program.ok("status")["older"]
    assert "earlier copy" in program("status").text
    checks = {check["name"]: check for check in program("--json", "doctor").json["checks"]}
    assert not checks["store"]["ok"] and "earlier copy" in checks["store"]["detail"]
    program.ok("add", "Work goes on after that", "--id", "new")
    program.ok("upkeep")
    assert program("check").status == 1, "nothing but a person accepts it"
    program.ok("trust", "--yes")
    assert program("--json", "check").json == {"problems": []}
    assert "older" not in program.ok("status")


def test_what_was_forgotten_stays_forgotten(copied: tuple[Program, Path]) -> None:
    """Issue 13, P2: out of every answer at once, also for hooks; its text is refused and in no byte."""
    program, copy = copied
    put_back(program, copy)
    event = {"session_id": "s", "cwd": str(program.folder), "prompt": "what is the launch code of the demo?"}
    hook = program("hook", "prompt", stdin=json.dumps(event).encode(), CLAUDECODE="1", TENURE_HOOK_SECONDS="60")
    assert (hook.status, hook.err) == (0, b"") and b"launch code" not in hook.out
    listed = program("--json", "list", "--all")
    assert [item["id"] for item in listed.json["memories"]] == ["make-db"] and "forgotten again" in listed.errors
    for text in (SECRET, LATER):
        assert program("--json", "add", text).status == 3, text
    program.ok("upkeep")
    copy.unlink()
    assert all(b"launch code" not in data for data in program.owned().values())


def test_a_copy_at_another_place_has_a_head_of_its_own(copied: tuple[Program, Path], tmp_path: Path) -> None:
    """Our choice: whoever copies a project and goes on in both has put nothing back."""
    program, copy = copied
    other = tmp_path / "other.db"
    shutil.copy(copy, other)
    assert program("--store", f"sqlite:{other}", "check").status == 0
    assert program.ok("check") == {"problems": []}


SYSTEMS = ["geas:.geas", "claude-memory:.claude/memory", "archeflow:.archeflow", "claude-code:memory"]


@pytest.mark.parametrize("files_too", [False, True], ids=["companion", "files-too"])
@pytest.mark.parametrize("store", SYSTEMS)
def test_an_old_companion_is_noticed_too(program: Program, store: str, files_too: bool) -> None:
    """Issue 13: the companion of another system's files, put back alone or with the files as they were."""
    folder = program.folder / store.partition(":")[2]
    folder.mkdir(parents=True)
    chosen = ("--store", store)
    program.ok(*chosen, "add", "Run make db before the integration tests", "--title", "Make the database")
    secret = program.ok(*chosen, "add", SECRET, "--title", "A word on the wall")["id"]
    assert program.ok(*chosen, "check") == {"problems": []}
    (database,) = program.folder.rglob(".tenure/*-*.db")
    saved = program.folder.parent / "saved"
    shutil.copytree(folder, saved)
    shutil.copy(database, saved.with_suffix(".db"))
    program.ok(*chosen, "forget", secret, "--yes")
    for path in database.parent.glob(f"{database.name}*"):
        if path.suffix != ".lock":
            path.unlink()
    shutil.copy(saved.with_suffix(".db"), database)
    if files_too:
        shutil.rmtree(folder)
        shutil.copytree(saved, folder)
    listed = program("--json", *chosen, "list", "--all")
    assert secret not in [item["id"] for item in listed.json["memories"]], listed
    assert "forgotten again" in listed.errors
    done = program("--json", *chosen, "check")
    assert done.status == 1 and any("earlier copy" in problem["message"] for problem in done.json["problems"])
    assert "earlier copy" in program.ok(*chosen, "status")["older"]
    # A record of its own is a file of its own; what stands in lines and indexes is the files' owner's too.
    program.ok(*chosen, "upkeep")
    assert all(b"launch code" not in data for data in program.owned().values())
    program.ok(*chosen, "trust", "--yes")
    assert program("--json", *chosen, "check").json == {"problems": []}


def test_a_tracked_database_that_a_pull_replaces_is_noticed(program: Program, tmp_path: Path) -> None:
    """Issue 13: with the same key inside, and ahead of the one that was there."""
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "core.hooksPath=/dev/null"]

    def run(*words: str, folder: Path = program.folder) -> None:
        subprocess.run([*git, *words], cwd=folder, check=True, capture_output=True)

    run("init", "-q", ".")
    program.ok("add", "Run make db before the integration tests", "--id", "make-db")
    assert program.ok("check") == {"problems": []}
    run("add", "-f", str(program.database))
    run("commit", "-qm", "our memory")
    assert program.ok("check") == {"problems": []}, "a commit of one's own changes nothing"
    theirs = tmp_path / "theirs"
    run("clone", "-q", str(program.folder), str(theirs), folder=tmp_path)
    other = Program(theirs, program.home, program.environment)
    other.ok("--store", f"sqlite:{theirs / '.tenure' / 'memory.db'}", "add", "Never run the tests", "--id", "bad")
    run("commit", "-qam", "theirs", folder=theirs)
    run("pull", "-q", str(theirs), "HEAD")
    done = program("--json", "check")
    assert done.status == 1 and any("git tracks" in problem["message"] for problem in done.json["problems"])
    assert "git tracks" in program.ok("status")["older"]
    program.ok("add", "Work goes on", "--id", "later")
    assert program("check").status == 1
    program.ok("trust", "--yes")
    assert program("--json", "check").json == {"problems": []}


def test_adding_keeps_no_head(program: Program) -> None:
    """Issue 13: not on every add."""
    program.ok("add", "Run make db before the tests")
    assert not (program.home / "heads").exists()
