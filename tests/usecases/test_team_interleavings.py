"""Two clones that share, edit and merge at random: no conflict nobody caused, nothing lost, both sides equal."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

import tenure
from tests.program import Program
from tests.team import git, person, repository


def play(folder: Path, monkeypatch: pytest.MonkeyPatch, seed: int, steps: int) -> None:
    """Let two people work at random, each editing files of their own only; `git` asserts that no merge fails."""
    bare = repository(folder)
    people = [person(bare, "ada"), person(bare, "ben")]
    chance = random.Random(seed)
    wanted: dict[str, str] = {}
    owned: dict[str, list[str]] = {one.folder.name: [] for one in people}
    for step in range(steps):
        one = chance.choice(people)
        act = chance.choice(("share", "share", "edit", "meet", "meet"))
        mine = owned[one.folder.name]
        if act == "share" or (act == "edit" and not mine):
            monkeypatch.setenv("TENURE_HOME", str(one.home))
            monkeypatch.setenv("TENURE_UNATTENDED", "1")
            with tenure.open(folder=one.folder) as ws:
                memory = ws.add(f"The unit{seed}x{step} service is owned by team {one.folder.name}.")
                [file] = ws.share([memory.id]).files
            mine.append(file.path)
            wanted[file.path] = f"unit{seed}x{step}"
        elif act == "edit":
            path = one.folder / chance.choice(mine)
            path.write_text(path.read_text() + f"It was looked at in step {step}.\n")
            wanted[str(path.relative_to(one.folder))] = f"in step {step}."
        else:
            meet(one)
    for one in (*people, *people):
        meet(one)
    trees = [{path.name: path.read_bytes() for path in (one.folder / ".tenure/team").glob("*.md")} for one in people]
    assert trees[0] == trees[1]
    assert {Path(path).name for path in wanted} == set(trees[0])
    for name, said in wanted.items():
        assert said.encode() in trees[0][Path(name).name]


def meet(one: Program) -> None:
    """Commit what is there, merge what others pushed, and push."""
    if (one.folder / ".tenure" / "team").is_dir():
        git(one.folder, "add", ".tenure/team")
    if git(one.folder, "status", "--porcelain", "--untracked-files=no").strip():
        git(one.folder, "commit", "-q", "-m", "share")
    git(one.folder, "pull", "-q", "--no-rebase", "--no-edit", "origin", "main")
    git(one.folder, "push", "-q", "origin", "HEAD:main")


def test_two_clones_come_to_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Issue 22: shares, edits and merges in any order."""
    play(tmp_path, monkeypatch, 0, 14)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1, 101))
def test_a_hundred_interleavings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    """Issue 22: 100 random interleavings."""
    play(tmp_path, monkeypatch, seed, 14)
