"""The folder of a store in a project: what git ignores of it."""

from __future__ import annotations

import stat
from pathlib import Path

from tenure.store.folder import make_folder


def test_git_ignores_a_new_folder_and_its_owner_alone_may_look(tmp_path: Path) -> None:
    """P3: memories are not committed by accident."""
    folder = tmp_path / ".tenure"
    make_folder(folder)
    assert (folder / ".gitignore").read_text() == "*\n"
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_what_a_team_shares_stays_in_git(tmp_path: Path) -> None:
    """docs/sharing.md: in a clone the team's files come first, and the next commit must not lose them."""
    folder = tmp_path / ".tenure"
    (folder / "team").mkdir(parents=True)
    make_folder(folder)
    assert (folder / ".gitignore").read_text() == "*\n!team/\n!team/**\n"


def test_a_persons_own_list_stays_and_another_folder_gets_none(tmp_path: Path) -> None:
    """R7: what somebody wrote is not written over."""
    folder, other = tmp_path / ".tenure", tmp_path / "stores"
    folder.mkdir()
    (folder / ".gitignore").write_text("memory.db\n")
    make_folder(folder)
    make_folder(other)
    assert (folder / ".gitignore").read_text() == "memory.db\n" and list(other.iterdir()) == []
