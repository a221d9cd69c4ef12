"""The drop-in's arguments, messages and exit status, run in a project folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from tenure.systems.archeflow.command import main

from .project import ARCHIVE, AUDIT, LESSONS, events, lesson, process, read, verdict, write


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


Captured = pytest.CaptureFixture[str]


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (
            [],
            1,
            "Usage: tenure archeflow <command> [args...]\n\nCommands:\n  extract <events.jsonl>  ",
        ),
        (["bogus"], 1, "Unknown command: bogus\n"),
        (["extract"], 1, "Usage: tenure archeflow extract <events.jsonl>\n"),
        (["extract", "none.jsonl"], 1, "Error: events file not found: none.jsonl\n"),
        (["add", "pattern"], 1, "Usage: tenure archeflow add <type> <description>\n"),
        (
            ["add", "pattern", ""],
            1,
            "Usage: tenure archeflow add <type> <description>\nTypes: pattern, preference",
        ),
        (["list"], 0, "No lessons stored yet.\n"),
        (["decay"], 0, ""),
        (["forget"], 1, "Usage: tenure archeflow forget <id>\n"),
        (["forget", "m-001"], 1, "No lessons file found.\n"),
        (["audit-check"], 1, "Usage: tenure archeflow audit-check <run_id>\n"),
        (
            ["audit-check", "../x"],
            1,
            "Error: invalid run_id '../x' (allowed: letters, digits, '.', '_', '-')\n",
        ),
        (["audit-check", "r1"], 0, "No audit records found.\n"),
        (["regression-check"], 1, "Usage: tenure archeflow regression-check <events.jsonl>\n"),
        (["regression-check", "none.jsonl"], 1, "Error: events file not found: none.jsonl\n"),
    ],
)
def test_an_empty_project_gets_the_scripts_answers(
    project: Path, capsys: Captured, arguments: list[str], status: int, message: str
) -> None:
    """The script's messages and exit status; nothing is created."""
    assert main(arguments) == status
    assert capsys.readouterr().err.startswith(message)
    assert [path.name for path in project.iterdir()] == ["home"]


def test_help_goes_to_standard_output(project: Path, capsys: Captured) -> None:
    """The script: exit 0 and its header."""
    assert main(["--help"]) == 0
    assert "tenure archeflow regression-check <events.jsonl>" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "logged"),
    [
        (["code", "", "--audit", "r1"], ["r1"]),
        (["code", "", "ignored", "--audit", "r1", "--audit", "r2"], ["r2"]),
        (["code", "--audit", "r1"], []),
        (["code", ""], []),
        (["code"], []),
        ([], []),
        (["code", "", "--audit"], []),
        (["code", "", "--audit", ""], []),
    ],
)
def test_audit_comes_after_two_positions(
    project: Path, capsys: Captured, arguments: list[str], logged: list[str]
) -> None:
    """The script takes domain and archetype by position; without a run id it prints no lessons, we do."""
    write(LESSONS, lesson("m-001", "missing null check", 5))
    assert main(["inject", *arguments]) == 0
    assert capsys.readouterr().out == "## Known Issues (from past runs)\n- missing null check [seen 5x, guardian]\n"
    assert [row["run_id"] for row in read(AUDIT)] == logged


def test_a_broken_line_hides_nothing_and_is_never_lost(project: Path, capsys: Captured) -> None:
    """Every command goes on past it, says its number, and leaves its bytes where they are."""
    write(LESSONS, lesson("m-001", "alpha bravo", 2), lesson("m-003", "charlie delta", 2))
    first, second = LESSONS.read_bytes().splitlines(keepends=True)
    broken = b'{"id":"m-009","descr\xff\n'
    LESSONS.write_bytes(first + broken + second)
    for arguments in (
        ["inject", "code", ""],
        ["list"],
        ["decay"],
        ["extract", events(project, "r1", "charlie delta", "echo foxtrot")],
        ["add", "preference", "golf"],
        ["forget", "m-001"],
    ):
        assert main(arguments) == 0
        said = capsys.readouterr()
        assert f"{LESSONS} line 2 cannot be read" in said.err
        if arguments[0] in ("inject", "list"):
            assert "charlie delta" in said.out
    lines = LESSONS.read_bytes().splitlines(keepends=True)
    assert lines[0] == broken
    assert b'"m-003"' in lines[1]
    assert [b'"m-010"' in lines[2], b'"m-011"' in lines[3]] == [True, True]


def test_a_broken_event_is_passed_over(project: Path, capsys: Captured) -> None:
    """The script stops there with jq's exit code."""
    path = write(Path("e.jsonl"), verdict("r1", "alpha bravo"), verdict("r1", "charlie delta"))
    first, second = path.read_text().splitlines()
    path.write_text(f"{first}\nnot json\n{second}\n")
    assert main(["extract", "e.jsonl"]) == 0
    assert "e.jsonl line 2 cannot be read" in capsys.readouterr().err
    assert [row["description"] for row in read(LESSONS)] == ["alpha bravo", "charlie delta"]


def test_a_last_line_without_newline_is_a_lesson_like_the_others(project: Path) -> None:
    """The script's decay drops it, and its add glues the next lesson to it."""
    write(LESSONS, lesson("m-001", "alpha bravo", 2))
    LESSONS.write_bytes(LESSONS.read_bytes().rstrip(b"\n"))
    assert main(["add", "preference", "golf"]) == 0
    LESSONS.write_bytes(LESSONS.read_bytes().rstrip(b"\n"))
    assert main(["decay"]) == 0
    assert [(row["id"], row["frequency"]) for row in read(LESSONS)] == [("m-001", 2), ("m-002", 1)]


