"""`tenure effect` as a person reads it: docs/effect.md asks five questions, and the output must answer them."""

from __future__ import annotations

import pytest
from tests.program import Program

from tenure.store import open_store
from tenure.store.records import Exposed, SessionOutcome
from tenure.surfaces.cli import effect

EARLY, LATE = "2026-03-02T09:00:00Z", "2026-03-02T10:00:00Z"


def lived(program: Program, arms: list[tuple[bool, bool]]) -> None:
    """Write down sessions, each with whether the memory was shown and whether trouble followed."""
    store = open_store(program.folder / ".tenure" / "memory.db", "sqlite")
    for number, (shown, trouble) in enumerate(arms):
        store.effects.expose(
            [
                Exposed(
                    session=f"s{number}", memory="run", at=EARLY, shown=shown, share=0.5, surface="prompt",
                    host="codex", kind="lesson",
                )
            ]
        )  # fmt: skip
        when = LATE if trouble else None
        outcome = SessionOutcome(session=f"s{number}", at=LATE, host="codex", corrections=int(trouble), trouble_at=when)
        store.effects.conclude(outcome)
    store.close()


@pytest.fixture
def measured(program: Program) -> Program:
    program.ok("add", "Run the migrations before the tests", "--kind", "lesson", "--id", "run")
    program.ok("effect", "start", "--stated")
    return program


def test_starting_says_what_it_costs_and_what_is_spared(program: Program) -> None:
    """Effect issue: opt-in, and the price is said first."""
    program.ok("add", "Run the migrations before the tests", "--id", "run")
    said = program("effect", "start").text
    for part in (
        "about half",
        "one in five",
        "one in twenty",
        "constraints, guards, canonical",
        "security",
        "--stated",
    ):
        assert part in said


@pytest.mark.parametrize(
    ("arms", "answer"),
    [
        ([(True, False), (False, True)] * 12, "Yes, it helps"),
        ([(True, True), (False, False)] * 12, "No, it hurts"),
        ([(True, False), (False, True)] * 2, "Cannot tell yet (about "),
        ([], "Cannot tell yet"),
    ],
)
def test_the_first_line_answers_the_question(measured: Program, arms: list[tuple[bool, bool]], answer: str) -> None:
    lived(measured, arms)
    assert measured("effect").text.splitlines()[0].startswith(f"Does memory help here? {answer}")


def test_the_output_answers_five_questions(measured: Program) -> None:
    """docs/effect.md: whether, how long, what was compared, which way it looks, what it cost."""
    lived(measured, [(True, False), (False, True)] * 2 + [(True, True)])
    said = measured("effect").text
    assert "Cannot tell yet (about " in said and "more sessions)" in said
    assert "shown:      trouble in 1 of 3 cases (33 %)" in said
    assert "held back:  trouble in 2 of 2 cases (100 %)" in said
    assert "Best estimate: trouble is " in said and "percentage points rarer when a memory is shown" in said
    assert "The true difference lies between" in said and "95 % confidence, however often you look" in said
    assert "The price: a memory was held back in 2 of 5 cases" in said
    # Never a p-value, nor an interval for one memory alone.
    alone = measured("effect", "run").text
    assert "The true difference lies between" not in alone and " p " not in said + alone


def test_a_stranger_is_told_what_a_time_is(measured: Program) -> None:
    """A stranger's finding: "0 of 7 times" did not say times of what."""
    lived(measured, [(True, False), (False, True)])
    assert "A case is one memory in one session" in measured("effect").text
    assert "of 1 sessions" in measured("effect", "run").text


def test_what_is_no_longer_measured_needs_no_more_sessions(measured: Program) -> None:
    """A stranger's finding: after `effect stop` the first line went on to count the sessions still to come."""
    lived(measured, [(True, False), (False, True)] * 2)
    measured.ok("effect", "stop")
    for words in ((), ("run",)):
        said = measured("effect", *words).text
        assert "more sessions" not in said and "Cannot tell from what was measured" in said
    assert "Measuring is off; 4 sessions were measured before." in measured("effect").text
    measured.ok("effect", "start")
    assert "more sessions" in measured("effect").text


def test_one_memory_and_every_session_can_be_asked_for(measured: Program) -> None:
    lived(measured, [(True, False), (False, True)])
    answer = measured.ok("effect", "run", "--sessions")
    assert [(one["shown"], one["held"], one["trouble"]) for one in answer["each_session"]] == [
        (0, 1, True),
        (1, 0, False),
    ]
    assert "WHAT HAPPENED" in measured("effect", "--sessions").text


@pytest.mark.parametrize(
    ("words", "status"),
    [
        (("a", "b"), 2),
        (("nobody",), 2),
        (("stop", "--stated"), 2),
        (("--publish", "x.json"), 3),
        (("start", "run"), 2),
        (("stop", "--sessions"), 2),
        (("run", "--publish", "x.json"), 2),
        (("start", "--merge", "x.json"), 2),
        (("--merge", "x.json", "--publish", "y.json"), 2),
        (("--merge", "x.json", "./x.json"), 2),
        (("--merge", "x.json", "--signer", "me"), 2),
        (("--unsigned",), 2),
        (("--block",), 2),
    ],
)
def test_what_makes_no_sense_is_refused(measured: Program, words: tuple[str, ...], status: int) -> None:
    assert measured("--json", "effect", *words).status == status


def test_counts_are_published_and_merged(measured: Program) -> None:
    lived(measured, [(True, False), (False, True)] * 3)
    measured.ok("effect", "--publish", "mine.json")
    (measured.folder / "broken.json").write_text("{}")
    merged = measured.ok("effect", "--merge", "mine.json", "broken.json", "--unsigned")
    assert (merged["people"], merged["sessions"], len(merged["left_out"])) == (1, 6, 1)
    assert "1 store, 6 sessions. Cannot tell yet." in measured("effect", "--merge", "mine.json", "--unsigned").text
    assert "0 stores, 0 sessions. Cannot tell: no file counts." in measured("effect", "--merge", "broken.json").text


def test_nothing_held_back_yet_is_no_cost(measured: Program) -> None:
    """A stranger read "It cost that 0 of 0 times a memory was held back"."""
    measured.ok("effect", "start")
    assert "0 of 0 times a memory" not in measured("effect").text


def test_nothing_measured_says_how_to_begin(program: Program) -> None:
    program.ok("add", "Run the migrations before the tests")
    assert "tenure effect start" in program("effect").text


def test_starting_says_what_can_be_measured_and_that_it_runs_already(program: Program) -> None:
    """A stranger's finding: only `tenure effect` said, later, that none of the memories could be measured."""
    program.ok("add", "Run the migrations before the tests", "--id", "run")
    first = program("effect", "start")
    assert "0 of 1 memories in use can be measured" in first.text + first.err.decode()
    assert "already" not in first.text
    assert "Measuring is already on, since " in program("effect", "start").text


def test_stopping_promises_no_result_where_nothing_was_measured(measured: Program) -> None:
    """A stranger's finding: "What was measured stays: tenure effect", which then printed that there was nothing."""
    assert "No session was measured." in measured("effect", "stop").text
    measured.ok("effect", "start")
    lived(measured, [(True, False), (False, True)])
    assert "The results so far are kept: tenure effect" in measured("effect", "stop").text


def test_an_agent_that_is_not_known_is_called_so() -> None:
    """A stranger read "unknown: memories cost about 16 tokens"."""
    assert "agent unknown: memories cost about 16 tokens" in effect._cost("unknown", 16, 1)
