"""Hooks find the store that commands use, without the workspace's imports."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tenure.files import locate, project_root
from tenure.surfaces.hooks import place


def expected(folder: Path) -> tuple[str, str, bool]:
    found = locate.locate(None, folder)
    database = found.path if found.scheme == "sqlite" else locate.companion(found)
    return str(database), str(found.path), found.origin == "TENURE_STORE" and not found.is_projects


@pytest.mark.parametrize(
    "made",
    [
        "",
        ".geas",
        ".claude/memory",
        ".claude/memory/notes",
        ".claude/memory/decisions",
        ".archeflow",
        ".tenure/memory.db",
        "repository",
        "config",
    ],
)
@pytest.mark.parametrize("named", ["", "sqlite:other/x.db", "archeflow:.archeflow"])
def test_a_hook_finds_what_a_command_finds(
    made: str, named: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One order of places, told twice because hooks must not import the first."""
    project = tmp_path / "project"
    inner = project / "a" / "b"
    inner.mkdir(parents=True)
    folder = inner if made == "repository" else project
    if made == "repository":
        (project / ".git").mkdir()
    elif made == "config":
        (project / ".tenure").mkdir()
        (project / ".tenure" / "config.toml").write_text('store = "sqlite:elsewhere.db"\n')
    elif made.endswith(".db"):
        (project / ".tenure").mkdir()
        (project / made).write_bytes(b"")
    elif made:
        (project / made).mkdir(parents=True)
    if named:
        monkeypatch.setenv("TENURE_STORE", named)
    assert place.database(str(folder)) == expected(folder)


def test_a_linked_worktree_shares_the_main_ones_store(tmp_path: Path) -> None:
    """All worktrees of a repository share the store at the root of the main one."""
    main, linked = tmp_path / "main", tmp_path / "linked"
    identity = ["-c", "user.name=x", "-c", "user.email=x@example.org"]
    for words in (["init", "-q", str(main)], ["-C", str(main), *identity, "commit", "-q", "--allow-empty", "-m", "x"]):
        subprocess.run(["git", *words], check=True, capture_output=True)
    subprocess.run(["git", "-C", str(main), "worktree", "add", "-q", str(linked)], check=True, capture_output=True)
    assert project_root(str(linked)) == str(main)
