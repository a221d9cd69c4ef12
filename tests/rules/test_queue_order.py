"""The one ordering of what waits for a person."""

from __future__ import annotations

from datetime import datetime, timedelta

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tenure.model import clock
from tenure.model.memory import Memory, Queued
from tenure.rules import queue_order
from tests.specimens import NOW, POLICY, days, policy, specimen

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
    assert sorted(pair, key=queue_order.place) == pair[::-1]


def test_a_person_s_own_words_count_as_theirs_whoever_wrote_them_down() -> None:
    """Our choice: a candidate that quotes the person is as near to them as what they stated."""
    quoted, tool = specimen(**WAITS), specimen(**{**WAITS, "trust": "repository"})
    assert queue_order.place(quoted, quoted=True) < queue_order.place(tool)
    assert queue_order.place(quoted) > queue_order.place(tool)


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
    assert any(reason in why for why in queue_order.why_due(memory, POLICY, NOW))


def test_a_memory_in_good_order_waits_for_nobody() -> None:
    assert queue_order.why_due(specimen(), POLICY, NOW) == []


def test_a_candidate_with_one_sighting_is_offered_for_approval_without_pressing() -> None:
    """Our choice: an approval is one of its two ways up, so the queue names it."""
    assert queue_order.why_due(specimen(state="candidate"), POLICY, NOW) == ["a person's approval in tenure review"]


def test_a_place_is_decided_when_writing_and_only_the_date_is_left_open() -> None:
    """Our choice, as for every verdict: a page of the queue then reads a page, and not every memory."""
    later = queue_order.queued(specimen(review_after=NOW + days(9)), POLICY)
    assert later is not None and later.place and later.since == clock.stamp(NOW + days(9))
    now = queue_order.queued(specimen(state="candidate"), POLICY)
    assert now is not None and now.place and not now.since
    assert (now.free, now.said, now.place) == queue_order.place(specimen(state="candidate"))
    nobody = queue_order.queued(specimen(review_after=None), POLICY)
    assert nobody is not None and not nobody.place
    assert queue_order.queued(specimen(state="rejected"), POLICY) is None


def test_other_rules_have_another_number() -> None:
    """So that nobody goes by places that an earlier policy gave."""
    other = msgspec.structs.replace(POLICY, decay=msgspec.structs.replace(POLICY.decay, by_review_date=False))
    assert queue_order.rules_number(other) != queue_order.rules_number(POLICY)
    assert queue_order.rules_number(other) == queue_order.rules_number(msgspec.structs.replace(other))


MOMENTS = st.datetimes(datetime(1970, 1, 2), datetime(2100, 1, 1)).map(lambda moment: moment.replace(tzinfo=NOW.tzinfo))


@given(st.integers(0, 999_999), st.integers(0, 999_999), st.integers(0, 999_999))
def test_more_runs_come_first_however_many(one: int, other: int, uses: int) -> None:
    """Our choice: places are texts that sort, and must sort as the numbers do."""
    first, second = (queue_order.place(specimen(evidence_count=n, reuse_count=uses)) for n in (one, other))
    assert (first < second) == (one > other)


@given(MOMENTS, MOMENTS)
def test_what_changed_last_comes_first_whenever_that_was(one: datetime, other: datetime) -> None:
    first, second = (queue_order.place(specimen(updated_at=moment)) for moment in (one, other))
    assert (first < second) == (one > other)


@pytest.mark.parametrize(("less", "more"), [(0, 800_000), (999_998, 999_999), (0, 10**9), (9, 10)])
def test_counts_of_any_size_keep_the_order(less: int, more: int) -> None:
    """Our choice: what is beyond a million counts as the most."""
    assert queue_order.place(specimen(evidence_count=more)) < queue_order.place(specimen(evidence_count=less))
    assert queue_order.place(specimen(evidence_count=10**6)) == queue_order.place(specimen(evidence_count=10**9))


def test_what_comes_from_outside_names_its_origin_as_the_reason() -> None:
    """GUARANTEES S2: such a memory does not rise on evidence, so a person must know why it waits."""
    reasons = queue_order.why_due(specimen(state="candidate", evidence_count=5, trust="external"), POLICY, NOW)
    assert reasons == ["a reviewer, because its origin is external"]


@pytest.mark.parametrize(
    ("at_once", "evidence", "waits"), [(False, 2, True), (False, 1, False), (True, 2, False), (True, 1, False)]
)
def test_what_has_the_numbers_waits_where_nothing_rises_by_itself(at_once: bool, evidence: int, waits: bool) -> None:
    """`promotion.at_once = false`: `tenure promote` is a person's, so the queue names it."""
    slow = policy(promotion={"at_once": at_once})
    reasons = queue_order.why_due(specimen(state="candidate", evidence_count=evidence), slow, NOW)
    assert ("has the numbers for provisional, and waits for a promotion" in reasons) is waits


def test_where_there_is_no_ladder_nothing_waits_for_a_promotion() -> None:
    """claude-memory has no rungs: a pending memory waits for nobody, and by no date."""
    none = policy(promotion={"at_once": False, "steps": []})
    memory = specimen(state="candidate", review_after=NOW + days(3))
    assert queue_order.why_due(memory, none, NOW) == []
    assert queue_order.queued(memory, none) == Queued(False, True, 5, "", "", queue_order.rules_number(none))


def test_what_is_gone_contradicts_nobody_any_more() -> None:
    """Issue 2: contradictions are shown on what is still there."""
    assert queue_order.why_due(specimen(state="rejected", conflicts=("m-2",)), POLICY, NOW) == []


def test_where_review_dates_do_not_count_none_is_waited_for() -> None:
    """`decay.by_review_date = false`."""
    undated = policy(decay={"by_review_date": False})
    found = queue_order.queued(specimen(review_after=NOW + days(9)), undated)
    assert found == Queued(False, True, 5, "", "", queue_order.rules_number(undated))


def test_the_number_of_the_rules_is_known_from_the_first_question_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queue_order, "_known", None)
    first = queue_order.rules_number(POLICY)
    assert first == queue_order.rules_number(POLICY) > 0


@pytest.mark.parametrize(("number", "word"), [(1, "first"), (2, "second"), (3, "third"), (4, "4th"), (10, "10th")])
def test_small_numbers_are_words(number: int, word: str) -> None:
    """STYLE: a message reads as a sentence."""
    assert queue_order.ordinal(number) == word


def test_a_review_date_has_passed_only_after_it() -> None:
    """geas: passed means passed; on the moment itself it has not."""
    memory = specimen(review_after=NOW)
    assert not queue_order.overdue(memory, POLICY, NOW)
    assert queue_order.overdue(memory, POLICY, NOW + timedelta(microseconds=1))
