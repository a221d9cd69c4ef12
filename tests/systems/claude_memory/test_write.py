"""The writer: create and update, their refusals, and what a second writer or a kill does to them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tenure.model.errors import StoreBusy
from tenure.systems.claude_memory import write

from .case_runner import SOURCE, run_tool
from .project import Project, record

TARGET = "decisions/queue.json"
NEW = {"date": "2026-05-01T00:00:00Z", "summary": "clarified"}


def changed(value: dict[str, Any], **fields: Any) -> dict[str, Any]:
    """Return the record with one new change entry and some fields replaced."""
    return {**value, "changes": [*value["changes"], NEW], **fields}


def test_a_created_memory_is_written_listed_and_its_draft_removed(project: Project) -> None:
    """Specification 1.7."""
    assert project.create(TARGET, record()) == 0
    assert json.loads(project.out)["status"] == "created"
    assert project.index() == [
        "- [DECISION] Use managed queue for orders -> .claude/memory/decisions/queue.json #tags:orders,queue"
    ]
    assert not (project.root.parent / "draft.json").exists()
    assert [p.name for p in project.memory.iterdir() if p.name.startswith(".")] == []


def test_a_first_memory_of_a_category_leaves_the_lines_of_others_alone(project: Project) -> None:
    """Specification 1.9: the writer adds its own line; a line whose file is gone is for --validate and --rebuild."""
    ghost = "- [DECISION] Ghost -> .claude/memory/decisions/ghost.json #tags:g"
    (project.memory / "index.md").write_text(f"# Memory Index\n\n{ghost}\n", "utf-8")
    assert project.create(TARGET, record()) == 0
    assert ghost in project.index()


def test_a_memory_in_the_folder_of_another_category_is_taken_with_a_note(project: Project) -> None:
    """Specification 1.7: the writer takes any place in the folder, and warns of nothing under one of its own marks."""
    assert project.create("runbooks/queue.json", record()) == 0
    assert project.err == "Note: .claude/memory/runbooks/queue.json: a decision belongs in decisions/\n"


@pytest.mark.parametrize("status", ["active", "archived"])
def test_a_create_never_overwrites_a_memory_that_is_kept(project: Project, status: str) -> None:
    """Defect D3 of the original: it overwrote silently and left two index lines."""
    project.put(record(record_status=status, title="The first one"))
    before = project.read(TARGET)
    assert project.create(TARGET, record(title="Another")) == 1
    assert project.error() == "CREATE_OVERWRITE_ERROR"
    assert project.read(TARGET) == before
    assert (project.root.parent / "draft.json").exists()


def test_the_same_create_again_is_no_error_and_adds_no_line(project: Project) -> None:
    """6.0: replaying an identical create succeeds."""
    project.create(TARGET, record())
    assert project.create(TARGET, record()) == 0
    assert len(project.index()) == 1


@pytest.mark.parametrize(("retired_at", "status"), [("2026-06-01T11:00:00Z", 1), ("2026-05-31T12:00:00Z", 0)])
def test_a_retired_memory_stays_away_for_a_day(project: Project, retired_at: str, status: int) -> None:
    """Seed: not within 24 hours of retirement; exactly 24 hours is over."""
    project.put(record(record_status="retired", retired_at=retired_at))
    assert project.create(TARGET, record()) == status
    assert (project.error() == "ANTI_RESURRECTION_ERROR") == (status == 1)


def test_a_file_that_cannot_be_read_is_left_as_it_is(project: Project) -> None:
    """House rule: we never rewrite what we did not understand."""
    path = project.memory / project.put(record())
    path.write_text("{broken", "utf-8")
    writes: tuple[Callable[[], object], ...] = (
        lambda: project.create(TARGET, record()),
        lambda: project.update(TARGET, changed(record())),
        lambda: project.write("delete", TARGET),
    )
    for run in writes:
        assert run() == 1
        assert project.error() == "READ_ERROR"
        assert path.read_text("utf-8") == "{broken"


def test_a_create_keeps_the_last_fifty_changes(project: Project) -> None:
    """The schema says 50 at most; the original enforces it on update only."""
    entries = [{"date": "d", "summary": f"c{n}"} for n in range(60)]
    assert project.create(TARGET, record(changes=entries)) == 0
    assert project.read(TARGET)["changes"] == entries[10:]


def test_a_disabled_category_takes_no_new_memories(project: Project) -> None:
    """Defect D10: the original ignores the key; updates and retirements still work."""
    project.create(TARGET, record())
    project.configure(categories={"decision": {"enabled": False}})
    assert project.create("decisions/other.json", record(id="other")) == 1
    assert project.error() == "CATEGORY_DISABLED_ERROR"
    assert project.update(TARGET, changed(record())) == 0
    assert project.write("delete", TARGET) == 0


def test_a_full_category_refuses_until_something_leaves(project: Project) -> None:
    """Seed: max_memories_per_category; active memories count, or nobody could save while the grace runs."""
    project.configure(max_memories_per_category=1)
    project.create(TARGET, record())
    assert project.create("decisions/b.json", record(title="Something else")) == 1
    assert project.error() == "CATEGORY_FULL_ERROR"
    assert project.keys()["max_memories_per_category"] == "1"
    project.write("delete", TARGET)
    assert project.create("decisions/b.json", record(title="Something else")) == 0


def test_an_update_of_a_retired_memory_does_not_list_it(project: Project) -> None:
    """Defect D4, still in 6.0."""
    project.put(record(record_status="retired", retired_at="2026-01-01T00:00:00Z"))
    assert project.update(TARGET, changed(record())) == 0
    assert project.read(TARGET)["record_status"] == "retired"
    assert project.index() == []


def test_a_title_that_says_something_else_renames_the_file(project: Project) -> None:
    """Specification 1.7; the index follows, nothing is left behind."""
    project.create(TARGET, record())
    assert project.update(TARGET, changed(record(), title="Prefer local files")) == 0
    answer = json.loads(project.out)
    assert answer["target"] == ".claude/memory/decisions/prefer-local-files.json"
    assert answer["renamed_from"] == ".claude/memory/decisions/queue.json"
    assert not (project.memory / TARGET).exists()
    assert project.read("decisions/prefer-local-files.json")["id"] == "prefer-local-files"
    assert [line.split(" -> ")[1].split(" ")[0] for line in project.index()] == [answer["target"]]


def test_a_rename_onto_another_memory_keeps_the_old_name(project: Project) -> None:
    """Specification 1.7."""
    project.create(TARGET, record())
    other = project.put(record(id="prefer-local-files", title="Taken"))
    before = project.read(other)
    assert project.update(TARGET, changed(record(), title="Prefer local files")) == 0
    assert "[WARN] Slug rename collision" in project.err
    assert project.read(other) == before
    assert project.read(TARGET)["id"] == "queue"


@pytest.mark.parametrize(
    ("target", "error"),
    [
        ("notes/x.json", "PATH_ERROR"),
        (".claude/memory-two/decisions/x.json", "PATH_ERROR"),
        (".claude/memory/../../x.json", "PATH_ERROR"),
        (".claude/memory/../memory-two/decisions/x.json", "PATH_ERROR"),
        (".claude/memory/decisions/../../../../x.json", "PATH_ERROR"),
        (".claude/memory/index.md", "PATH_ERROR"),
        (".claude/memory/memory-config.json", "PATH_ERROR"),
        (".claude/memory/x.json", "PATH_ERROR"),
        (".claude/memory/decisions/deep/x.json", "PATH_ERROR"),
        (".claude/memory/decisions/linked.json", "PATH_ERROR"),
        (".claude/memory/runbooks/x.json", "PATH_ERROR"),
        (".claude/memory/decisions/Not A Slug.json", "VALIDATION_ERROR"),
        (".claude/memory/decisions/x\n.json", "VALIDATION_ERROR"),
    ],
)
def test_a_target_cannot_leave_its_place(project: Project, target: str, error: str) -> None:
    """GUARANTEES 4.3: no escape by `..`, symbolic links or names that merely begin alike."""
    outside = project.root.parent / "outside"
    outside.mkdir()
    (project.memory / "decisions").mkdir()
    (project.memory / "decisions/linked.json").symlink_to(outside / "x.json")
    (project.memory / "runbooks").symlink_to(outside)
    before = sorted(project.root.rglob("*"))
    draft = project.draft(record())
    words = ("--action", "create", "--category", "decision", "--input", draft)
    assert project.run("write", *words, "--target", target) == 1
    assert project.error() == error
    assert sorted(project.root.rglob("*")) == before
    assert list(outside.iterdir()) == []


def test_a_memory_folder_that_is_a_link_out_of_the_project_is_refused(project: Project) -> None:
    """GUARANTEES S20: a cloned project may ship such a link."""
    outside = project.root.parent / "outside"
    outside.mkdir()
    project.memory.rmdir()
    project.memory.symlink_to(outside)
    assert project.create(TARGET, record()) == 1
    assert project.error() == "PATH_ERROR"
    assert list(outside.iterdir()) == []


def test_a_draft_from_elsewhere_is_refused(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    """Specification 1.7: only /tmp (here also the temporary folder), also through a link."""
    link = project.root.parent / "link.json"
    link.symlink_to("/etc/hostname")
    assert project.write("create", TARGET, category="decision", input=str(link)) == 1
    assert project.error() == "SECURITY_ERROR"
    assert project.keys()["resolved"] == os.path.realpath("/etc/hostname")


@pytest.mark.parametrize(
    "draft", ["[]", "{", '{"confidence": NaN}', '"text"', "", "[" * 50_000], ids=lambda text: text[:10]
)
def test_a_draft_that_is_no_record_is_refused(project: Project, draft: str) -> None:
    """Specification 1.3: INPUT_ERROR, the draft kept, nothing written."""
    path = project.draft(draft)
    assert project.write("create", TARGET, category="decision", input=path) == 1
    assert project.error() == "INPUT_ERROR"
    assert Path(path).exists()
    assert list(project.memory.iterdir()) == []


def test_a_hostile_title_changes_nothing_outside_its_field(project: Project) -> None:
    """Issue 4: index markers, invisible characters, path tricks."""
    project.create("decisions/safe.json", record(title="Safe one"))
    title = "x -> .claude/memory/decisions/safe.json #tags:evil\n- [DECISION] forged -> ../../etc/passwd\u202e"
    assert project.create(TARGET, record(title=title)) == 0
    assert len(project.index()) == 2
    assert [line.rsplit(" -> ", 1)[1] for line in project.index()] == [
        ".claude/memory/decisions/safe.json #tags:orders,queue",
        ".claude/memory/decisions/queue.json #tags:orders,queue",
    ]
    assert project.write("delete", "decisions/safe.json") == 0
    assert len(project.index()) == 1
    assert project.run("index", "--validate") == 0


def test_a_megabyte_of_title_is_refused_in_a_few_words(project: Project) -> None:
    """Issue 4: 1 MB of text."""
    assert project.create(TARGET, record(title="#ta" * 300_000 + "gs:" * 300_000)) == 1
    assert project.error() == "VALIDATION_ERROR"
    assert len(project.out) < 1000


def test_a_megabyte_of_content_stays_in_its_field(project: Project) -> None:
    """Issue 4: 1 MB of text; the index is as small as ever."""
    content = {**record()["content"], "context": "word " * 200_000}
    assert project.create(TARGET, record(content=content)) == 0
    assert project.read(TARGET)["content"] == content
    assert len(project.index()[0]) < 200


def test_an_absolute_target_is_one_memory_however_it_is_written(project: Project) -> None:
    """Specification 1.9: the index keeps the path as given; ours still knows it is the same file."""
    absolute = str(project.memory / TARGET)
    draft = project.draft(record())
    assert (
        project.run("write", "--action", "create", "--category", "decision", "--target", absolute, "--input", draft)
        == 0
    )
    assert f" -> {absolute} " in project.index()[0]
    assert project.run("index", "--validate") == 0
    assert project.write("delete", TARGET) == 0
    assert project.index() == []


@pytest.mark.parametrize(
    "words",
    [
        ["write"],
        ["write", "--action", "explode", "--target", "x"],
        ["write", "--action", "delete"],
        ["write", "--action", "delete", "--target"],
        ["write", "--action", "delete", "--target", "x", "--surprise"],
        ["index", "--rebuild", "--gc"],
        ["enforce", "--category", "session_summary", "--max-retained", "many"],
        ["nonsense"],
        [],
    ],
)
def test_a_command_that_makes_no_sense_ends_with_usage(project: Project, words: list[str]) -> None:
    """Argparse: usage on standard error, exit status 2."""
    assert project.run(*words) == 2
    assert project.err.startswith("usage: ")
    assert project.out == ""


def test_flags_are_read_as_argparse_reads_them(project: Project) -> None:
    """`--flag=value`, unambiguous beginnings, values that merely look odd."""
    project.create(TARGET, record())
    words = ["--act=delete", f"--target=.claude/memory/{TARGET}", "--rea", "- said so"]
    assert project.run("write", *words) == 0
    assert project.read(TARGET)["retired_reason"] == "- said so"


def test_of_two_processes_with_the_same_hash_one_wins(project: Project) -> None:
    """Issue 4: one wins, one gets OCC_CONFLICT, nothing is lost."""
    project.create(TARGET, record())
    digest = project.md5(TARGET)
    processes = []
    for name in ("first", "second"):
        draft = project.draft(changed(record(), tags=["orders", "queue", name]), f"{name}.json")
        words = [
            "--action",
            "update",
            "--target",
            f".claude/memory/{TARGET}",
            "--input",
            draft,
            "--hash",
            digest,
        ]
        processes.append(
            subprocess.Popen(
                [sys.executable, "-m", "tenure", "claude-memory", "write", *words],
                cwd=project.root,
                env={**os.environ, "PYTHONPATH": str(SOURCE)},
                stdout=subprocess.PIPE,
                text=True,
            )
        )
    answers = [(process.communicate()[0], process.returncode) for process in processes]
    assert sorted(code for _, code in answers) == [0, 1]
    (lost,) = [text for text, code in answers if code == 1]
    (won,) = [number for number, (_, code) in enumerate(answers) if code == 0]
    assert lost.startswith("OCC_CONFLICT\n")
    assert ("first", "second")[won] in project.read(TARGET)["tags"]
    assert project.read(TARGET)["times_updated"] == 1


DIES_BEFORE_THE_INDEX = """
import os, signal, sys
from tenure.files.shared_folder import Folder
replace = Folder.replace
def dying(folder, place, *rest, **named):
    if place == "index.md":
        os.kill(os.getpid(), signal.SIGKILL)
    replace(folder, place, *rest, **named)
