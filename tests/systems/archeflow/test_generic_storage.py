"""The files and their companion: who wrote when, what was cut short, what was lost."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from tenure import workspace
from tenure.files.shared_folder import Folder as Files
from tenure.model.errors import Conflict, TenureError
from tenure.model.memory import Memory
from tenure.store.companion import FileStore
from tenure.systems.archeflow import lesson_files
from tenure.systems.archeflow.command import main
from tenure.workspace import Workspace

from ...program import Program
from .project import ARCHIVE, LESSONS, events, lesson, process, read, write

NULL_CHECK = "Missing null checks in API response handlers"
BROKEN = b'{"id":"m-009","descr\xff\n'


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TENURE_NOW", "2026-04-05T00:00:00Z")
    return tmp_path


@pytest.fixture
def opened(project: Path) -> Iterator[Callable[[], Workspace]]:
    """Open the store as the next command would."""
    stores = []

    def open() -> Workspace:
        stores.append(workspace.open("archeflow:.archeflow", project))
        return stores[-1]

    yield open
    for one in stores:
        one.close()


def test_both_programs_see_each_others_changes(project: Path, opened: Callable[[], Workspace]) -> None:
    """Issue 5: all generic commands work on the folder the drop-in works on."""
    assert main(["add", "preference", "alpha bravo"]) == 0
    with opened() as store:
        assert store.get("m-001").trust == "user"
        store.add("charlie delta", kind="pattern")
        assert main(["forget", "m-001"]) == 0
        store.retire("m-002", reason="x")
        assert store.get("m-001").state == "archived", "picked up before the change"
    with opened() as store:
        assert store.restore("m-001").state == "active"
    assert main(["extract", events(project, "r1", "charlie delta echo", NULL_CHECK)]) == 0
    with opened() as store:
        known = {memory.id: memory.state for memory in store.memories(all=True)}
        assert known == {"m-001": "active", "m-002": "archived", "m-003": "candidate", "m-004": "candidate"}
        assert [e.event.type for e in store.history("m-001")] == ["Created", "Retired", "Restored"]
        assert store.check() == []


def test_a_broken_line_in_the_middle_hides_nothing_and_is_never_lost(
    project: Path, opened: Callable[[], Workspace]
) -> None:
    """Issue 5: reported with its number, skipped when reading, kept byte for byte by every change."""
    write(LESSONS, lesson("m-001", "alpha bravo", 2), lesson("m-003", "charlie delta", 2))
    first, second = LESSONS.read_bytes().splitlines(keepends=True)
    LESSONS.write_bytes(first + BROKEN + second)
    with opened() as store:
        assert any("lessons.jsonl line 2: not UTF-8" in note for note in store.unusable)
        assert [memory.id for memory in store.memories()] == ["m-001", "m-003"]
        store.decay()
        store.capture_files([events(project, "r1", "charlie delta")])
        assert store.add("golf hotel").id == "m-010"
        store.retire("m-001", reason="x")
        store.restore("m-001")
        store.forget("m-010")
        assert [problem.field for problem in store.check()] == ["lessons.jsonl line 1"]
    assert LESSONS.read_bytes().splitlines(keepends=True)[0] == BROKEN
    assert [row["id"] for row in map(json.loads, LESSONS.read_bytes().splitlines()[1:])] == [
        "m-003",
        "m-001",
    ]


def test_a_deleted_companion_is_rebuilt_from_the_files(project: Path, opened: Callable[[], Workspace]) -> None:
    """SEAM: the files own what their format can hold."""
    write(LESSONS, lesson("m-001", NULL_CHECK, 3, 4, note=1), lesson("m-002", "alpha bravo", 1))
    with opened() as store:
        store.add("golf hotel", tags=["x"])
        store.retire("m-002", reason="x")
        store.review("m-001", "request_review", by="me")
        before = {memory.id: memory for memory in store.memories(all=True)}
    bytes_before = LESSONS.read_bytes(), ARCHIVE.read_bytes()
    shutil.rmtree(".tenure")
    with opened() as store:
        after = {memory.id: memory for memory in store.memories(all=True)}
        assert after.keys() == before.keys()
        for id, memory in after.items():
            assert (memory.kind, memory.text, memory.tags, memory.extra) == (
                before[id].kind,
                before[id].text,
                before[id].tags,
                before[id].extra,
            )
        # Under review is the companion's to know: to the files the lesson is archived, which is as safe.
        assert {id: memory.state for id, memory in after.items()} == {
            "m-001": "archived",
            "m-002": "archived",
            "m-003": "active",
        }
        assert store.check() == []
    assert (LESSONS.read_bytes(), ARCHIVE.read_bytes()) == bytes_before


@pytest.mark.parametrize("change", ["add", "retire", "capture", "restore", "decay"])
def test_a_kill_between_the_files_and_the_companion_heals(
    project: Path, opened: Callable[[], Workspace], monkeypatch: pytest.MonkeyPatch, change: str
) -> None:
    """SEAM: files are written first; the next command picks them up."""

    class Killed(BaseException):
        pass

    def kill(store: FileStore, *_: object) -> None:
        raise Killed

    write(LESSONS, lesson("m-001", NULL_CHECK, 2, 9), lesson("m-002", "alpha bravo", 1))
    write(ARCHIVE, lesson("m-003", "charlie delta", 2))
    path = events(project, "r1", NULL_CHECK)
    with opened() as store, monkeypatch.context() as patched:
        patched.setattr(FileStore, "_remember", kill)
        commands: dict[str, Callable[[], object]] = {
            "add": lambda: store.add("golf hotel"),
            "retire": lambda: store.retire("m-001", reason="x"),
            "capture": lambda: store.capture_files([path]),
            "restore": lambda: store.restore("m-003"),
            "decay": store.decay,
        }
        with pytest.raises(Killed):
            commands[change]()
    written = {row["id"]: row["frequency"] for row in read(LESSONS)}
    archived = {row["id"] for row in read(ARCHIVE)}
    assert (written, archived) != ({"m-001": 2, "m-002": 1}, {"m-003"})
    with opened() as store:
        alive = {memory.id: memory.signals.frequency for memory in store.memories()}
        assert alive == written
        assert {memory.id for memory in store.memories(all=True)} - set(alive) == archived
        store.capture_files([path])
        assert store.get("m-001").signals.frequency == {"retire": 2, "decay": 2}.get(change, 3)
        assert store.check() == []


@pytest.mark.parametrize("cut", range(1, 4))
def test_a_move_cut_short_is_finished_by_the_next_command(
    project: Path, opened: Callable[[], Workspace], monkeypatch: pytest.MonkeyPatch, cut: int
) -> None:
    """Ours: a lesson is in one file or the other, never in none, and never two memories."""

    class Killed(BaseException):
        pass

    write(LESSONS, lesson("m-001", NULL_CHECK, 2), lesson("m-002", "alpha bravo", 2))
    calls = 0
    replace = Files.replace

    def kill(files: Files, place: str, data: bytes, *, expected: str | None) -> None:
        nonlocal calls
        calls += ".archeflow" in files.root.parts
        if calls == cut:
            raise Killed
        replace(files, place, data, expected=expected)

    with opened() as store, monkeypatch.context() as patched:
        patched.setattr(Files, "replace", kill)
        with pytest.raises(Killed):
            store.retire("m-001", reason="x")
    with opened() as store:
        state = store.get("m-001").state
        assert state == ("active" if cut == 1 else "archived")
        assert store.get("m-002").state == "active"
        assert sorted(row["id"] for row in [*read(LESSONS), *read(ARCHIVE)]) == ["m-001", "m-002"]
        assert store.check() == []


def test_an_editor_that_saves_meanwhile_is_not_overwritten(
    project: Path, opened: Callable[[], Workspace], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Guarantee R16: a conflict, nothing written, and the edit is picked up by the next command."""
    write(LESSONS, lesson("m-001", NULL_CHECK, 2))
    with opened() as store:
        plan = lesson_files.LessonFiles.write

        def save_first(*given: object) -> object:
            write(LESSONS, lesson("m-001", "edited by hand", 2))
            return plan(*given)  # type: ignore[arg-type]

        with monkeypatch.context() as patched:
            patched.setattr(lesson_files.LessonFiles, "write", save_first)
            with pytest.raises(Conflict):
                store.retire("m-001", reason="x")
        assert read(LESSONS)[0]["description"] == "edited by hand"
        store.retire("m-001", reason="x")
    assert read(ARCHIVE)[0]["description"] == "edited by hand"


