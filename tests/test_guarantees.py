"""docs/guarantees.md is whole: every promise has its row, and every row a proof that exists or says there is none."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
ROWS = re.findall(r"^\| ([RSP]\d+) \| (.+) \| (.+) \|$", (ROOT / "docs" / "guarantees.md").read_text(), re.MULTILINE)
NUMBERS = [f"R{n}" for n in range(1, 19)] + [f"S{n}" for n in range(1, 21)] + [f"P{n}" for n in range(1, 6)]


def test_every_promise_has_one_row() -> None:
    assert sorted(number for number, _, _ in ROWS) == sorted(NUMBERS)


@pytest.mark.parametrize("number", NUMBERS)
def test_a_row_names_a_proof_or_says_not_promised(number: str) -> None:
    """A folder is no proof: the file that fails when the promise is broken is."""
    (proof,) = [proof for found, _, proof in ROWS if found == number]
    named = re.findall(r"`(tests/[^`:]+)(?:::(\w+))?`", proof)
    assert named or "not promised" in proof
    for path, test in named:
        file = ROOT / path
        assert file.is_file(), path
        assert not test or f"def {test}(" in file.read_text("utf-8"), test
