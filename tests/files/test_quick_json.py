"""JSON for hooks says what the `json` package says."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tenure.files import quick_json

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**12), 10**12)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
)


@given(VALUES)
def test_what_is_written_is_read_back(value: object) -> None:
    """A law: both directions, and against the package."""
    written = quick_json.dumps(value)
    assert json.loads(written) == value == quick_json.loads(json.dumps(value).encode("utf-8", "surrogatepass"))


@pytest.mark.parametrize("data", [b"", b" ", b"{", b"[1,]", b'{"a" 1}', b"nul", b'"\\x"', b"{} {}", b'"\t"'])
def test_what_is_not_json_is_a_value_error(data: bytes) -> None:
    """As the package has it, also where the scanner alone would raise something else."""
    with pytest.raises(ValueError):
        quick_json.loads(data)


def test_deep_nesting_ends_in_an_error_and_not_in_a_crash() -> None:
    """Input comes from outside."""
    with pytest.raises((ValueError, RecursionError)):
        quick_json.loads(b"[" * 200_000)