@pytest.mark.parametrize("typed", ["Händler", "H\udcc3\udca4ndler"])
def test_words_are_utf8_in_any_locale(project: Path, typed: str) -> None:
    """Ours: Python hands over bytes it could not decode as halves of surrogate pairs."""
    assert main(["add", "preference", typed]) == 0
    assert main(["add", "preference", "stray \udcff byte"]) == 0
    assert [row["description"] for row in read(LESSONS)] == ["Händler", "stray \ufffd byte"]


def test_an_id_is_never_given_twice(project: Path) -> None:
    """Document 1: "monotonically increasing"; the script gives the newest id again after `forget`."""
    write(AUDIT, {"run_id": "r1", "lessons_injected": ["m-004"]})
    for words in ("one", "two"):
        assert main(["add", "preference", words]) == 0
    assert main(["forget", "m-006"]) == 0
    assert main(["add", "preference", "three"]) == 0
    assert [row["id"] for row in read(LESSONS)] == ["m-005", "m-007"]
    assert [row["id"] for row in read(ARCHIVE)] == ["m-006"]


def test_decay_spares_what_the_last_extracted_run_saw(project: Path) -> None:
    """Document 1, decay step 1; the run is remembered beside `.archeflow/`, never in it."""
    write(LESSONS, lesson("m-001", "alpha bravo", 2, 3), lesson("m-002", "charlie delta", 2, 3))
    assert main(["extract", events(project, "r1", "alpha bravo")]) == 0
    assert main(["decay"]) == 0
    assert [(row["frequency"], row["runs_since_last_seen"]) for row in read(LESSONS)] == [(3, 0), (2, 4)]
    assert main(["extract", events(project, "r2")]) == 0
    assert main(["decay"]) == 0
    assert [row["runs_since_last_seen"] for row in read(LESSONS)] == [1, 5]
    names = {path.name for path in Path(".archeflow/memory").iterdir()}
    assert names == {"lessons.jsonl", "lessons.jsonl.lock"}
    assert Path(".tenure/.gitignore").read_text() == "*\n"


@pytest.mark.parametrize("state", ["", "null", "[]", '{"last_run": 5, "counted": {"r1": 7}}', "\x00"])
def test_a_damaged_companion_is_as_good_as_none(project: Path, state: str) -> None:
    """Ours: it may be lost at any time."""
    write(LESSONS, lesson("m-001", "alpha bravo", 2))
    Path(".tenure").mkdir()
    Path(".tenure/archeflow.json").write_text(state)
    assert main(["decay"]) == 0
    assert main(["extract", events(project, "r1", "alpha bravo")]) == 0
    assert [(row["frequency"], row["runs_since_last_seen"]) for row in read(LESSONS)] == [(3, 0)]


def test_a_run_extracted_again_after_another_counts_nothing_twice(project: Path) -> None:
    """Document 1, "Promotion Rule": frequency counts runs."""
    for run in ("r1", "r2", "r1", "r2"):
        assert main(["extract", events(project, run, "alpha bravo")]) == 0
    assert [row["frequency"] for row in read(LESSONS)] == [2]


def test_checking_a_run_twice_leaves_one_verdict(project: Path, capsys: Captured) -> None:
    """The script's second check ends with status 5 and no message."""
    write(LESSONS, lesson("m-001", "alpha bravo", 2))
    events(project, "r1", "alpha bravo")
    assert main(["inject", "code", "", "--audit", "r1"]) == 0
    for _ in range(2):
        assert main(["audit-check", "r1"]) == 0
        assert "Lesson m-001 (ineffective): alpha bravo\n" in capsys.readouterr().err
    assert [row.get("effectiveness") for row in read(AUDIT)] == [None, "ineffective"]


def test_regression_check_says_why_it_has_nothing_to_compare(project: Path, capsys: Captured) -> None:
    """The script's six messages, each with exit 0."""
    index = Path(".archeflow/events/index.jsonl")
    current = events(project, "r2")
    said = []

    def check() -> None:
        assert main(["regression-check", current]) == 0
        said.append(capsys.readouterr().err.removeprefix("[archeflow-memory] ").strip())

    check()
    write(index, {"run_id": "r2"})
    check()
    write(index, {"run_id": "../r1"})
    check()
    write(index, {"run_id": "r1"})
    check()
    previous = Path(events(project, "r1"))
    check()
    write(previous, {"type": "fix.applied", "data": {"finding": "alpha bravo"}})
    check()
    events(project, "r2", "charlie delta")
    check()
    assert said == [
        "No index.jsonl found — skipping regression check.",
        "No previous run found — skipping regression check.",
        "Ignoring invalid run_id in index.jsonl: '../r1'",
        f"Previous run events not found: {previous}",
        "No resolved findings in previous run — nothing to regress.",
        "No findings in current run — no regressions.",
        "No regressions detected.",
    ]


def test_eight_runs_finishing_at_once_lose_nothing(project: Path) -> None:
    """Ours: one lock for every write. Each run has a finding of its own and one that all share."""
    runs = [f"run-{number}" for number in range(8)]
    paths = {run: events(project, run, f"{run[4:]}alpha {run[4:]}bravo", "shared null check") for run in runs}
    started = [process(project, "extract", path) for path in paths.values()]
    started += [process(project, "inject", "", "", "--audit", run) for run in runs]
    for one in started:
        _, said = one.communicate()
        assert one.returncode == 0, said
    lessons = read(LESSONS)
    assert len({row["id"] for row in lessons}) == len(lessons) == 9
    assert sorted(row["frequency"] for row in lessons) == [1] * 8 + [8]
    assert not list(Path(".archeflow/memory").glob("*.tmp"))
