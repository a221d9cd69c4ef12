"""What stands around a turn of the person's, and what it adds to how a sentence is weighed."""

from __future__ import annotations

import pytest

from tenure.capture import lasting
from tenure.capture.transcripts import Call, Turn
from tenure.capture.turn_surroundings import NOTHING, Around, around

SAID = "we use fixtures in the tests"


def signs(found: Around, said: str = SAID) -> set[str]:
    return {name for name in lasting.signs_of(said, lasting.Place(0, 1, said, found)) if not name.startswith("word: ")}


def test_a_turn_knows_the_edit_before_it_and_the_answer_after_it() -> None:
    """Issue 16: structural signs, which work in any language."""
    turns = [
        Turn("user", "add a test"),
        Turn("assistant", "Done.", calls=(Call("Edit", {"file_path": "a.py"}),)),
        Turn("user", SAID),
        Turn("assistant", "You're right.", calls=(Call("Write", {"file_path": "CLAUDE.md"}),)),
        Turn("user", "thanks"),
    ]
    first, second, third = (found for _, found in around(turns))
    assert (first.number, first.edited, second.edited) == (1, False, True)
    assert (second.answer.strip(), second.calls, second.rules_file) == ("You're right.", 1, True)
    assert (third.number, third.answer, third.rules_file) == (3, "", False)


def test_a_call_that_the_person_stopped_is_known() -> None:
    stopped = Call("Bash", {"command": "git push"})
    stopped.interrupted = True
    [(_, found)] = around([Turn("tool", "", calls=(stopped,)), Turn("user", SAID)])
    assert found.interrupted
    assert "after a stop" in signs(found)


@pytest.mark.parametrize(
    ("answer", "sign"),
    [
        ("You're absolutely right, I'll change it.", "the agent agrees"),
        ("Tienes razón, lo cambio.", "the agent agrees"),
        ("Understood.", "the agent understood"),
        ("Changed. From now on I ask first.", "the agent promises"),
        ("I add it to the rules of this project.", "the agent speaks of rules"),
        ("Which of them do you mean?", "the agent asks"),
        ("So we use fixtures in the tests.", "the agent repeats it"),
    ],
)
def test_how_the_agent_takes_a_turn_is_a_sign(answer: str, sign: str) -> None:
    """Fitted on real sessions: an agent that agrees or promises had been told a rule more often."""
    assert sign in signs(Around(2, answer=answer))
    assert sign not in signs(Around(2, answer="Done."))


def test_an_agent_that_agrees_and_writes_rules_makes_a_sentence_weigh_more() -> None:
    place = lasting.Place(0, 1, SAID, Around(2, answer="You're right, it is a rule now.", rules_file=True))
    assert lasting.weigh(SAID, place).score > lasting.weigh(SAID, place._replace(around=Around(2))).score


def test_nothing_is_read_out_of_a_session_that_is_not_known() -> None:
    """A reason that was typed with a refused call comes without its turns."""
    assert not {name for name in signs(NOTHING) if "agent" in name and name != "speaks of the agent"}


def test_what_the_agent_says_is_never_a_word_of_the_sentence() -> None:
    found = lasting.signs_of(SAID, lasting.Place(0, 1, SAID, Around(2, answer="Never push to production")))
    assert {"word: never", "word: production"}.isdisjoint(found)
