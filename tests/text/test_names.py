"""Names in texts: whole in any spelling, and by their parts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tenure.text.names import MOST_NAMES, REMEMBERED_RUNS, _remembered, names, prose


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ask the ledger-gateway first", {"ledgergateway"}),
        ("call parse_config()", {"parseconfig"}),
        ("HttpClient retries", {"httpclient", "http", "client"}),
        ("HTTPServerError", {"httpservererror", "http", "server", "error"}),
        ("see src/api/client.py:42.", {"srcapiclientpy", "apiclientpy", "clientpy"}),
        ("set MAX_RETRIES", {"maxretries"}),
        (r"C:\work\run.bat", {"runbat"}),
        ("数据库迁移", {"数据", "据库", "库迁", "迁移"}),
    ],
)
def test_a_name_is_found_whole_and_by_its_parts(text: str, expected: set[str]) -> None:
    """Issue 7: identifiers kept whole and split, paths by their endings."""
    assert expected <= set(names(text))


def test_plain_prose_has_no_names() -> None:
    """Our choice: the index's own words are enough for it."""
    assert names("Run the migrations before the tests, always.") == []


@given(st.text(max_size=400))
def test_any_text_gives_few_words_without_separators(text: str) -> None:
    """Names go into the index and into queries, so they may hold nothing but letters, digits and marks."""
    found = names(text)
    assert len(found) <= MOST_NAMES + len(text)
    assert all(name and not set(name) & set(' _-./\\:"') for name in found)


def test_prose_leaves_out_code() -> None:
    """Our choice: a model of ordinary language is not asked about paths."""
    assert prose("Retry in HttpClient, see src/api/client.py and parse_config(), twice") == "Retry in see and twice"


def test_what_is_remembered_of_names_has_a_bound_and_changes_no_answer() -> None:
    """Own choice: a server that reads for days does not grow by every name it ever saw."""
    text = "parse_config in src/api/client.py"
    first = names(text)
    for number in range(3 * REMEMBERED_RUNS):
        names(f"handler_{number}")
        assert len(_remembered) <= REMEMBERED_RUNS
    assert names(text) == first == names(text)
