"""The one ordering of what waits for a person."""

from __future__ import annotations

import pytest

from tenure.model.memory import Memory
from tenure.rules import worth
from tests.specimens import NOW, days, specimen

WAITS = {"state": "candidate", "trust": "model"}
HELD = {"state": "under_review", "previous_state": "stable", "trust": "model"}

# What comes first, what comes after it, and why (our choice).
PAIRS = [
    pytest.param(HELD, {**WAITS, "trust": "user"}, id="under-review-before-what-a-person-said"),
    pytest.param({**WAITS, "conflicts": ("m-x",)}, {**WAITS, "trust": "user"}, id="a-contradiction-too"),
    pytest.param({**WAITS, "trust": "user"}, {**WAITS, "evidence_count": 9}, id="a-person-before-many-runs"),
    pytest.param({**WAITS, "trust": "tool"}, {**WAITS, "trust": "external"}, id="a-tool-before-the-web"),
    pytest.param(
        {**WAITS, "evidence_count": 3}, {**WAITS, "evidence_count": 2, "reuse_count": 9}, id="runs-before-uses"
    ),
    pytest.param(
        {**WAITS, "reuse_count": 2}, {**WAITS, "reuse_count": 1, "confidence": 90}, id="uses-before-certainty"
    ),
    pytest.param({**WAITS, "confidence": 60}, {**WAITS, "confidence": 40}, id="certain-before-uncertain"),
    pytest.param({**WAITS, "updated_at": NOW + days(1)}, {**WAITS, "updated_at": NOW}, id="newer-before-older"),
    pytest.param({**WAITS, "id": "m-a"}, {**WAITS, "id": "m-b"}, id="else-by-id-so-that-it-never-jumps"),
]


@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_what_a_verdict_is_worth_most_for_comes_first(first: dict[str, object], second: dict[str, object]) -> None:
    """Our choice, as a table: what is stuck, then a person's word, then runs, uses, certainty and age."""
    pair: list[Memory] = [specimen(**second), specimen(**first)]
    assert sorted(pair, key=worth.place) == pair[::-1]


def test_a_person_s_own_words_count_as_theirs_whoever_wrote_them_down() -> None:
    """Our choice: a candidate that quotes the person is as near to them as what they stated."""
    quoted, tool = specimen(**WAITS), specimen(**{**WAITS, "trust": "repository"})
    assert worth.place(quoted, quoted=True) < worth.place(tool)
    assert worth.place(quoted) > worth.place(tool)
