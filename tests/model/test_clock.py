"""The only module that asks for the time."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tenure.model import clock
from tenure.model.errors import InvalidInput
from tests.specimens import NOW

MOMENTS = st.datetimes(datetime(1, 1, 2), datetime(9999, 12, 30)).map(lambda moment: moment.replace(tzinfo=UTC))


def test_tenure_now_freezes_the_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """CONTRACT: an ISO 8601 time, for tests and replays."""
    monkeypatch.setenv("TENURE_NOW", "2026-04-03T16:00:00+02:00")
    assert clock.now() == NOW


def test_the_real_clock_gives_whole_seconds_in_utc() -> None:
    now = clock.now()
    assert (now.tzinfo, now.microsecond) == (UTC, 0)


@pytest.mark.parametrize(
    "text", ["2026-04-03T14:00:00Z", "2026-04-03T14:00:00", " 2026-04-03 14:00 ", "2026-04-03T14:00:00.987+00:00"]
)
def test_times_are_read_in_the_usual_forms(text: str) -> None:
    assert clock.parse(text) == NOW


@pytest.mark.parametrize("text", ["", "yesterday", "2026-13-01", "0001-01-01T00:00:00+23:59", "\ud800", "9" * 5000])
def test_what_is_no_time_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(InvalidInput) as refusal:
        clock.parse(text, field="since")
    assert refusal.value.message.startswith("since: ")
    assert "2026-04-03T14:00:00Z" in refusal.value.hint


@given(MOMENTS)
def test_a_stamp_can_be_read_back(moment: datetime) -> None:
    assert clock.parse(clock.stamp(moment)) == moment.replace(microsecond=0)


@given(MOMENTS, MOMENTS)
def test_an_age_is_never_negative_and_never_absurd(since: datetime, now: datetime) -> None:
    """GUARANTEES R11."""
    assert timedelta(0) <= clock.age(since, now) <= clock.MAX_AGE
    assert 0 <= clock.age_days(since, now) <= 36500


def test_a_time_before_the_first_or_after_the_last_is_that_one() -> None:
    """`TENURE_NOW=0001-01-01T00:00:00Z tenure guards` ended as a bug of ours."""
    first, last = datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC, microsecond=0)
    assert clock.after(first, -30) == first
    assert clock.after(last, 30) == last
