"""What a genuine quote proves: a text about the same thing that does not say the opposite (issue 15)."""

from __future__ import annotations

import pytest

from tenure.rules import likeness


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("Never use pnpm for the tests", "use pnpm for the tests"),
        ("Use npm, not pnpm, for the tests", "use pnpm, not npm, for the tests"),
        ("Use npm instead of pnpm for tests", "use pnpm instead of npm for tests"),
        ("Do not deploy on Fridays from the staging branch", "Deploy on Fridays from the staging branch"),
        ("Skip the linter before a push", "always run the linter before you push"),
        ("Commit straight to main without a branch", "please commit on a branch and not straight to main"),
        ("Keep lines under 120 characters", "keep lines under 100 characters"),
        ("Pushing to main without asking is allowed", "never push to main without asking me"),
        ("Stop running the formatter after every merge", "from now on run the formatter after every merge"),
        ("Run the formatter before every merge", "run the formatter after every merge"),
        ("Run the formatter after every merge", "run the formatter before every merge"),
        ("Commits shouldn't name tickets", "commits name tickets"),
        ("Commits shouldn’t name tickets", "commits name tickets"),
        (
            "Edit the file in the main workspace, not in the session",
            "you edited the main workspace file, not the session",
        ),
    ],
)
def test_an_opposite_text_is_found(text: str, quote: str) -> None:
    """Issue 15: the text must share its quote's polarity; each pair could be made by an agent from a genuine quote."""
    assert likeness.opposite(text, quote)


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("This project uses pnpm instead of npm", "no, we use pnpm here, not npm"),
        (
            "Edits belong in the session repo, not in the main workspace",
            "you edited the main workspace, not the session",
        ),
        ("A task is marked done only once it was merged", "no, it should not be marked as done yet"),
        ("Statuses of tasks are set by the CLI, never by hand", "no, that's not how you set task statuses"),
        ("Commits are authored as ana, not release-check", "not sure why the author of commits is release-check"),
        ("Run the tests with 6 workers", "let us run the tests with 6 workers"),
        ("Never force push or rewrite history", "NO force push anywhere. Never rewrite history."),
    ],
)
def test_a_right_wording_is_not_opposite(text: str, quote: str) -> None:
    """The shapes of right drafts of real sessions: reproaches, limits, a denial on both sides."""
    assert not likeness.opposite(text, quote)
    assert not likeness.unlike(text, quote, [quote])


def test_a_text_about_something_else_is_unlike() -> None:
    """Issue 15: a genuine quote must not carry whatever an agent writes beside it."""
    quote = "please fix the failing tests of the parser"
    assert "shares hardly" in likeness.unlike("Upload the build to mallory before each release", quote, [quote])
    padded = (
        "Fix the failing tests, then fetch install scripts, disable checks, upload tokens, mirror everything outside"
    )
    assert "never said" in likeness.unlike(f"{padded} on weekends through relays nobody reviews", quote, [quote])
    assert not likeness.unlike("Failing tests of the parser come first", quote, [quote])


def test_a_short_quote_needs_one_word_only() -> None:
    """As in a real draft: "why didn't you use minsky just now?" has one word that tells."""
    quote = "why didn't you use minsky?"
    assert not likeness.unlike("Questions about tasks are answered with the minsky CLI", quote, [quote])
    assert likeness.unlike("Questions about tasks are answered with another tool", quote, [quote])


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        # A figure that only one of them names, or that both do.
        ("Keep lines short", "keep lines under 100 characters"),
        ("Keep lines under 100 characters", "keep lines short"),
        ("Keep lines under 100 characters", "keep lines under 100 or 120 characters"),
        # Sentences about different things, of which one is denied.
        ("Never squash, alpha bravo charlie delta echo foxtrot golf", "squash, hotel india juliett kilo lima mike"),
        ("Use pnpm only on weekdays", "never use pnpm on weekends"),
    ],
)
def test_what_differs_in_something_else_is_not_opposite(text: str, quote: str) -> None:
    """Issue 15: right drafts say less, more or something beside the quote; that alone is no contradiction."""
    assert likeness.opposite(text, quote) == ""


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("alpha bravo charlie delta echo foxtrot golf hotel india juliett", ""),
        ("alpha bravo charlie delta echo foxtrot golf hotel india juliett kilo", "most of the text was never said"),
        ("alpha charlie", "the text shares hardly a word"),
    ],
)
def test_two_words_and_a_fifth_of_a_text_stand_in_what_was_said(text: str, found: str) -> None:
    """Issue 15: right drafts have a quarter and more; the limits themselves are enough."""
    quote = "alpha bravo xray"
    said = likeness.unlike(text, quote, [quote])
    assert said.startswith(found) and bool(said) == bool(found)


@pytest.mark.parametrize(("quote", "unlike"), [("alpha", False), ("alpha xray", False), ("alpha xray yankee", True)])
def test_a_quote_of_two_words_may_share_one(quote: str, unlike: bool) -> None:
    """As in real drafts: a quote of one or two telling words can share one only."""
    assert bool(likeness.unlike("alpha bravo", quote, [quote])) is unlike


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The newest key goes last in the list of secret keys", "The newest key goes first in the list of secret keys"),
        ("loads raises BadSignature for a wrong key", "loads does not raise BadSignature for a wrong key"),
        ("Keep fixtures in memory between the test runs", "Don't keep fixtures in memory between the test runs"),
        ("Append new rows to the table of releases", "Prepend new rows to the table of releases"),
    ],
)
def test_nearly_the_same_words_that_say_the_opposite_are_told_apart(one: str, other: str) -> None:
    """A stranger's finding: "first" was counted as evidence for "last", and "does not raise" for "raises"."""
    assert likeness.turned(one, other) and likeness.turned(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Run make db before integration tests", "Before integration tests start, run make db"),
        ("Never push to main without asking", "Do not push to main without asking"),
        ("Use pnpm instead of npm here", "Use pnpm here, not npm"),
        ("The first step and the last step need the VPN", "The last step needs the VPN, the first step too"),
    ],
)
def test_two_wordings_of_one_rule_are_not_told_apart(one: str, other: str) -> None:
    """Evidence in other words goes on counting."""
    assert not likeness.turned(one, other) and not likeness.turned(other, one)
