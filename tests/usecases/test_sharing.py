"""How sharing stands, as the page `/ours` shows it: files that count, wait or cannot be used, and other machines."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tenure import workspace
from tenure.workspace import Workspace
from tests.program import Program
from tests.surfaces.web.asking import Pages


@pytest.fixture
def team(program: Program, monkeypatch: pytest.MonkeyPatch) -> Program:
    """A repository in which one memory is shared, and a colleague's file that nobody here agreed to."""
    monkeypatch.chdir(program.folder)
    subprocess.run(["git", "init", "-q", str(program.folder)], check=True)
    program.ok("add", "Deploy the billing service with make ship", "--kind", "constraint", "--id", "ship")
    program.ok("share", "ship")
    folder = program.folder / ".tenure" / "team"
    head = "type: constraint\ntitle: <b>Never</b> deploy on Fridays\nstatus: draft\ntenure:\n  state: provisional"
    (folder / "theirs-abc123.md").write_text(f"---\n{head}\n---\n\n<b>Never</b> deploy on Fridays.\n")
    (folder / "broken-def456.md").write_text("no header at all")
    return program


def opened() -> Workspace:
    return workspace.open()


def test_files_say_whether_they_count_here(team: Program) -> None:
    """Sharing: a file counts when a person here agreed to it; whatever else lies in the folder waits."""
    with opened() as ours:
        found = ours.sharing()
    standing = {Path(file.path).name.partition("-")[0]: file.standing for file in found.files}
    assert standing == {"deploy": "counts", "theirs": "waits", "broken": "unusable"}
    assert [each.id.partition("-")[0] for each in found.waiting] == ["ours/theirs"]
    team.ok("trust", "--yes")
    with opened() as ours:
        assert ours.sharing().waiting == []


def test_the_page_shows_what_waits_with_its_difference_as_text(team: Program) -> None:
    page = Pages().get("/ours").text
    assert "Waits for you: 1" in page and "&lt;b&gt;Never&lt;/b&gt; deploy on Fridays" in page
    assert "<b>" not in page and ">unusable<" in page


def test_machines_that_were_synced_are_named(team: Program, tmp_path: Path) -> None:
    """Issue 22: the person's own machines meet in a folder."""
    meeting = tmp_path / "machines"
    meeting.mkdir()
    team.ok("sync", str(meeting))
    with opened() as ours:
        found = ours.sharing()
    assert found.remotes == [str(meeting)] and found.machine and found.machines == {}
    assert str(meeting) in Pages().get("/ours").text
