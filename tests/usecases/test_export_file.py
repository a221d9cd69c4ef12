"""Lines of a file that is imported: found whatever ends them."""

from __future__ import annotations

from io import BytesIO

from hypothesis import example, given
from hypothesis import strategies as st

from tenure.usecases import export_file


@given(st.lists(st.sampled_from([b"{}", b"", b"\n", b"\r", b"\r\n", b"\x0b"]), max_size=8).map(b"".join))
@example(b"{}\r{}\n\n{}")
def test_lines_are_the_same_whatever_ends_them(data: bytes) -> None:
    """Own choice: the numbers in messages are those of an editor, which also ends lines at a carriage return."""
    chunks = list(export_file.chunks(BytesIO(data)))
    assert [line for _, lines in chunks for line in lines] == data.splitlines()