def test_an_id_in_both_files_is_the_living_lesson(project: Path, opened: Callable[[], Workspace]) -> None:
    """Specification 2.11: the script gives ids again, so archive and lessons may share one."""
    write(LESSONS, lesson("m-001", NULL_CHECK, 2))
    write(ARCHIVE, lesson("m-001", "alpha bravo", 0), lesson("m-001", "charlie delta", 0))
    with opened() as store:
        assert store.get("m-001").text == NULL_CHECK
        store.retire("m-001", reason="x")
        assert store.restore("m-001").text == NULL_CHECK
        assert len(read(ARCHIVE)) == 2
        store.forget("m-001")
    assert (read(LESSONS), read(ARCHIVE)) == ([], [])


def test_an_erased_id_is_not_given_again_by_either_program(project: Path, opened: Callable[[], Workspace]) -> None:
    """Issue 5: ids are never reused; nothing in the files remembers an erased one."""
    with opened() as store:
        store.forget(store.add("alpha bravo").id)
    assert main(["add", "preference", "charlie delta"]) == 0
    with opened() as store:
        assert store.add("golf hotel").id == "m-003"
    assert [row["id"] for row in read(LESSONS)] == ["m-002", "m-003"]


def test_an_id_the_script_gives_again_is_a_memory_of_its_own(project: Path, opened: Callable[[], Workspace]) -> None:
    """Specification 2.7: the script counts the ids in lessons.jsonl only."""
    with opened() as store:
        store.forget(store.add("alpha bravo").id)
    write(LESSONS, lesson("m-001", NULL_CHECK, 2))
    with opened() as store:
        assert store.get("m-001").text == NULL_CHECK
        assert store.check() == []


