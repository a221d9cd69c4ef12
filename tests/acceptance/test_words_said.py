"""What commands say: nothing false, nothing silent, nothing a terminal obeys."""

from __future__ import annotations

import os
import pty
import sys
from pathlib import Path

import pytest

from tests.program import Program, proposals

TEXT = "Run make db before the tests"


def test_lines_that_were_left_out_are_named(program: Program) -> None:
    """Issue 2: malformed JSON Lines get their line number, also when the good ones are used."""
    lines = proposals({"text": TEXT}) + b"nonsense\n" + proposals({"text": 5})
    refused = program("capture", "-", stdin=lines)
    assert refused.errors.splitlines()[:2] == [
        "Error: -:2: Not JSON: Expecting value at column 1.",
        "-:3: text: must be a text, found 5.",
    ]
    kept = program("capture", "-", "--keep-going", stdin=lines)
    assert kept.text.splitlines()[-2:] == [
        "skipped -:2: Not JSON: Expecting value at column 1.",
        "skipped -:3: text: must be a text, found 5.",
    ]


def test_history_shows_confidence_as_everywhere_else(program: Program) -> None:
    """STYLE: one word per thing; hundredths are how it is stored, not how it is read."""
    id = program.ok("add", TEXT)["id"]
    program.ok("log", id, "--effect", "positive")
    assert "confidence 0.4 -> 0.5; used_at none -> " in program("history", id).text


@pytest.mark.parametrize("command", ["restore", "unarchive"])
def test_what_was_not_gone_is_not_said_to_be_back(program: Program, command: str) -> None:
    id = program.ok("add", TEXT)["id"]
    assert program(command, id).text == f"{id} is provisional; it was not gone.\n"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["undo", "9" * 30], "Invalid value"),
        (["list", "--state", "stabel"], "'stabel' is not a state; expected one of candidate, provisional"),
        (["list", "--phase", "x"], "is not one of 'pending', 'live', 'held', 'gone'"),
        (["review", "--decision", "keep"], "A verdict needs the id of a memory."),
        (["add", "x", "--content", "{"], "--content: Not JSON"),
        (["edit", "db"], "Nothing to change was given."),
        (["edit", "db", "--text", " "], "text: is empty"),
        (["edit", "db", "--without-file", "x.py"], "It has no file 'x.py'."),
        (["edit", "db", "--without-tag", "x"], "It has no tag 'x'."),
    ],
)
def test_a_request_that_makes_no_sense_is_told_what_is_wrong(program: Program, words: list[str], said: str) -> None:
    """CONTRACT: exit 2, with what was found and what was expected."""
    program.ok("add", TEXT, "--id", "db", "--tag", "tests")
    done = program(*words)
    assert (done.status, done.out) == (2, b"")
    assert said in done.errors


def test_tags_beyond_the_cap_are_named_and_one_can_make_room(program: Program) -> None:
    """Issue 2: tags only grow below 12; at 12 one may make room for another."""
    tags = [word for n in range(13) for word in ("--tag", f"t{n}")]
    assert "at most 12 tags are kept; left out: t12" in program("add", TEXT, "--id", "db", *tags).errors.lower()
    refused = program("edit", "db", "--tag", "new")
    assert refused.status == 3
    assert "--without-tag OLD" in refused.errors
    changed = program.ok("edit", "db", "--tag", "new", "--without-tag", "t0")["tags"]
    assert (len(changed), changed[-1], "t0" in changed) == (12, "new", False)


def test_the_summary_that_leaves_the_window_is_said_to_be_retired(program: Program) -> None:
    """Issue 2: the oldest is retired with a warning; a retirement nobody hears of is a silent loss."""
    for n in range(5):
        program.ok("add", f"Session {n} about module{n}", "--kind", "session_summary", "--id", f"s{n}")
    said = program("add", "Session 5 about module5", "--kind", "session_summary").errors
    assert "s0 was retired: the last 5 session summaries are kept." in said


def test_an_import_says_what_was_forgotten(program: Program) -> None:
    """GUARANTEES P2: nothing returns, and the reason is the true one."""
    id = program.ok("add", TEXT)["id"]
    program.ok("export", "all.jsonl")
    program.ok("forget", id, "--yes")
    declined = program("--json", "import", "all.jsonl")
    assert declined.status == 1 and declined.json["skipped"] == [{"id": id, "why": "it was forgotten on request"}]


def test_no_escape_in_a_file_name_reaches_a_terminal(program: Program) -> None:
    """GUARANTEES S6: the id of a Claude Code memory is its file's name, which anybody may have chosen."""
    folder = program.folder / "memory"
    folder.mkdir()
    (folder / "no\x1b[2Jte.md").write_text("---\nname: x\n---\nBody\n")
    out = on_a_terminal(program, "--store", "claude-code:memory", "show", "no")
    assert b"te.md" in out
    assert b"\x1b[2J" not in out
    assert b"\x1b[1m" in out


def on_a_terminal(program: Program, *words: str) -> bytes:
    """Run a command with a terminal as its output and return what reaches it."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(Path(program.folder))
        os.execve(sys.executable, [sys.executable, "-m", "tenure", *words], program.variables({"TERM": "xterm"}))
    out = b""
    while True:
        try:
            piece = os.read(terminal, 65536)
        except OSError:
            break
        if not piece:
            break
        out += piece
    os.waitpid(pid, 0)
    os.close(terminal)
    return out


def test_a_group_of_commands_alone_prints_its_help_and_what_is_missing(program: Program) -> None:
    """Our choice: "Error: Usage:" reads like a fault of ours; a program gets one short message."""
    alone = program("team")
    assert alone.status == 2 and "Error: Usage" not in alone.errors and "Commands:" in alone.errors
    assert alone.errors.splitlines()[-2] == "Error: `tenure team` needs a command."
    asked = program("--json", "team")
    assert asked.status == 2 and "Usage" not in asked.errors and "needs a command" in asked.errors


def test_doctor_prints_labels_a_stranger_understands_and_keeps_the_names_for_programs(program: Program) -> None:
    """HOUSE, plain English; scripts look checks up by their names."""
    printed = program("doctor").text
    assert "store location: " in printed and "trial run: " in printed and "drafting command: " in printed
    names = {check["name"] for check in program.ok("doctor")["checks"]}
    assert {"place", "whole loop", "drafter"} <= names


def test_allowing_without_a_guard_says_the_next_step(program: Program) -> None:
    """STYLE: a message states what to do next."""
    program.ok("add", TEXT, "--id", "db")
    assert "`tenure guard db` makes one from this memory" in program("allow", "db").errors


def test_an_import_names_what_it_skipped(program: Program) -> None:
    """Our choice: one word for it, the one that `--json` uses."""
    program.ok("add", TEXT, "--id", "db")
    program.ok("export", "jsonl:all.jsonl")
    assert "skipped db: a memory with this id already exists" in program("import", "jsonl:all.jsonl").text
