"""`tenure inject`, looking back: which injections there were, and one of them again."""

from __future__ import annotations

import pytest
from tests.program import Program


@pytest.fixture
def stored(program: Program) -> Program:
    program.environment["TENURE_NOW"] = "2026-04-03T14:00:00Z"
    program.ok("add", "Run make db before the integration tests", "--id", "db")
    return program


def test_without_injections_looking_back_says_what_would_make_one(stored: Program) -> None:
    """DESIGN 5: every command says what to do next; nothing yet is no error."""
    for words in (("--replay",), ("--list",), ("--replay", "last")):
        done = stored("inject", *words)
        assert done.status == 0 and "Nothing has been injected yet" in done.text and "tenure install" in done.text
    assert stored.ok("inject", "--replay") == {"number": None, "block": "", "memories": []}
    assert stored.ok("inject", "--list") == {"injections": []}


def test_an_injection_is_found_in_the_list_and_from_its_memory(stored: Program) -> None:
    """S7: from a memory to when it was shown, and from there to everything that was shown with it."""
    stored.ok("inject", "run the integration tests", "--run", "r1", "--agent", "claude")
    stored.ok("inject", "integration tests fail", "--run", "r2")
    listed = stored.ok("inject", "--list")["injections"]
    assert [(i["number"], i["run"], i["agent"], i["memories"]) for i in listed] == [
        (2, "r2", "", 1),
        (1, "r1", "claude", 1),
    ]
    assert [i["number"] for i in stored.ok("inject", "--list", "--run", "r1")["injections"]] == [1]
    assert [i["number"] for i in stored.ok("inject", "--list", "--limit", "1")["injections"]] == [2]
    assert "No injection matches." in stored("inject", "--list", "--agent", "nobody").text
    for words in (("why", "db"), ("history", "db")):
        assert [item["number"] for item in stored.ok(*words)["injections"]] == [2, 1]
        assert "tests': tenure inject --replay 1" in stored(*words).text
    table = stored("inject", "--list").text.splitlines()
    assert table[0].split() == ["NUMBER", "WHEN", "AGENT", "RUN", "SHOWN", "FOR"]
    assert table[2].split()[:5] == ["1", "2026-04-03T14:00:00Z", "claude", "r1", "1"]


def test_a_replay_prints_the_block_and_what_to_know_about_it(stored: Program) -> None:
    """Issue 7: rebuilt, with why as recorded and what changed since in plain words."""
    block = stored("inject", "run the integration tests", "--run", "r1", "--agent", "claude").text
    stored.ok("edit", "db", "--text", "Run make database first")
    page = stored("inject", "--replay", "1").text
    assert page.splitlines()[1:4] == block.splitlines()[1:4]
    assert "Injection 1: shown 2026-04-03T14:00:00Z to claude in run r1 for 'run the integration tests'." in page
    assert "exactly what was shown" in page and "coverage +" in page and "db (version 1, full)" in page
    assert "since then: edited on 2026-04-03" in page
    assert stored("inject", "--replay").text.splitlines()[1:] and stored("inject", "--replay", "last").status == 0


@pytest.mark.parametrize(
    "words",
    [
        ("--replay", "what was that"),
        ("--replay", "-1"),
        ("--replay", "9" * 30),
        ("--replay", "1", "--limit", "3"),
        ("--list", "a query"),
        ("--list", "--replay"),
        ("--list", "--budget", "5"),
    ],
)
def test_looking_back_with_what_makes_no_sense_is_refused(stored: Program, words: tuple[str, ...]) -> None:
    """What would be left unanswered is refused, and nothing is injected."""
    done = stored("inject", *words)
    assert done.status == 2 and done.errors and stored.ok("inject", "--list") == {"injections": []}


def test_a_number_nobody_gave_is_an_unknown_one(stored: Program) -> None:
    """The same error as for an id that does not exist, and where to look."""
    done = stored("--json", "inject", "--replay", "7")
    assert done.error["code"] == "UNKNOWN_ID" and "no injection 7" in done.error["message"]
    assert "--list" in stored("inject", "--replay", "7").errors


def test_an_option_without_its_value_names_the_commands_help(program: Program) -> None:
    """Seen: it said `Try: tenure --help`, where nothing is said of the option."""
    assert b"Try: tenure inject --help" in program("inject", "--files").err
