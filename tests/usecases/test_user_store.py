"""The user's own store: a habit stated in one project is shown in every project, and can be forgotten there."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.program import Program

HABIT = "From now on, in all my projects, answer in short sentences and never use emoji."


@pytest.fixture
def other(program: Program, tmp_path: Path) -> Program:
    """Another project of the same person."""
    folder = tmp_path / "another"
    folder.mkdir()
    return Program(folder, program.home, dict(program.environment))


def start(program: Program, session: str) -> str:
    document = {"session_id": session, "cwd": str(program.folder), "source": "startup"}
    done = program("hook", "session-start", stdin=json.dumps(document).encode(), CLAUDECODE="1", TENURE_NO_WORKER="1")
    assert (done.status, done.err) == (0, b"")
    return done.out.decode()


def say(program: Program, session: str, turn: str) -> None:
    """Let a person say something in a session that is then learned from."""
    path = program.folder.parent / f"{session}.jsonl"
    message = {"role": "user", "content": turn}
    record = {"type": "user", "sessionId": session, "cwd": str(program.folder), "entrypoint": "cli", "message": message}
    path.write_text(json.dumps(record) + "\n")
    program.ok("capture", str(path))


def test_a_habit_of_the_person_is_shown_in_every_project(program: Program, other: Program) -> None:
    """Issue 16: user memories live in one store in TENURE_HOME and are shown in every project."""
    say(program, "one", HABIT)
    [memory] = program.ok("--store", "user", "list")["memories"]
    assert (memory["scope"], memory["trust"], memory["phase"]) == ("global", "user", "live")
    assert memory["id"] in start(program, "two") and memory["id"] in start(other, "three")
    assert not other.database.exists()
    assert program.ok("--store", "user", "why", memory["id"])["injections"]


def prompt(program: Program, session: str, said: str) -> str:
    document = {"session_id": session, "cwd": str(program.folder), "prompt": said}
    done = program("hook", "prompt", stdin=json.dumps(document).encode(), CLAUDECODE="1", TENURE_NO_WORKER="1")
    assert (done.status, done.err) == (0, b"")
    return done.out.decode()


@pytest.mark.parametrize("has_store", [True, False])
def test_a_habit_answers_prompts_in_every_project(has_store: bool, program: Program, other: Program) -> None:
    """Issue 16: shown at prompts as well, in a project that has no memory of its own too; once in a session."""
    say(program, "one", HABIT)
    if has_store:
        other.ok("add", "The importer is slow on Mondays")
    asked = "write the release notes, answer in short sentences, with emoji?"
    assert "never use emoji" in prompt(other, "two", asked)
    assert "never use emoji" not in prompt(other, "two", asked)
    assert "never use emoji" not in prompt(other, "three", "deploy the importer to staging")
    (program.home / "trusted").unlink()
    assert "never use emoji" not in prompt(other, "four", asked)
    assert has_store or not other.database.exists()


def test_a_project_without_memory_is_asked_for_rules_too(program: Program) -> None:
    """Issue 16: the first rule is stated before there is any memory; the user's settings can switch it off."""
    said = "No, we use pnpm here, never npm, in this repository"
    assert "states a lasting rule" in prompt(program, "one", said)
    assert prompt(program, "two", "show me the files") == "" and not program.database.exists()
    (program.home / "config.toml").write_text("[policy.inject]\nask = false\n")
    assert prompt(program, "three", said) == ""


def test_a_rule_of_the_project_stays_in_the_project(program: Program, other: Program) -> None:
    """Scope: a habit of the person is told from a fact of the project."""
    say(program, "one", "From now on this repository uses pnpm, never npm.")
    assert "pnpm" in start(program, "two") and "pnpm" not in start(other, "three")
    assert not (program.home / "user").exists()


def test_a_word_takes_it_back_in_whatever_project(program: Program, other: Program) -> None:
    """Issue 16: "forget that" takes back what was last learned."""
    say(program, "one", HABIT)
    assert "emoji" in start(other, "two")
    say(other, "two", "Forget that.")
    assert "emoji" not in start(other, "three")


def test_forgetting_holds_there_too(program: Program, other: Program) -> None:
    """Issue 16: forgetting and trust hold there too; the words it was taken from go with it."""
    say(program, "one", HABIT)
    [memory] = program.ok("--store", "user", "list")["memories"]
    program.ok("--store", "user", "forget", memory["id"], "--yes")
    assert memory["id"] not in start(other, "three")
    held = b"".join(path.read_bytes() for path in (program.home / "user").rglob("*") if path.is_file())
    held += b"".join(path.read_bytes() for path in program.folder.rglob("*.db*"))
    assert b"short sentences" not in held


def test_a_store_put_there_by_somebody_else_is_not_shown(program: Program, other: Program) -> None:
    """What is not known as trusted is shown to nobody, in the user's folder as well."""
    say(program, "one", HABIT)
    (program.home / "trusted").unlink()
    assert "emoji" not in start(other, "two")


def test_a_project_may_not_choose_the_users_store(program: Program) -> None:
    """A clone's settings could have its memories written into every project otherwise."""
    (program.folder / ".tenure").mkdir()
    (program.folder / ".tenure" / "config.toml").write_text('store = "user"\n')
    assert program("add", "Prefer tabs").status == 2
