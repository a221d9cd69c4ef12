"""The codec: what is not touched keeps its bytes, what cannot be read hides nothing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tenure.systems.archeflow import lessons
from tenure.systems.archeflow.lessons import changed, compact, count, decode, joined, records, text

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(st.binary() | st.text().map(lambda words: words.encode("utf-8", "replace")))
def test_any_file_comes_back_byte_for_byte(data: bytes) -> None:
    """Our law: decoded lines make the same bytes, for files nobody could read too."""
    assert joined(line.raw for line in decode(data)) == data


@given(st.dictionaries(st.text(), JSON))
def test_a_record_survives_writing_and_reading_with_its_unknown_fields_and_order(
    record: dict[str, object],
) -> None:
    """Our law: decode(encode(record)) == record, and the keys keep their order."""
    (line,) = decode(compact(record))
    assert line.record == record
    assert list(line.record or {}) == list(record)


def test_a_rewritten_line_is_compact_and_its_neighbours_keep_their_bytes() -> None:
    """Recorded case decay-keeps-unknown-fields, and our law for untouched lines."""
    first, second = decode(b'{"note":"x",  "id":"m-001"}\n{ "id" : "m-002" }\n')
    assert first.record is not None
    after = [changed(first, {**first.record, "frequency": 2}), second]
    assert joined(line.raw for line in after) == b'{"note":"x","id":"m-001","frequency":2}\n{ "id" : "m-002" }\n'


@pytest.mark.parametrize(
    "broken",
    [
        b'{"id":"m-002","desc',
        b"null",
        b"[1]",
        b'{"frequency":NaN}',
        b'{"frequency":1e999}',
        b'{"id":"a","id":"b"}',
        b'{"id":"\xff"}',
        b"[" * 100_000,
        b'{"n":' + b"9" * 5000 + b"}",
    ],
    ids=lambda raw: repr(raw[:16]),
)
def test_a_broken_line_is_reported_with_its_number_and_hides_nothing(broken: bytes) -> None:
    """The script loses what follows a broken line. What strict JSON refuses is broken too (guarantee S3)."""
    lines = decode(b'{"id":"m-001"}\n' + broken + b'\n{"id":"m-003"}\n')
    assert [line.number for line in lines if line.problem] == [2]
    assert [record["id"] for record in records(lines)] == ["m-001", "m-003"]


def test_a_last_line_without_newline_does_not_swallow_the_next() -> None:
    """The script's `add` appends to the unfinished line."""
    assert joined([b'{"id":"m-001"}', b'{"id":"m-002"}\n']) == b'{"id":"m-001"}\n{"id":"m-002"}\n'


def test_half_a_surrogate_pair_is_written_as_the_escape_it_was_read_from() -> None:
    """Ours: jq replaces it, which would change text nobody asked to change."""
    (line,) = decode(b'{"description":"\\ud800 x"}\n')
    assert line.record is not None
    assert compact(line.record) == b'{"description":"\\ud800 x"}\n'


@pytest.mark.parametrize(
    ("value", "number"),
    [
        (3, 3),
        (2.9, 2),
        (-1.5, -2),
        ("4", 4),
        ("many", 0),
        ("", 0),
        ("²", 0),
        (None, 0),
        (True, 0),
        ([], 0),
        (10**30, 0),
    ],
)
def test_counters_are_read_leniently(value: object, number: int) -> None:
    """The script: numbers rounded down, others 0. Ours: text that is a number counts."""
    assert count(value) == number


@pytest.mark.parametrize(
    ("value", "shown"),
    [("a\n", "a"), (None, "null"), (True, "true"), (2, "2"), ({"a": [1, 2]}, '{"a":[1,2]}')],
)
def test_fields_are_shown_as_the_script_shows_them(value: object, shown: str) -> None:
    """The script: missing fields become the text `null`."""
    assert text(value) == shown


def test_a_line_of_any_length_is_kept_and_a_giant_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """R7: what is too long to be read is reported with its number and stays in the file."""
    monkeypatch.setattr(lessons, "MAX_LINE_BYTES", 30)
    first, giant = decode(b'{"id":"m-001"}\n{"id":"m-002","description":"alpha"}\n')
    assert first.record == {"id": "m-001"}
    assert (giant.record, giant.problem) == (None, "37 bytes, at most 30 are read")
    assert giant.raw.endswith(b'alpha"}\n')
