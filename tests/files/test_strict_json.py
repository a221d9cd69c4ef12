"""The strict decoder: what it refuses, and that it refuses in one way only."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tenure.files import strict_json
from tenure.model.errors import InvalidInput

ROWS = [json.loads(row) for row in (Path(__file__).parents[1] / "samples" / "injection.jsonl").read_text().splitlines()]
RECORDS = [r for r in ROWS if r["field"] == "record" and "refuse" in r["expect"]]

JSON_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**64), 2**64)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@pytest.mark.parametrize("row", RECORDS, ids=lambda r: r["kind"])
def test_records_that_must_be_refused(row: dict[str, str]) -> None:
    """GUARANTEES S3: every `record` row to refuse."""
    with pytest.raises(InvalidInput):
        strict_json.decode(row["text"])


@pytest.mark.parametrize(
    ("data", "complaint"),
    [
        (b'{"a": NaN}', "NaN"),
        (b"[-Infinity]", "-Infinity"),
        (b"-1e999", "too large"),
        (b'{"a":1,"a":2}', "'a' occurs twice"),
        (b'{"x":{"a":1,"a":2}}', "'a' occurs twice"),
        (b'"\\ud83d"', "surrogate"),
        (b'{"\\ud83d": 1}', "surrogate"),
        ('"\ud83d"', "half a character"),
        (b"1" * 5000, "5000 digits"),
        (b"[" * 65 + b"]" * 65, "deeper than 64 levels at line 1"),
        (b"[" * 100_000, "deeper than 64"),
        (b'{"a":1} x', "at column 9"),
        (b'{\n "a": }', "line 2, column 7"),
        (b"", "at column 1"),
        (b'"\xff"', "byte 0xff at byte 1"),
    ],
)
def test_what_is_wrong_is_said(data: bytes | str, complaint: str) -> None:
    """GUARANTEES section 3, last row."""
    with pytest.raises(InvalidInput) as caught:
        strict_json.decode(data)
    assert complaint in caught.value.message


def test_a_text_longer_than_allowed_is_refused() -> None:
    with pytest.raises(InvalidInput, match="at most 3"):
        strict_json.decode(b'"abc"', max_bytes=3)


@pytest.mark.parametrize(
    ("data", "value"),
    [
        (b'\xef\xbb\xbf{"a": 1}', {"a": 1}),
        ('\ufeff"x"', "x"),
        (b'"\\ud83d\\ude00"', "\U0001f600"),
        (b"[" * 64 + b"]" * 64, None),
        (b'["' + b"[" * 500 + b'\\"]"]', ["[" * 500 + '"]']),
        (b"1e3", 1000.0),
    ],
)
def test_acceptable_oddities(data: bytes | str, value: object) -> None:
    decoded = strict_json.decode(data)
    assert value is None or decoded == value


@given(JSON_VALUES)
def test_what_json_writes_is_read_back(value: object) -> None:
    assert strict_json.decode(json.dumps(value)) == value
    assert strict_json.decode(json.dumps(value, ensure_ascii=False).encode()) == value


@given(st.one_of(st.binary(max_size=80), st.text('{}[]",:\\ud83e19-NaI ', max_size=40)))
def test_anything_else_is_a_value_or_invalid_input(data: bytes | str) -> None:
    """GUARANTEES S18: parsers never raise anything undeclared."""
    try:
        strict_json.decode(data)
    except InvalidInput:
        return


def test_lines_number_values_and_errors_and_skip_blanks() -> None:
    found = list(strict_json.lines(b'{"a":1}\r\n\n  \n{"a":\n[2]\n"' + b"x" * 30 + b'"', max_line_bytes=20))
    assert [number for number, _ in found] == [1, 4, 5, 6]
    assert found[0][1] == {"a": 1}
    assert isinstance(found[1][1], InvalidInput)
    assert "Line 4" in found[1][1].message
    assert found[2][1] == [2]
    assert isinstance(found[3][1], InvalidInput)
    assert "at most 20" in found[3][1].message


def test_a_line_without_end_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """S17: `tenure capture /dev/zero` read for ever; the lines before it keep their values."""
    monkeypatch.setattr(strict_json, "_ENDLESS_BYTES", 1 << 20)
    with Path("/dev/zero").open("rb") as endless:
        ((number, error),) = strict_json.lines(endless, max_line_bytes=1000)
    assert number == 1 and isinstance(error, InvalidInput) and "does not end" in error.message
