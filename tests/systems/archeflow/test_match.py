"""Keywords and overlap, as the script defines them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tenure.systems.archeflow.match import Index, keywords, overlap, tags


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("NULL-check!! missing_in: API/handlers v2", {"null", "check", "missing", "api", "handlers"}),
        ("Händler", {"ndler"}),
        ("at or in", set()),
        ("K\u212aK\u212aKK", set()),
        ("", set()),
    ],
)
def test_keywords_are_ascii_words_of_three_or_more(words: str, found: set[str]) -> None:
    """The script: lower-case A-Z only, split on everything else, no stop words."""
    assert keywords(words, 3) == found


def test_tags_are_the_first_five_longer_words_with_repetitions() -> None:
    """Recorded case extract-newline-in-description."""
    words = "first line of finding\nsecond line of finding"
    assert tags(words, 4, 5) == ["first", "line", "finding", "second", "line"]


@pytest.mark.parametrize(
    ("first", "second", "percent"),
    [("a b", "a b c d", 100), ("a b c d", "a b", 50), ("a b c", "a", 33), ("", "a", 0), ("a", "", 0)],
)
def test_overlap_is_a_share_of_the_first_text_rounded_down(first: str, second: str, percent: int) -> None:
    """Recorded cases extract-denominator-asymmetry and extract-truncation-49."""
    assert overlap(set(first.split()), set(second.split())) == percent


WORDS = st.frozensets(st.sampled_from("abcdefgh"), max_size=5)


@given(WORDS, st.lists(WORDS, max_size=8), st.integers(1, 100))
def test_the_index_finds_what_a_walk_in_file_order_finds(
    wanted: frozenset[str], texts: list[frozenset[str]], percent: int
) -> None:
    """The script walks the lessons in file order and the first match wins; the index only makes it fast."""
    index = Index()
    for position, text in enumerate(texts):
        index.add(position, text)
    walked = (position for position, text in enumerate(texts) if overlap(wanted, text) >= percent)
    assert index.first(wanted, percent) == next(walked, None)
