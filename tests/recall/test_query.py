"""A text as a query: the forms in which its words are looked for."""

from __future__ import annotations

import pytest

from tenure.recall.query import other_forms


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("ellipsis", ["ellipses"]),
        ("analyses", ["analysis"]),
        ("indices", ["index"]),
        ("child", ["children"]),
        ("wrote", ["write", "written"]),
        # Theirs are the rules of Porter, or none: `bases` are of a base, and a class is no `classis`.
        ("tests", []),
        ("bases", []),
        ("classes", []),
        ("left", []),
    ],
)
def test_a_word_has_the_forms_that_english_gives_it(word: str, expected: list[str]) -> None:
    """A stranger's finding: `search ellipsis` did not find "ellipses"; the forms are those of any dictionary."""
    assert other_forms(word) == expected
