"""Limits: one thing is given two limits that do not fit together."""

from __future__ import annotations

import pytest

from tenure.rules import limits


def differ(one: str, other: str) -> str | None:
    return next((why for a in limits.of(one) for b in limits.of(other) if (why := limits.differ(a, b))), None)


@pytest.mark.parametrize(
    ("one", "other", "why"),
    [
        ("Line length: 100 characters max", "Keep lines under 80 chars", "one says 100 characters, the other 80 chars"),
        ("Lines are at most 88 columns", "Lines have 100 chars", "one says 88 columns, the other 100 chars"),
        ("Coverage must stay at 100%", "Test coverage of 80 percent is enough", "one says 100%, the other 80 percent"),
        ("Logs leave after 30 days", "Logs leave after 1,440 days", "one says 30 days, the other 1,440 days"),
        ("Functions stay under 30 lines", "Functions have at least 40 lines", "one says 30 lines, the other 40 lines"),
    ],
)  # fmt: skip
def test_two_limits_of_one_thing_are_found_in_any_words(one: str, other: str, why: str) -> None:
    """Issue 18: true contradictions in natural words are found; the first pairs are a stranger's."""
    assert differ(one, other) == why


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Functions have at least 3 lines", "Functions have at most 50 lines"),
        ("Titles have 50 characters", "Descriptions have 160 characters"),
        ("Wait 5 seconds before a retry", "Wait 10 seconds for the server"),
        ("Sessions expire after 30 minutes", "Sessions expire after 2 hours"),
        ("Lines have 80 characters", "Lines have 80 columns"),
        ("Lines have 80 to 100 characters: 80 characters in docs, 100 characters in code", "Lines have 88 characters"),
        ("At most 80%", "At most 90%"),
        ("Fast costs 10 credits", "Fast costs 20 credits"),
        ("v2.100 lines up", "Lines have 80 characters"),
    ],
)
def test_limits_of_other_things_or_that_fit_together_agree(one: str, other: str) -> None:
    """Issue 18: contradictions only between memories about the same thing."""
    assert differ(one, other) is None
    assert differ(other, one) is None
