"""`tenure demo`: issue 2 asks for a short real story that leaves nothing behind."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from tenure.surfaces.cli.demo_story import SCENES

_ESCAPE = "\x1b["


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder the demo runs in and a temporary folder of its own, both of which it must leave as they were."""
    (tmp_path / "temporary").mkdir()
    (tmp_path / "project").mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "temporary"))
    monkeypatch.setenv("COLUMNS", "80")
    return tmp_path / "project"


def demo(folder: Path, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "tenure", "demo", *words],
        cwd=folder,
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=False,
    )


def outputs(steps: list[dict[str, object]]) -> dict[str, list[str]]:
    """Return what each step printed, by its title."""
    return {str(step["title"]): [run["output"] for run in step["runs"]] for step in steps}  # type: ignore[attr-defined]


def test_the_story_shows_the_whole_life_and_every_command_succeeds(elsewhere: Path) -> None:
    """Issue 2: captured from three runs, promoted on evidence, injected, caught doing harm, found stale, undone."""
    done = demo(elsewhere, "--json")
    assert (done.returncode, done.stderr) == (0, "")
    answer = json.loads(done.stdout)
    assert answer["worked"] is True
    assert [run["status"] for step in answer["steps"] for run in step["runs"]].count(0) == sum(
        len(scene.commands) for scene in SCENES
    )
    shown = outputs(answer["steps"])
    silent, why = shown["Said once is not enough"]
    assert silent == ""
    assert "evidence from 2 different runs, has 1" in why
    *_, listed = shown["Evidence from other runs promotes"]
    assert listed.count("provisional") == 3
    assert listed.count("candidate") == 1
    block, off_topic = shown["The right memory for a prompt, or silence"]
    assert "Run make db before integration tests" in block
    assert "Retry" not in block
    assert off_topic == ""
    first, second, prompted, rejected = shown["Doing harm is noticed"]
    assert ("provisional" in first, "under_review" in second, prompted) == (True, True, "")
    assert "rejected" in rejected
    swept, undone = shown["What nobody uses goes, and can come back"]
    assert "provisional -> decayed" in swept
    assert "Undone: Decayed" in undone
    history, checked = shown["Everything can be explained and proved"]
    assert "Undone" in history
    assert checked == "4 memories verified against the ledger."


def test_in_a_pipe_it_is_plain_fits_eighty_columns_and_about_a_hundred_lines(elsewhere: Path) -> None:
    """The style page: colour and pauses only where a person looks at a terminal."""
    done = demo(elsewhere)
    assert done.returncode == 0
    assert _ESCAPE not in done.stdout
    lines = done.stdout.splitlines()
    assert max(len(line) for line in lines if "export PATH=" not in line) <= 80
    assert len(lines) <= 130
    assert "In your own repository" in done.stdout


def test_nothing_is_left_behind(elsewhere: Path) -> None:
    """A choice of our own: the folder it runs in, the user's folder and the store named stay untouched."""
    done = demo(elsewhere, TENURE_STORE=f"sqlite:{elsewhere / 'mine.db'}")
    assert done.returncode == 0
    assert list(elsewhere.iterdir()) == []
    assert list((elsewhere.parent / "temporary").iterdir()) == []
    home = Path(os.environ["HOME"])
    assert sorted(path.relative_to(home).as_posix() for path in home.rglob("*")) == ["tenure", "tenure/home.toml"]


def test_it_needs_no_git_and_heeds_no_git_variables(elsewhere: Path) -> None:
    """Issue 2: a machine may lack git; a hook that calls us may have set GIT_DIR to a repository of its own."""
    assert demo(elsewhere, PATH=str(elsewhere)).returncode == 0
    assert demo(elsewhere, GIT_DIR=str(elsewhere / "theirs")).returncode == 0
    assert list(elsewhere.iterdir()) == []


def test_a_program_that_is_not_on_the_path_says_how_to_put_it_there(elsewhere: Path) -> None:
    """After scripts/try the program lies in .venv/bin, where a shell does not look."""
    assert f"export PATH={Path(sys.executable).parent}:$PATH" in demo(elsewhere, PATH=str(elsewhere)).stdout
    (elsewhere / "tenure").write_text("#!/bin/sh\n", encoding="utf-8")
    (elsewhere / "tenure").chmod(0o755)
    assert "export PATH=" not in demo(elsewhere, PATH=str(elsewhere)).stdout


def test_without_a_temporary_folder_it_says_so(elsewhere: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """CONTRACT: what cannot be used is status 5 with a hint, not a bug of ours."""
    from tenure.surfaces.cli import main

    def refuse(**_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("tempfile.TemporaryDirectory", refuse)
    assert main(["demo"]) == 5


def test_on_a_terminal_it_is_coloured(elsewhere: Path) -> None:
    """The style page: colour only on a terminal. `--fast` leaves out the pauses."""
    reader, writer = pty.openpty()
    child = subprocess.Popen(
        [sys.executable, "-m", "tenure", "demo", "--fast"], cwd=elsewhere, stdout=writer, stderr=writer
    )
    os.close(writer)
    seen = b""
    while chunk := _read(reader):
        seen += chunk
    os.close(reader)
    assert child.wait() == 0
    assert _ESCAPE.encode() in seen


def _read(handle: int) -> bytes:
    try:
        return os.read(handle, 65536)
    except OSError:
        # A terminal whose other end closed reports an input error instead of an end.
        return b""
