"""Which store a command works on, seen from outside."""

from __future__ import annotations

import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.program import Program


def git(program: Program, *words: str) -> None:
    subprocess.run(
        ["git", "-c", "user.name=t", "-c", "user.email=t@example.org", *words],
        cwd=program.folder,
        env=program.variables(),
        check=True,
        capture_output=True,
    )


@pytest.fixture
def repository(program: Program) -> Program:
    git(program, "init", "-q")
    git(program, "commit", "-q", "--allow-empty", "-m", "start")
    return program


def test_the_first_write_makes_the_store_at_the_root_and_keeps_it_out_of_git(repository: Program) -> None:
    """CONTRACT: the default needs no set-up; a `.gitignore` stands beside the database."""
    below = repository.folder / "src" / "deep"
    below.mkdir(parents=True)
    replace(repository, folder=below).ok("add", "From below")
    assert repository.database.is_file() and not (below / ".tenure").exists()
    status = subprocess.run(
        ["git", "status", "--porcelain"], cwd=repository.folder, env=repository.variables(), capture_output=True
    )
    assert status.stdout == b""


def test_a_store_beside_checked_in_settings_is_kept_out_of_git_too(repository: Program) -> None:
    """CONTRACT: `.gitignore` beside the database, also when a team has a `.tenure/config.toml` there."""
    (repository.folder / ".tenure").mkdir()
    (repository.folder / ".tenure" / "config.toml").write_text("", encoding="utf-8")
    repository.ok("add", "With settings")
    assert (repository.folder / ".tenure" / ".gitignore").read_text(encoding="utf-8") == "*\n"


def test_files_of_the_team_are_not_ignored_in_a_clone(repository: Program) -> None:
    """A stranger's finding: a colleague's own file in `.tenure/team` was ignored until their first `share`."""
    team = repository.folder / ".tenure" / "team"
    team.mkdir(parents=True)
    (team / "rule.md").write_text("---\ntype: lesson\n---\nRun make db first.\n")
    repository.ok("add", "Use tabs in the Makefile")
    status = subprocess.run(
        ["git", "status", "--porcelain", "--untracked-files=all"],
        cwd=repository.folder,
        env=repository.variables(),
        capture_output=True,
    )
    assert status.stdout == b"?? .tenure/team/rule.md\n"


def test_worktrees_share_the_store_of_the_main_worktree(repository: Program, tmp_path: Path) -> None:
    """CONTRACT: all worktrees of a repository share it."""
    git(repository, "worktree", "add", "-q", str(tmp_path / "linked"))
    linked = replace(repository, folder=tmp_path / "linked")
    id = linked.ok("add", "From the linked worktree")["id"]
    assert repository.ok("show", id)["id"] == id
    assert not (tmp_path / "linked" / ".tenure").exists()


def test_outside_a_repository_the_current_folder_is_the_project(program: Program) -> None:
    """CONTRACT: outside a git repository: the current folder."""
    program.ok("add", "Here")
    inner = program.folder / "inner"
    inner.mkdir()
    assert replace(program, folder=inner).ok("list") == {"memories": []}


def test_outside_a_repository_memory_in_a_folder_above_is_named_and_left_alone(program: Program) -> None:
    """Issue 17: who works below a folder with memory is told, until this folder has memory of its own."""
    program.ok("add", "Deploy only from main")
    below = replace(program, folder=program.folder / "a" / "b")
    below.folder.mkdir(parents=True)
    said = f"A folder above has memory, which is not used here: {program.folder}. To use it: cd "
    assert said in below("--json", "doctor").text
    for words in (["status"], ["list"], ["search", "deploy"], ["add", "Use tabs"]):
        assert said in " ".join(below("--json", *words).errors.split()), words
    assert below.database.exists() and len(program.ok("list")["memories"]) == 1
    assert below("--json", "status").errors == ""
    beside = replace(program, folder=program.folder / "c")
    beside.folder.mkdir()
    assert said in " ".join(beside("status").errors.split())
    git(beside, "init", "-q")
    assert beside("status").errors == ""


@pytest.mark.parametrize("why", ["home", "writable", "link"])
def test_memory_above_is_not_named_where_it_is_nobodys_project(why: str, program: Program) -> None:
    """Issue 17: never the home folder's, and never through a folder that others may write."""
    program.ok("add", "Deploy only from main")
    below = replace(program, folder=program.folder / "a" / "b")
    below.folder.mkdir(parents=True)
    assert below("status").errors
    if why == "home":
        below.environment["HOME"] = str(program.folder)
    elif why == "writable":
        (program.folder / "a").chmod(0o777)
    else:
        program.database.parent.rename(program.folder / "real")
        program.database.parent.symlink_to(program.folder / "real")
    assert below("status").errors == ""


def test_an_option_beats_the_environment_and_that_beats_the_project(program: Program) -> None:
    """CONTRACT: `--store` > TENURE_STORE > the project's settings > the default."""
    settings = program.folder / ".tenure" / "config.toml"
    settings.parent.mkdir()
    program.ok("add", "default")
    settings.write_text('store = "sqlite:.tenure/named.db"\n', encoding="utf-8")
    program.ok("add", "settings")
    program.ok("add", "environment", TENURE_STORE="sqlite:by-environment.db")
    program.ok("--store", "sqlite:by-option.db", "add", "option", TENURE_STORE="sqlite:by-environment.db")

    def texts(*words: str, **environment: Any) -> list[str]:
        return [memory["text"] for memory in program.ok(*words, "list", **environment)["memories"]]

    assert texts() == ["settings"]
    assert texts(TENURE_STORE="sqlite:by-environment.db") == ["environment"]
    assert texts("--store", "sqlite:by-option.db", TENURE_STORE="sqlite:by-environment.db") == ["option"]
    settings.unlink()
    assert texts() == ["default"]


@pytest.mark.parametrize("url", ["sqlite:../outside.db", "sqlite:/tmp/outside.db", "sqlite:link/x.db", "sqlite:~/x.db"])
def test_a_project_may_not_point_outside_itself(url: str, program: Program, tmp_path: Path) -> None:
    """Issue and threat A2: a cloned project's settings choose no file outside the project."""
    (program.folder / ".tenure").mkdir()
    (program.folder / "link").symlink_to(tmp_path)
    (program.folder / ".tenure" / "config.toml").write_text(f'store = "{url}"\n', encoding="utf-8")
    done = program("--json", "add", "x")
    assert done.status == 2 and "outside" in done.error["message"]
    assert not (tmp_path / "outside.db").exists()


def test_broken_settings_are_named(program: Program) -> None:
    """CONTRACT: bad input gets a message naming the file."""
    (program.folder / ".tenure").mkdir()
    (program.folder / ".tenure" / "config.toml").write_text("store = [", encoding="utf-8")
    done = program("--json", "list")
    assert done.status == 2 and "config.toml" in done.error["message"]
