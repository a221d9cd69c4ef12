"""S18: a path longer than any file system takes is refused by every command that takes one."""

from __future__ import annotations

import pytest
from tests.program import Program

TOO_LONG = "é" * 2500


@pytest.mark.parametrize(
    "words", [["audit", "--dry-run", TOO_LONG], ["export", TOO_LONG], ["import", TOO_LONG], ["capture", TOO_LONG]]
)
def test_a_path_that_is_too_long_is_refused(words: list[str], program: Program) -> None:
    """Sixty minutes of fuzzing found `audit` and `export` with status 70."""
    done = program(*words)
    assert done.status in (2, 5) and b"bug" not in done.err, (done.status, done.err[-300:])