def test_eight_processes_at_once_lose_nothing(project: Path) -> None:
    """Issue 5: eight runs finishing at once, by both programs; each has a finding of its own and one all share."""
    program = Program(project, project / "home", {"TENURE_STORE": "archeflow:.archeflow"})
    script = "import sys; from tenure.__main__ import main; sys.exit(main(sys.argv[1:]))"
    paths = [events(project, f"r{n}", f"{n}alpha {n}bravo", "shared null check") for n in range(8)]
    started = [program.start(script, "--json", "capture", path) for path in paths[:6]]
    dropped = [process(project, "extract", path) for path in paths[6:]]
    for one in started:
        _, said = one.communicate()
        assert one.returncode == 0, said
    for other in dropped:
        other.communicate()
        assert other.returncode == 0
    rows = read(LESSONS)
    assert len({row["id"] for row in rows}) == len(rows) == 9
    assert sorted(row["frequency"] for row in rows) == [1] * 8 + [8]
    assert program.ok("check") == {"problems": []}
    shared = next(row["id"] for row in rows if row["frequency"] == 8)
    assert program.ok("show", shared)["signals"]["evidence_count"] == 8
    assert not list(Path(".archeflow").rglob("*.tmp"))


class _Life(RuleBasedStateMachine):
    """Both programs in any order: the store proves itself, and rebuilt from the files it says the same."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        self.home = os.getcwd()
        os.chdir(self.folder)
        self.run = 0

    def teardown(self) -> None:
        os.chdir(self.home)
        shutil.rmtree(self.folder)

    def ids(self) -> list[str]:
        with workspace.open("archeflow:.archeflow", self.folder) as store:
            return [memory.id for memory in store.memories(all=True)]

    @rule(said=st.sampled_from(["alpha bravo", "charlie delta", "echo foxtrot"]), generic=st.booleans())
    def end_run(self, said: str, generic: bool) -> None:
        self.run += 1
        path = events(self.folder, f"r{self.run}", said)
        if generic:
            with workspace.open("archeflow:.archeflow", self.folder) as store:
                store.inject(run=f"r{self.run}")
                store.capture_files([path])
        else:
            assert main(["extract", path]) == 0

    @rule(generic=st.booleans(), times=st.integers(1, 11))
    def decay(self, generic: bool, times: int) -> None:
        with workspace.open("archeflow:.archeflow", self.folder) as store:
            for _ in range(times):
                if generic:
                    store.decay()
                else:
                    assert main(["decay"]) == 0

    @precondition(lambda self: self.ids())
    @rule(data=st.data(), how=st.sampled_from(["retire", "restore", "forget", "drop-in", "hold", "approve", "undo"]))
    def change(self, data: st.DataObject, how: str) -> None:
        id = data.draw(st.sampled_from(self.ids()))
        if how == "drop-in":
            main(["forget", id])
            return
        with workspace.open("archeflow:.archeflow", self.folder) as store:
            changes: dict[str, Callable[[], object]] = {
                "retire": lambda: store.retire(id, reason="x"),
                "restore": lambda: store.restore(id),
                "forget": lambda: store.forget(id),
                "hold": lambda: store.review(id, "request_review", by="me"),
                "approve": lambda: store.review(id, "approve", by="me"),
                "undo": store.undo,
            }
            # What the rules refuse must leave everything as it is.
            with contextlib.suppress(TenureError):
                changes[how]()

    @invariant()
    def holds(self) -> None:
        with workspace.open("archeflow:.archeflow", self.folder) as store:
            assert store.check() == []
            here = {memory.id for memory in store.memories() if memory.phase != "held"}
            assert here == {row["id"] for row in read(self.folder / LESSONS)}
            told = {memory.id: store.project.store.files.told(memory) for memory in store.memories(all=True)}  # type: ignore[attr-defined]
        in_files = {memory.id: memory for memory in self.reread()}
        assert {id: (m.state, m.text, m.signals.frequency) for id, m in told.items()} == {
            id: (m.state, m.text, m.signals.frequency) for id, m in in_files.items()
        }

    def reread(self) -> list[Memory]:
        (self.folder / "again").mkdir(exist_ok=True)
        target = self.folder / "again" / ".archeflow"
        shutil.rmtree(self.folder / "again")
        (self.folder / "again").mkdir()
        if (self.folder / ".archeflow").exists():
            shutil.copytree(self.folder / ".archeflow", target)
        with workspace.open(f"archeflow:{target}", self.folder / "again") as store:
            return store.memories(all=True)


TestLife = _Life.TestCase
TestLife.settings = settings(
    max_examples=8,
    stateful_step_count=8,
    deadline=None,
    phases=[Phase.generate],
    derandomize=True,
    suppress_health_check=list(HealthCheck),
)
