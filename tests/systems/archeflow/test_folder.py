"""The folder on disk: links refused, nothing half done, whatever was interrupted."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tenure.files.durable import fingerprint
from tenure.files.shared_folder import Folder as Files
from tenure.model.errors import Conflict
from tenure.systems.archeflow import command
from tenure.systems.archeflow import folder as folders
from tenure.systems.archeflow.command import main
from tenure.systems.archeflow.lessons import compact, decode

from .project import ARCHIVE, AUDIT, LESSONS, events, lesson, read, write


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("name", [".archeflow", ".archeflow/memory", ".archeflow/events"])
@pytest.mark.parametrize("arguments", [["add", "preference", "x"], ["inject", "", ""], ["decay"], ["list"]])
def test_a_linked_state_folder_is_refused(
    project: Path, capsys: pytest.CaptureFixture[str], name: str, arguments: list[str]
) -> None:
    """The script's later hardening: a repository can point it anywhere."""
    outside = project / "outside"
    write(outside / "lessons.jsonl", lesson("m-001", "alpha", 5))
    write(outside / "memory" / "lessons.jsonl", lesson("m-001", "alpha", 5))
    before = contents(outside)
    Path(name).parent.mkdir(exist_ok=True)
    Path(name).symlink_to(outside)
    assert main(arguments) == 1
    said = capsys.readouterr()
    assert said.err == f"ERROR: refusing to use {name}: it is a symlink (a repository can point it anywhere).\n"
    assert said.out == ""
    assert contents(outside) == before


@pytest.mark.parametrize(
    ("link", "arguments", "message"),
    [
        (LESSONS, ["add", "preference", "x"], f"refusing to write through symlink: {LESSONS}"),
        (LESSONS, ["extract", "e.jsonl"], f"refusing to write through symlink: {LESSONS}"),
        (LESSONS, ["decay"], f"refusing to write through symlink: {LESSONS}"),
        (LESSONS, ["list"], f"refusing to read through symlink: {LESSONS}"),
        (ARCHIVE, ["decay"], f"refusing to write through symlink: {ARCHIVE}"),
        (AUDIT, ["inject", "", "", "--audit", "r1"], f"refusing to write through symlink: {AUDIT}"),
        (folders.LOCK, ["add", "preference", "x"], f"refusing to use symlinked lock file: {folders.LOCK}"),
        (Path("e.jsonl"), ["extract", "e.jsonl"], "refusing to read through symlink: e.jsonl"),
    ],
)
def test_a_linked_file_is_refused_before_anything_is_touched(
    project: Path, capsys: pytest.CaptureFixture[str], link: Path, arguments: list[str], message: str
) -> None:
    """Recorded case symlink-archive-refused, for every file."""
    write(LESSONS, lesson("m-001", "alpha", 5, 9))
    events(project, "r1", "alpha")
    Path(".archeflow/events/r1.jsonl").rename("e.jsonl")
    outside = write(Path("outside.jsonl"), lesson("m-001", "alpha", 5, 9))
    before = outside.read_bytes()
    link.unlink(missing_ok=True)
    link.symlink_to(outside.resolve())
    assert main(arguments) == 1
    assert f"Error: {message}\n" in capsys.readouterr().err
    assert outside.read_bytes() == before
    assert link.is_symlink()


class Killed(BaseException):
    """Stands for SIGKILL: nothing after it runs."""


@pytest.mark.parametrize("survived", range(6))
@pytest.mark.parametrize("arguments", [["decay"], ["forget", "m-002"]])
@pytest.mark.parametrize("following", [["list"], ["add", "preference", "golf"], ["inject", "", "", "--audit", "r9"]])
def test_a_kill_between_archive_and_lessons_loses_and_doubles_nothing(
    project: Path, monkeypatch: pytest.MonkeyPatch, survived: int, arguments: list[str], following: list[str]
) -> None:
    """Ours: the process dies before its first, second, … change on disk; the next command finishes."""
    write(
        LESSONS,
        lesson("m-001", "alpha", 3, 4),
        lesson("m-002", "bravo", 1, 9),
        lesson("m-003", "charlie", 2, 9),
    )
    original = {name: getattr(Files, name) for name in ("replace", "remove")}
    steps = 0

    def dying(name: str) -> object:
        def step(*given: object, **named: object) -> object:
            nonlocal steps
            steps += 1
            if steps > survived:
                raise Killed
            return original[name](*given, **named)

        return step

    for name in original:
        monkeypatch.setattr(Files, name, dying(name))
    died = False
    try:
        main(arguments)
    except Killed:
        died = True
    for name, function in original.items():
        monkeypatch.setattr(Files, name, function)

    assert main(following) == 0
    live = {row["id"]: row for row in read(LESSONS) if row["description"] != "golf"}
    archived = [row["id"] for row in read(ARCHIVE)]
    moved = survived > 0
    assert died == (survived < 4)
    assert archived == (["m-002"] if moved else [])
    assert set(live) == {"m-001", "m-003"} | ({"m-002"} - set(archived))
    if arguments == ["decay"]:
        assert live["m-001"]["runs_since_last_seen"] == (5 if moved else 4)
    assert not list(Path(".archeflow/memory").glob("*.tmp"))


