"""Date words in a query: a table to lay beside a calendar, and laws against the library the hook cannot afford."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tenure.recall import dates, rank
from tenure.recall.query import ParsedQuery

# A Wednesday.
TODAY = "2026-06-17"


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("what did we decide yesterday?", "2026-06-16", "2026-06-16"),
        ("today's plan: what was noted today", "2026-06-17", "2026-06-17"),
        ("Last week, in the gateway", "2026-06-08", "2026-06-14"),
        ("this week", "2026-06-15", "2026-06-21"),
        ("last month", "2026-05-01", "2026-05-31"),
        ("this year", "2026-01-01", "2026-12-31"),
        ("last year", "2025-01-01", "2025-12-31"),
        ("on Monday", "2026-06-15", "2026-06-15"),
        ("last Wednesday", "2026-06-10", "2026-06-10"),
        ("three days ago", "2026-06-14", "2026-06-14"),
        ("2 weeks ago", "2026-05-31", "2026-06-06"),
        ("in March", "2026-03-01", "2026-03-31"),
        ("in August", "2025-08-01", "2025-08-31"),
        ("in Feb 2024", "2024-02-01", "2024-02-29"),
        ("7 May 2023", "2023-05-07", "2023-05-07"),
        ("May 7th, 2023", "2023-05-07", "2023-05-07"),
        ("on the 3rd of", None, None),
        ("on 2026-03-02.", "2026-03-02", "2026-03-02"),
        ("since 2026-03", "2026-03-01", "2026-03-31"),
        ("in 2024", "2024-01-01", "2024-12-31"),
        ("may I march on", None, None),
        ("status 2024 of the 500 jobs", None, None),
        ("2026-13-02 and 2026-02-30", None, None),
        ("", None, None),
    ],
)
def test_date_words_mean_days(text: str, first: str | None, last: str | None) -> None:
    """Issue 7: date words in the query are a signal. What they mean is our choice; a month to come is last year's."""
    assert dates.span(text, TODAY) == ((first, last) if first else None)
    assert rank.QueryContext(text, ParsedQuery(1), TODAY).when == dates.span(text, TODAY), "no date is passed over"


@given(st.dates(date(1971, 1, 1), date(2199, 12, 31)))
def test_the_calendar_is_the_libraries(day: date) -> None:
    """The hook cannot afford datetime; what stands here instead must agree with it on every day."""
    assert dates.span("yesterday", day.isoformat()) == ((day - timedelta(days=1)).isoformat(),) * 2
    monday = day - timedelta(days=day.weekday())
    assert dates.span("this week", day.isoformat()) == (monday.isoformat(), (monday + timedelta(days=6)).isoformat())


@given(st.text(max_size=80))
def test_any_text_is_read(text: str) -> None:
    """Everything works on bad input."""
    found = dates.span(text, TODAY)
    assert found is None or found[0] <= found[1]