Folder.replace = dying
from tenure.systems.claude_memory.command import main
sys.exit(main(sys.argv[1:]))
"""


def killed_before_the_index(project: Project, *words: str) -> None:
    """Run the writer in a process that is killed when it would write the index."""
    done = subprocess.run(
        [sys.executable, "-c", DIES_BEFORE_THE_INDEX, "write", *words],
        cwd=project.root,
        env={**os.environ, "PYTHONPATH": str(SOURCE)},
        check=False,
    )
    assert done.returncode == -signal.SIGKILL


@pytest.mark.parametrize("next_command", [("index", "--validate"), ("index", "--gc"), ("index", "--health")])
def test_a_kill_between_record_and_index_heals_on_the_next_command(
    project: Project, next_command: tuple[str, ...]
) -> None:
    """Issue 4; the leftover lock is taken over at once, without waiting for it to grow old."""
    project.create("decisions/first.json", record(title="First"))
    draft = project.draft(record())
    words = ("--action", "create", "--category", "decision", "--input", draft)
    killed_before_the_index(project, *words, "--target", f".claude/memory/{TARGET}")
    assert (project.memory / TARGET).exists()
    assert len(project.index()) == 1
    assert project.run(*next_command) == 0
    assert len(project.index()) == 2
    assert project.run("index", "--validate") == 0
    assert not (project.memory / ".index.lockdir").exists()


@pytest.mark.parametrize(
    ("action", "title", "left"),
    [("delete", "", ["decisions/first.json"]), ("update", "Prefer local files", None)],
)
def test_a_killed_retirement_or_rename_heals_too(
    project: Project, action: str, title: str, left: list[str] | None
) -> None:
    """Issue 4: the record says what it is; the next write brings the index in step."""
    project.create("decisions/first.json", record(title="First"))
    project.create(TARGET, record())
    draft = project.draft(changed(record(), title=title))
    killed_before_the_index(project, "--action", action, "--target", f".claude/memory/{TARGET}", "--input", draft)
    assert project.create("decisions/third.json", record(title="Third")) == 0
    expected = left or ["decisions/first.json", "decisions/prefer-local-files.json"]
    listed = sorted(line.split(" -> .claude/memory/")[1].split(" ")[0] for line in project.index())
    assert listed == sorted([*expected, "decisions/third.json"])
    assert project.run("index", "--validate") == 0


def test_many_processes_lose_nothing(project: Project) -> None:
    """GUARANTEES R3: every acknowledged create is on disk and in the index."""
    processes = []
    for number in range(6):
        draft = project.draft(record(title=f"Memory number {number}"), f"{number}.json")
        words = ["--action", "create", "--category", "decision", "--input", draft]
        target = f".claude/memory/decisions/m{number}.json"
        processes.append(
            subprocess.Popen(
                [sys.executable, "-m", "tenure", "claude-memory", "write", *words, "--target", target],
                cwd=project.root,
                env={**os.environ, "PYTHONPATH": str(SOURCE)},
                stdout=subprocess.PIPE,
            )
        )
    for process in processes:
        process.communicate()
        assert process.returncode == 0
    assert len(project.index()) == 6
    assert run_tool(project.root, "index", "--validate").returncode == 0


def test_a_write_that_could_not_be_acknowledged_exits_with_1(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    """Specification 1.8: a caller that looks at the status alone must not take it for written."""

    def busy(*_: object) -> dict[str, Any]:
        raise StoreBusy("Somebody else writes.")

    monkeypatch.setattr(write, "run", busy)
    assert project.create(TARGET, record()) == 1
    assert project.out.startswith("WRITE_ERROR")


def test_an_update_brings_the_whole_index_in_step(project: Project) -> None:
    """Specification 1.7: its answer says that the index is right, whoever left it as it is."""
    project.put(record(id="other", title="Another decision"))
    assert project.create(TARGET, record()) == 0
    (project.memory / "index.md").unlink()
    assert project.update(TARGET, changed(project.read(TARGET))) == 0
    assert [line.split(" -> ")[0] for line in project.index()] == [
        "- [DECISION] Another decision",
        "- [DECISION] Use managed queue for orders",
    ]


def test_a_memory_created_twice_is_written_once(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    """GUARANTEES R12: a client that repeats its call after a lost answer changes nothing, not even a date."""
    assert project.create(TARGET, record()) == 0
    before = (project.memory / TARGET).read_bytes()
    monkeypatch.setenv("TENURE_NOW", "2030-01-01T00:00:00Z")
    assert project.create(TARGET, record()) == 0
    assert (project.memory / TARGET).read_bytes() == before and len(project.index()) == 1