def test_a_foreign_write_after_the_interruption_is_kept(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ours: the script may add a lesson before we finish; only what was moved is taken out."""
    write(LESSONS, lesson("m-001", "alpha", 3), lesson("m-002", "bravo"))
    replace = Files.replace

    def dying(files: Files, place: str, data: bytes, *, expected: str | None) -> None:
        if place.endswith(LESSONS.name):
            raise Killed
        replace(files, place, data, expected=expected)

    monkeypatch.setattr(Files, "replace", dying)
    with pytest.raises(Killed):
        main(["forget", "m-002"])
    monkeypatch.setattr(Files, "replace", replace)
    write(LESSONS, *read(LESSONS), lesson("m-003", "charlie"))
    assert main(["decay"]) == 0
    assert [row["id"] for row in read(LESSONS)] == ["m-001", "m-003"]
    assert [row["id"] for row in read(ARCHIVE)] == ["m-002"]


def test_an_edit_made_while_a_command_runs_is_not_overwritten(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Our guarantee R16: editors take no lock; what they saved stays beside ours, or the command says so."""
    write(LESSONS, lesson("m-001", "alpha", 3))

    saves = ["before our write"]

    def edited() -> str:
        # An editor that saves once more after our write would overwrite it, and nobody could tell.
        if saves:
            saves.pop()
            write(LESSONS, lesson("m-001", "alpha, edited", 3))
        return "2026-04-05T00:00:00Z"

    monkeypatch.setattr(command, "_now", edited)
    assert main(["add", "preference", "golf"]) == 0
    assert [row["description"] for row in read(LESSONS)] == ["alpha, edited", "golf"]
    write(LESSONS, lesson("m-001", "alpha", 3))
    saves.append("again")
    assert main(["decay"]) == 1
    assert "was changed by someone else meanwhile; nothing was written" in capsys.readouterr().err
    assert [row["description"] for row in read(LESSONS)] == ["alpha, edited"]


@pytest.mark.parametrize("data", [b"", b"{}", b"not json", b'{"archive_added": 5}', b"[]"])
def test_a_journal_that_is_not_ours_is_left_alone(project: Path, data: bytes) -> None:
    """House rule: we never act on what we did not understand."""
    write(LESSONS, lesson("m-001", "alpha", 3))
    Path(folders.JOURNAL).write_bytes(data)
    assert main(["list"]) == 0
    assert main(["decay"]) == 0
    assert Path(folders.JOURNAL).read_bytes() == data
    assert [row["runs_since_last_seen"] for row in read(LESSONS)] == [1]


def test_left_over_temporary_files_of_killed_writers_are_swept(project: Path) -> None:
    """Ours: only lock holders make them, so whoever holds the lock may remove them; others' files stay."""
    write(LESSONS, lesson("m-001", "alpha", 3))
    ours = LESSONS.with_name(".lessons.jsonl.0123456789ab.tmp")
    theirs = LESSONS.with_name("notes.tmp")
    for path in (ours, theirs):
        path.write_text("half")
    assert main(["decay"]) == 0
    assert (ours.exists(), theirs.exists()) == (False, True)


def test_a_lesson_that_somebody_changed_is_not_moved_and_nothing_is_written(project: Path) -> None:
    """R16: the conflict is noticed before the journal and the archive are touched."""
    write(LESSONS, lesson("m-001", "alpha, edited", 3))
    before = contents(project)
    gone = decode(compact(lesson("m-001", "alpha", 3)))
    folder = folders.ArcheflowFolder(project)
    with folder.locked(), pytest.raises(Conflict):
        folder.move(gone, [], gone, [compact(lesson("m-001", "alpha", 0))])
    assert {path: data for path, data in contents(project).items() if "lock" not in path} == before


@pytest.mark.parametrize("edited", [False, True])
def test_a_move_that_an_older_version_left_is_finished(project: Path, edited: bool) -> None:
    """aac5bec wrote whole files into its journal; the lesson is in the archive and gone here, a neighbour's stays."""
    write(LESSONS, *(lesson(f"m-00{n}", f"word\xe9 {n}", n) for n in (1, 2, 3)))
    first, second, third = LESSONS.read_bytes().splitlines(keepends=True)
    before = first + second
    LESSONS.write_bytes(before)
    journal = {
        "lessons_before": "another" if edited else fingerprint(before),
        "lessons_after": (second + third).decode("latin-1"),
        "moved": [first.decode("latin-1")],
        "archive_before": fingerprint(b""),
        "archive_added": first.decode("latin-1"),
    }
    Path(folders.JOURNAL).write_text(json.dumps(journal))
    assert main(["add", "preference", "golf"]) == 0
    ids = [row["id"] for row in read(LESSONS)]
    assert ids == (["m-002", "m-003"] if edited else ["m-002", "m-003", "m-004"])
    assert [row["description"] for row in read(ARCHIVE)] == ["word\xe9 1"]
    assert not Path(folders.JOURNAL).exists()
