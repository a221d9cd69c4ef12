"""Lines that fit a terminal."""

from __future__ import annotations

from tenure.text.wrap import wrap


def test_a_page_for_a_terminal_is_broken_between_words_and_leaves_a_diff_alone() -> None:
    """A stranger's finding: at 80 columns the terminal broke the page's lines in the middle of words."""
    told = "\x1b[31m      AGENTS.md:150\x1b[0m  " + "calculateOptimal is elsewhere " * 6
    diff = "  +" + "word " * 40
    *lines, last = wrap(f"short\n{told.rstrip()}\n{diff}", 80).split("\n")
    assert last == diff
    assert lines[0] == "short"
    assert lines[1].startswith("\x1b[31m      AGENTS.md:150\x1b[0m  calc")
    assert len(lines) > 3
    assert all(len(line.replace("\x1b[31m", "").replace("\x1b[0m", "")) <= 80 for line in lines)
    assert " ".join(" ".join(lines[1:]).split()) == " ".join(told.split())


def test_a_line_that_fits_and_a_word_that_never_does_stay_as_they_are() -> None:
    """A choice of our own: a path that is cut cannot be copied."""
    path = "/home/ana/" + "deep/" * 20
    assert wrap("x" * 80, 80) == "x" * 80
    assert wrap(f"It is {path} and", 80).split("\n") == ["It is", f"    {path}", "    and"]


def test_the_rest_of_an_indented_line_stands_further_in() -> None:
    """A choice of our own: what belongs together is seen at a glance."""
    assert wrap("  checks  " + "ab " * 5, 16).split("\n") == ["  checks  ab ab", "      ab ab ab"]
