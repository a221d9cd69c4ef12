"""Laws of the record codec."""

from __future__ import annotations

import contextlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tenure.model.errors import InvalidInput
from tenure.systems.claude_memory.records import decode, encode

texts = st.text(st.characters(exclude_categories=["Cs"]))
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | texts,
    lambda inner: st.lists(inner) | st.dictionaries(texts, inner),
    max_leaves=20,
)


@given(st.dictionaries(texts, values))
def test_what_is_written_reads_back_the_same(record: dict[str, object]) -> None:
    """A law of every dialect."""
    assert decode(encode(record)) == record


@given(st.dictionaries(texts, values))
def test_a_file_the_original_wrote_is_written_back_byte_for_byte(record: dict[str, object]) -> None:
    """Claude-memory: indent 2, non-ASCII kept, final newline; the MD5 for OCC depends on it."""
    original = (json.dumps(record, indent=2, ensure_ascii=False) + "\n").encode()
    assert encode(decode(original)) == original


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b'{"confidence": NaN}', "NaN"),
        (b'{"confidence": 1e999}', "is too large"),
        (b'{"id": "a", "id": "b"}', "'id' occurs twice"),
        (b'{"title": "\\ud800"}', "surrogate"),
        (b"\xff\xfe{}", "Not UTF-8"),
        (b"[" * 100_000, "Nested deeper"),
        (b'{"n": ' + b"9" * 5000 + b"}", "Invalid JSON"),
        (b"[1]", "expected a JSON object"),
        (b"", "Invalid JSON"),
    ],
)
def test_what_json_does_not_define_is_refused(data: bytes, said: str) -> None:
    """GUARANTEES section 3: a strict decoder at every boundary."""
    with pytest.raises(InvalidInput, match=said):
        decode(data)


@given(st.binary(max_size=200))
def test_any_bytes_give_a_record_or_a_declared_error(data: bytes) -> None:
    """GUARANTEES S18."""
    with contextlib.suppress(InvalidInput):
        assert isinstance(decode(data), dict)
