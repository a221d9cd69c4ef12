"""The one ordering of what waits for a person."""

from __future__ import annotations

import msgspec
import pytest

from tenure.model import clock
from tenure.model.memory import Memory
from tenure.rules import queue
from tests.specimens import NOW, POLICY, days, specimen

WAITS = {"state": "candidate", "trust": "model"}
HELD = {"state": "under_review", "previous_state": "stable", "times_held": 1, "trust": "model"}

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
    assert sorted(pair, key=queue.place) == pair[::-1]


def test_a_person_s_own_words_count_as_theirs_whoever_wrote_them_down() -> None:
    """Our choice: a candidate that quotes the person is as near to them as what they stated."""
    quoted, tool = specimen(**WAITS), specimen(**{**WAITS, "trust": "repository"})
    assert queue.place(quoted, quoted=True) < queue.place(tool)
    assert queue.place(quoted) > queue.place(tool)


@pytest.mark.parametrize(
    ("memory", "reason"),
    [
        (specimen(**HELD), "under review for the first time"),
        (specimen(state="candidate"), "approval"),
        (specimen(successful_reuses=3), "has the numbers for stable"),
        (specimen(review_after=NOW - days(1)), "has passed"),
        (specimen(conflicts=("m-2",)), "contradicts m-2"),
    ],
)
def test_the_queue_gives_a_reason(memory: Memory, reason: str) -> None:
    assert any(reason in why for why in queue.why_due(memory, POLICY, NOW))


def test_a_memory_in_good_order_waits_for_nobody() -> None:
    assert queue.why_due(specimen(), POLICY, NOW) == []


def test_a_candidate_with_one_sighting_is_offered_for_approval_without_pressing() -> None:
    """Our choice: an approval is one of its two ways up, so the queue names it."""
    assert queue.why_due(specimen(state="candidate"), POLICY, NOW) == ["a reviewer's approval, has 0"]


def test_a_place_is_decided_when_writing_and_only_the_date_is_left_open() -> None:
    """Our choice, as for every verdict: a page of the queue then reads a page, and not every memory."""
    later = queue.queued(specimen(review_after=NOW + days(9)), POLICY)
    assert later is not None and later.place and later.since == clock.stamp(NOW + days(9))
    now = queue.queued(specimen(state="candidate"), POLICY)
    assert now is not None and now.place and not now.since
    assert (now.free, now.said, now.place) == queue.place(specimen(state="candidate"))
    nobody = queue.queued(specimen(review_after=None), POLICY)
    assert nobody is not None and not nobody.place
    assert queue.queued(specimen(state="rejected"), POLICY) is None


def test_other_rules_have_another_number() -> None:
    """So that nobody goes by places that an earlier policy gave."""
    other = msgspec.structs.replace(POLICY, decay=msgspec.structs.replace(POLICY.decay, by_review_date=False))
    assert queue.rules_number(other) != queue.rules_number(POLICY)
    assert queue.rules_number(other) == queue.rules_number(msgspec.structs.replace(other))
