"""Any text at all: large, in any script, with escapes; nothing raw reaches a terminal."""

from __future__ import annotations

import json
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from tests.program import Program, proposals

ESCAPES = "\x1b[31mred\x1b]0;title\x07 \x9b2K bell\x07 back\x08space \u202eoverride\u202c \u200bzero"
MEGABYTE = 1024 * 1024
# C0 without tab and newline, DEL, C1, and the direction overrides.
RAW = [*range(9), 0xB, 0xC, *range(0xE, 0x20), *range(0x7F, 0xA0), *range(0x202A, 0x202F), *range(0x2066, 0x206A)]


def assert_nothing_raw(data: bytes) -> None:
    text = data.decode()
    assert not [hex(ord(c)) for c in text if ord(c) in RAW]


def test_a_text_of_a_megabyte_is_kept_whole(program: Program) -> None:
    """Issue: texts up to 1 MB."""
    text = "".join(f"word{n} " for n in range(200_000))[:MEGABYTE].strip()
    id = program.ok("add", "-", stdin=text.encode())["id"]
    assert program.ok("show", id)["text"] == text
    assert program.ok("search", "word12345")["hits"][0]["id"] == id
    assert len(program.ok("inject", "word12345")["block"]) < 5000
    assert program.ok("capture", "-", stdin=proposals({"text": text}))["decisions"][0]["action"] == "update"


def test_a_larger_text_is_refused_with_its_size(program: Program) -> None:
    """S17: limits are named, nothing is cut silently."""
    done = program("--json", "add", "-", stdin=b"x " * MEGABYTE)
    assert done.status == 2 and "2,097,152" in done.error["message"]
    assert program.ok("list", "--all") == {"memories": []}


@pytest.mark.parametrize(
    "text",
    [
        "naïve façade",
        "日本語のテキスト",
        "תזכורת חשובה",
        "👩‍👩‍👧 family",
        "می‌خواهم",
        "क्‍ष",
        "∀x ∈ S",
        "𝔘𝔫𝔦𝔠𝔬𝔡𝔢",
        "'\"`$(x)`",
        "--help",
        "-",
    ],
)
def test_text_in_any_script_comes_back_as_it_was(text: str, program: Program) -> None:
    """Issue: any Unicode. What looks like an option is a text after `--` or from standard input."""
    id = program.ok("add", "-", stdin=text.encode())["id"]
    assert program.ok("show", id)["text"] == text
    shown = program("show", id)
    assert shown.status == 0 and text in shown.text


def test_escapes_reach_neither_output_in_any_command(program: Program) -> None:
    """Issue and S6: control characters and terminal escapes never reach the terminal raw."""
    words = ["--title", ESCAPES, "--tag", ESCAPES, "--file", ESCAPES, "--source", f"agent:{ESCAPES}"]
    id = program.ok("add", ESCAPES, *words)["id"]
    program.ok("log", id, "--effect", "negative", "--notes", ESCAPES, "--task", ESCAPES, "--by", ESCAPES)
    program.ok("review", id, "--decision", "approve", "--by", ESCAPES, "--rationale", ESCAPES)
    asked = [
        ["list"], ["show", id], ["history", id], ["why", id], ["search", ESCAPES], ["inject", ESCAPES],
        ["review"], ["show", ESCAPES], [ESCAPES], ["list", f"--{ESCAPES}"], ["capture", ESCAPES],
        ["policy", ESCAPES], ["list", "--state", ESCAPES], ["--store", f"sqlite:{ESCAPES}.db", "status"],
        ["add", "x", "--kind", ESCAPES], ["add", "x", "--scope", ESCAPES], ["add", "x", "--id", ESCAPES],
        ["log", id, "--effect", ESCAPES], ["import", ESCAPES], ["retire", id, "--reason", ESCAPES],
    ]  # fmt: skip
    for number, command in enumerate(asked):
        done = program(*(["--json"] if number % 2 else []), *command)
        assert done.status != 70, (command, done.err)
        assert_nothing_raw(done.out)
        assert_nothing_raw(done.err)


def test_escapes_do_not_reach_a_real_terminal(program: Program) -> None:
    """S6 on a pseudo-terminal, where the program adds colours of its own: only those sequences are there."""
    id = program.ok("add", f"{ESCAPES} text", "--title", ESCAPES)["id"]
    for words in (["show", id], ["list"], ["history", id], ["search", "red"]):
        seen = on_terminal(program, *words)
        left = seen.replace(b"\x1b[0m", b"").replace(b"\x1b[1m", b"").replace(b"\x1b[2m", b"").replace(b"\x1b[32m", b"")
        assert b"\x1b" not in left and b"\x07" not in left and b"\x9b" not in left


def test_an_export_to_a_terminal_holds_nothing_that_steers_it(program: Program) -> None:
    """S6: another system's files are not cleaned when they are read; a pipe still gets every character."""
    (program.folder / "memory").mkdir()
    text = "---\nname: a\ndescription: d\ntype: project\n---\nturns \u202e, \u200b and \x9b31m\n"
    (program.folder / "memory" / "a.md").write_text(text, encoding="utf-8")
    words = ("--store", "claude-code:memory", "export", "-")
    seen = on_terminal(program, *words).decode()
    assert r"turns \u202e, \u200b and \u009b31m" in seen
    assert "turns \u202e, \u200b and \x9b31m" in program(*words).text
    seen = on_terminal(program, "--store", "claude-code:memory", "--json", "show", "a.md").decode()
    assert r"turns \u202e, \u200b and \u009b31m" in seen


def on_terminal(program: Program, *words: str) -> bytes:
    leader, follower = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "tenure", *words],
        stdout=follower,
        stderr=follower,
        cwd=program.folder,
        env=program.variables({"TERM": "xterm", "COLUMNS": "100"}),
    ) as process:
        import os

        os.close(follower)
        seen = b""
        try:
            while piece := os.read(leader, 65536):
                seen += piece
        except OSError:
            pass
        os.close(leader)
        assert process.wait(timeout=300) == 0
    return seen


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_an_output_that_cannot_show_a_character_gets_its_number(encoding: str, program: Program) -> None:
    """Issue: any Unicode. The write is done, so the answer must not turn into a failure."""
    done = program("add", "Grüße aus 東京", PYTHONIOENCODING=encoding)
    assert done.status == 0
    listed = program("--json", "list", PYTHONIOENCODING=encoding)
    assert json.loads(listed.out.decode(encoding))["memories"][0]["text"] == "Grüße aus 東京"


def test_bytes_that_are_no_text_are_survived_everywhere(program: Program) -> None:
    """Issue: any input. A broken byte in an argument or on standard input is replaced or refused, never a crash."""
    bad = b"broken \xff\xfe bytes"
    assert program("add", "-", stdin=bad).status in (0, 2)
    for words in (["add"], ["search"], ["inject"], ["show"], ["history"], ["list", "--state"], ["list", "--kind"]):
        done = subprocess.run(
            [sys.executable, "-m", "tenure", *words, bad],
            cwd=program.folder,
            env=program.variables(),
            capture_output=True,
            check=False,
        )
        assert done.returncode in (0, 2), (words, done.stderr)


def test_a_secret_in_an_error_message_is_not_echoed_into_the_store(program: Program, tmp_path: Path) -> None:
    """S8: an error text is not stored; a refused command leaves no trace of what it was given."""
    program.ok("add", "Something")
    program("add", "x", "--kind", "sk-live-4eC39HqLyjWDarjtT1zdp7dc")
    assert all(b"4eC39HqLyj" not in data for data in program.owned().values())
