"""What commands print at a terminal of 80 columns."""

from __future__ import annotations

import re
import sys

import pytest
from tests.program import Program
from tests.terminal import at_terminal

COLUMNS = 80
STYLE = re.compile(r"\x1b\[[0-9;]*m")
LONG = "Run the migrations of the billing service before its integration tests, because they read the tables at start"


@pytest.mark.parametrize("words", ["status", "doctor", "effect", "effect start", "list", "audit", "check", "why m-x"])
def test_lines_are_broken_between_words_where_the_terminal_ends(words: str, program: Program) -> None:
    """A stranger's finding: lines of `status`, `doctor` and `effect` went on past the edge of the terminal."""
    program.ok("add", LONG)
    (program.folder / "AGENTS.md").write_text(f"{LONG}: see `src/no_such_folder/and_no_such_file_either.py`.\n")
    seen = at_terminal(
        [sys.executable, "-m", "tenure", *words.split()], program.folder, program.variables(), columns=COLUMNS
    )
    lines = [STYLE.sub("", line).rstrip() for line in seen.screen.replace("\r", "").split("\n")]
    assert any(lines)
    # A word that is longer than the line, such as a path, stays whole.
    assert [line for line in lines if len(line) > COLUMNS and " " in line.strip()] == []


def test_what_agents_are_shown_is_printed_as_they_see_it(program: Program) -> None:
    """A choice of our own: `inject` shows the block itself, whose lines are those an agent reads."""
    program.ok("add", LONG)
    words = [sys.executable, "-m", "tenure", "inject", "run the integration tests of the billing service"]
    seen = at_terminal(words, program.folder, program.variables(), columns=COLUMNS)
    assert LONG in seen.screen


@pytest.mark.parametrize("words", [["inject", "--explain"], ["search", "--explain"]])
def test_an_explanation_fits_the_terminal(words: list[str], program: Program) -> None:
    """A stranger's finding: the lines below the block were broken in the middle of a word."""
    program.ok("add", "Run make db before the integration tests", "--id", "db")
    line = [sys.executable, "-m", "tenure", words[0], "run the integration tests", words[1]]
    seen = at_terminal(line, program.folder, program.variables(), columns=COLUMNS)
    lines = [STYLE.sub("", part).rstrip() for part in seen.screen.replace("\r", "").split("\n")]
    below = lines[next(n for n, part in enumerate(lines) if part.startswith("Looked up")) :]
    assert [part for part in below if len(part) > COLUMNS] == []


def test_a_list_cuts_long_ids_to_their_beginning_at_a_terminal_only(program: Program) -> None:
    """A stranger's finding: one long id pushed every title off the screen. Commands take the beginning of an id."""
    long = "how-the-billing-service-is-deployed-on-fridays"
    program.ok("add", "Deploy the billing service with make ship", "--id", long)
    seen = at_terminal(
        [sys.executable, "-m", "tenure", "list"], program.folder, program.variables(), columns=COLUMNS
    ).screen
    assert long not in seen and "how-the-billing-service-" in seen
    assert program.ok("show", "how-the-billing-service-")["id"] == long
    assert long in program("list").text


def test_a_history_has_what_happened_on_a_line_of_its_own_where_there_is_no_room(program: Program) -> None:
    """A stranger's finding: WHAT was cut to twenty characters and stood below WHO, broken off."""
    program.ok("add", "Run make db before the tests", "--id", "db")
    program.ok("log", "db", "--effect", "positive", "--task", "T-1")
    words = [sys.executable, "-m", "tenure", "history", "db"]
    seen = at_terminal(words, program.folder, program.variables(), columns=60)
    lines = [STYLE.sub("", line).rstrip() for line in seen.screen.replace("\r", "").split("\n")]
    text = " ".join(" ".join(lines).split())
    assert "positive in T-1; reuse_count 0 -> 1; successful_reuses 0 -> 1; confidence 0.4 -> 0.5" in text
    assert lines[0].startswith("ENTRY") and lines[1] == "       WHAT"
    assert "WHO" in lines[0] and "WHAT" in program("history", "db").text.splitlines()[0]
