"""Rules a person states in passing are found; orders for the moment, questions and code are not."""

from __future__ import annotations

import pytest

from tenure.capture.reading import Answer, Session
from tenure.capture.reproach import is_reproach
from tenure.capture.stated import MOST_PER_SESSION, stated
from tenure.capture.transcripts import Turn


@pytest.mark.parametrize(
    ("said", "rule"),
    [
        ("No, use tabs instead of spaces.", "Use tabs instead of spaces"),
        ("Always run the linter before you commit", "Always run the linter before you commit"),
        ("never push to main", "Never push to main"),
        ("Wait, actually, don't mock the database in these tests.", "Don't mock the database in these tests"),
        ("Looks good. From now on write commit messages in English!", "From now on write commit messages in English"),
        ("Remember that staging has no GPU", "Staging has no GPU"),
        ("we use pnpm, not npm", "We use pnpm, not npm"),
        ("You must keep the public API stable.", "You must keep the public API stable"),
    ],
)
def test_a_stated_rule_is_found(said: str, rule: str) -> None:
    """Issue 8: outcomes without a model; our own choice of words."""
    assert [found.text for found in stated(Session("s", "h", "", [Turn("user", said)]))] == [rule]


@pytest.mark.parametrize(
    "said",
    [
        "use the file I gave you",
        "Don't worry about it now",
        "should we always use tabs?",
        "```\nnever do this in code\n```",
        "The user always sees the old page",
        "never",
        "fix the failing test",
        "always " + "x" * 400,
        "",
    ],
)
def test_an_order_for_the_moment_is_not(said: str) -> None:
    """The store must not fill with junk."""
    assert stated(Session("s", "h", "", [Turn("user", said)])) == []


def test_the_agents_own_words_are_not_a_rule() -> None:
    """Decision 12: we never learn from ourselves."""
    assert stated(Session("s", "h", "", [Turn("assistant", "Always run the linter before you commit")])) == []


def test_one_session_gives_a_rule_once_and_only_so_many() -> None:
    """A session cannot flood the store."""
    turns = [Turn("user", f"Always check number {n} twice") for n in range(100)] * 2
    assert len(stated(Session("s", "h", "", turns))) == MOST_PER_SESSION


def test_a_run_nobody_sat_at_asks_for_nothing() -> None:
    """Issue 16: turns of headless runs prove nothing, so nothing of them is live at once."""
    turns = [Turn("user", "From now on, write commit messages in English")]
    assert [rule.explicit for rule in stated(Session("s", "h", "", turns))] == [True]
    assert [rule.explicit for rule in stated(Session("s", "h", "", turns, headless=True))] == [False]


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        ("Yes", ""),
        ("Separate top-level section", ""),
        ("hmm, not sure, this depends on how the sharing is done here", ""),
        ("You're in a VM, so do not use docker there; the host runs it.", "You're in a VM, so do not use docker there"),
    ],
)
def test_a_typed_answer_that_rules_something_out_is_the_persons_word(answer: str, text: str) -> None:
    """Issue 16: answers to the agent's own questions; an option that was picked says too little by itself."""
    session = Session("s", "h", "", [], [Answer("Should I open Docker?", answer, "", 0)])
    assert [rule.text for rule in stated(session)] == ([text] if text else [])


@pytest.mark.parametrize(
    ("said", "reproach"),
    [("No, that's wrong", True), ("Revert that", True), ("I said tabs", True), ("Nothing else", False), ("ok", False)],
)
def test_a_reproach_is_told_from_a_remark(said: str, reproach: bool) -> None:
    """Our own choice."""
    assert is_reproach(said) is reproach
