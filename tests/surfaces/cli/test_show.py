"""`list` and `status`: what is in use apart from what waits, in the order asked for, and the week."""

from __future__ import annotations

from typing import Any

import pytest
from tests.program import Program

TEXTS = ("Run make db before the tests", "Deploy from the release branch", "Never edit generated files")


@pytest.fixture
def filled(program: Program) -> Program:
    for id, text in zip("abc", TEXTS, strict=True):
        program.ok("add", text, "--id", id, TENURE_NOW=f"2026-04-0{3 - 'abc'.index(id)}T00:00:00Z")
    program.ok("log", "c", "--effect", "positive", "--task", "T-1")
    program("capture", "-", stdin=b'{"text": "Use the staging bucket for uploads"}\n')
    return program


def ids(program: Program, *words: str) -> list[str]:
    return [memory["id"] for memory in program.ok("list", "--phase", "live", *words)["memories"]]


@pytest.mark.parametrize(("order", "expected"), [("written", "abc"), ("use", "cab"), ("age", "cba"), ("state", "abc")])
def test_a_list_comes_in_the_order_asked_for(filled: Program, order: str, expected: str) -> None:
    """Issue 17: sorts by use, age, state."""
    assert "".join(ids(filled, "--sort", order)) == expected


def test_what_is_in_use_stands_apart_from_what_waits(filled: Program) -> None:
    """Issue 17: separates what is live from what waits."""
    text = filled("list").text
    live, _, waits = text.partition("Waiting for evidence or for you")
    assert live.startswith("In use\n")
    assert all(known in live for known in TEXTS)
    assert "staging bucket" in waits


def test_a_long_list_comes_in_pages(filled: Program) -> None:
    """Issue 17: pages."""
    found = filled.ok("list", "--limit", "3", "--page", "2")
    assert (len(found["memories"]), found["page"], found["total"]) == (1, 2, 4)
    assert "4 to 4 of 4." in filled("list", "--limit", "3", "--page", "2").text
    assert filled("list", "--limit", "3", "--page", "3").status == 2


def test_a_kind_that_is_none_is_an_error(filled: Program) -> None:
    """Issue 17: `list --kind foo` is an error."""
    done = filled("list", "--kind", "foo")
    assert (done.status, "lesson" in done.errors) == (2, True)
    assert filled("list", "--kind", "lesson").status == 0


@pytest.mark.parametrize("words", [("list",), ("policy",), ("status",)])
def test_a_frozen_clock_that_is_no_time_is_an_error(program: Program, words: tuple[str, ...]) -> None:
    """Issue 17: `TENURE_NOW=garbage` is an error, whether or not the command looks at the clock."""
    done = program(*words, TENURE_NOW="garbage")
    assert (done.status, "TENURE_NOW" in done.errors) == (2, True)


def test_status_says_what_waits_and_what_the_week_brought(program: Program) -> None:
    """Issue 17: what waits, what was learned and shown this week."""
    now: dict[str, Any] = {"TENURE_NOW": "2026-04-09T00:00:00Z"}
    program.ok("add", TEXTS[0], TENURE_NOW="2026-04-01T00:00:00Z")
    program.ok("add", TEXTS[1], TENURE_NOW="2026-04-08T00:00:00Z")
    program.ok("capture", "-", stdin=b'{"text": "Use the staging bucket for uploads"}\n', **now)
    found = program.ok("status", **now)
    assert (found["undecided"], found["learned_this_week"], found["shown_this_week"]) == (1, 2, 0)
    assert program.ok("inject", "why do the tests fail without make db?", **now)["memories"]
    text = program("status", **now).text
    assert "1 waits for you to decide: tenure review" in text
    assert "This week: 2 learned, 1 shown to agents in 1 prompt." in text


@pytest.mark.parametrize("words", [("list",), ("search", "x"), ("status",), ("export", "out.jsonl")])
def test_a_named_store_that_does_not_exist_is_not_an_empty_one(program: Program, words: tuple[str, ...]) -> None:
    """Issue 17: a typing error in a path must not read as nothing learned; the first write still makes a store."""
    done = program("--store", "sqlite:nowhere/memory.db", *words)
    assert (done.status, "no store at" in done.errors) == (5, True)
    assert program(*words, TENURE_STORE="sqlite:nowhere/memory.db").status == 5
    assert not (program.folder / "out.jsonl").exists()
    assert program(*words).status == 0
    program.ok("--store", "sqlite:nowhere/memory.db", "add", "Run make db")
    assert program("--store", "sqlite:nowhere/memory.db", *words).status == 0


def test_one_run_is_counted_as_one(program: Program) -> None:
    """A stranger's finding: "1 runs seen"."""
    program.ok("capture", "-", "--run", "monday", stdin=b'{"text": "Deploys need the VPN"}')
    assert ", 1 run seen." in program("status").text


@pytest.mark.parametrize(
    ("words", "status", "next_step"),
    [
        (("install",), 2, "Name one of: claude-code"),
        (("policy", "nosuch"), 2, "`tenure policy` lists every key."),
        (("import", "nowhere.jsonl"), 2, "Check the path."),
        (("export", "nowhere/out.jsonl"), 5, "Name a file in a folder that you can write to."),
        (("--store", "nowhere", "list"), 2, "sqlite:nowhere"),
        (("log", "db", "--effect", "postive"), 2, "Did you mean positive?"),
    ],
)
def test_a_mistyped_command_says_what_to_do_next(
    words: tuple[str, ...], status: int, next_step: str, program: Program
) -> None:
    """A stranger's finding: each of these was refused without a word of what would work."""
    program.ok("add", "Run make db before the tests", "--id", "db")
    done = program(*words)
    assert (done.status, next_step in done.errors) == (status, True), done.errors


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("list", "--page", "2"), "--page needs --limit"),
        (("audit", "--sessions", "x.jsonl"), "--sessions needs --obeyed"),
        (("audit", "--min-confidence", "0.9"), "--min-confidence needs --fix"),
        (("audit", "--json", "--format", "sarif"), "--json and --format sarif are two answers"),
        (("review", "a", "--keep", "--drop"), "--keep, --drop and --decision are verdicts: give one"),
        (("review", "a", "--keep", "--decision", "reject", "--by", "me"), "are verdicts: give one"),
    ],
)
def test_an_option_that_would_be_ignored_is_refused(filled: Program, words: tuple[str, ...], told: str) -> None:
    """A reader's finding: each of these was ignored without a word, or blamed on the terminal."""
    answer = filled(*words)
    assert (answer.status, told in answer.errors) == (2, True)
