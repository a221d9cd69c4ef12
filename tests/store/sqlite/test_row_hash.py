"""What the hash of a memory's row is made of, on the way that proves many rows."""

from __future__ import annotations

import pytest

from tenure.store.sqlite import HASH, hashed, hashed_memory


@pytest.mark.parametrize("due", [None, "2026-04-03T14:00:00Z"])
def test_a_memorys_row_is_hashed_over_the_same_bytes_in_one_step(due: str | None) -> None:
    """`hashed` is what every stored hash was made with; a row proved another way would count as altered."""
    columns = (7, "m-1", 2, "lesson", "active", "live", 1, 60, "50 % of it: ü\n", due, -3, '{"id":"m-1"}')
    assert len(columns) == HASH
    assert hashed_memory((*columns, b"hash")) == hashed(*columns)
    assert hashed_memory([*columns, b"hash"]) == hashed(*columns)
