"""S6: a file's name cannot forge a line on a screen, nor turn one round (issue 13)."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.program import Program
from tests.systems.test_drop_in_trust import commit

FORGED = "0 memories could be shown to agents"
NAME = f"queue\n{FORGED}\u202eabc\u2028{FORGED}\x9b31m\x1b[2Jz"
OBEYED = "\u202e\u2028\x9b\x1b\x85"

COMMANDS = [
    ["trust"], ["list"], ["status"], ["check"], ["review"], ["audit", "--dry-run"], ["doctor"], ["team", "check"],
    ["show", "queue"], ["why", "queue"], ["history", "queue"], ["search", "--explain", "redis queue"],
    ["upkeep", "--dry-run"], ["promote", "--dry-run"], ["log", "queue", "--effect", "negative"],
    ["forget", "queue"], ["retire", "queue", "--reason", "x"], ["restore", "queue"], ["undo"], ["gc"], ["scrub"],
    ["inject", "which queue for redis?"], ["inject", "--replay"], ["forget", "queue", "--yes"],
]  # fmt: skip


def page(folder: Path, name: str, text: str) -> None:
    """Write a memory of Claude Code whose file has any name."""
    (folder / "memory").mkdir(exist_ok=True)
    (folder / "memory" / f"{name}.md").write_text(f"---\nname: n\ndescription: {text}\ntype: project\n---\n{text}\n")


@pytest.fixture
def clone(program: Program) -> Program:
    """A project whose memory has a file with such a name, and others that cannot be read."""
    program.folder.joinpath(".tenure").mkdir()
    program.folder.joinpath(".tenure", "config.toml").write_text('store = "claude-code:memory"\n')
    page(program.folder, NAME, "Use Redis as the queue for background jobs")
    (program.folder / "memory" / f"broken{NAME}.md").write_bytes(b"\xff\xfe\0")
    (program.folder / ".claude" / "rules").mkdir(parents=True)
    (program.folder / ".claude" / "rules" / f"{NAME}.md").write_text(
        "See `src/missing.py` and token=sk-ant-" + "a" * 40
    )
    (program.folder / ".tenure" / "team").mkdir()
    (program.folder / ".tenure" / "team" / f"{NAME}.md").write_text("no header")
    commit(program.folder)
    return program


def forged(text: str) -> list[str]:
    """Return what a screen shows that it must not."""
    return [line for line in text.split("\n") if line.startswith(FORGED) or any(c in line for c in OBEYED)]


def test_what_a_person_agrees_to_is_not_forged_by_a_file_name(clone: Program) -> None:
    """Each name stands on one line, with the code of every character that would not be seen."""
    done = clone("trust")
    shown = (done.out + done.err).decode()
    assert not forged(shown), shown
    assert "queue\\n" in shown and "\\u202e" in shown


def test_no_screen_is_forged_by_a_file_name(clone: Program) -> None:
    """Ids, paths and problems of every command that prints them."""
    clone.ok("trust", "--yes")
    seen = {}
    for words in COMMANDS:
        done = clone(*words)
        assert done.status != 70, (words, done.err)
        if wrong := forged((done.out + done.err).decode()):
            seen[" ".join(words)] = wrong
    assert not seen
