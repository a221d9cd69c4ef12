"""Samples of mutants: a change elsewhere leaves them as they are, and a run goes on where the last one ended."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).parents[2] / "scripts"
SOURCE = """
def add(left, right):
    return left + right

def most(numbers):
    return len(numbers) > 10 or not numbers
"""


@pytest.fixture
def scripts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [str(SCRIPTS), *sys.path])


@pytest.mark.usefixtures("scripts")
def test_a_sample_outlives_changes_elsewhere_and_keeps_what_was_tried(tmp_path: Path) -> None:
    from mutants import mutants
    from mutation import sample

    path = tmp_path / "src" / "tenure" / "counting.py"
    path.parent.mkdir(parents=True)
    path.write_text(SOURCE)
    before = {one.name for one in sample(mutants(path), 4, 14, ())}
    path.write_text(SOURCE + "\n\ndef half(number):\n    return number // 2\n")
    grown = mutants(path)
    after = {one.name for one in sample(grown, 4, 14, ())}
    assert len(before) == 4
    assert after - before <= {one.name for one in grown if " half:" in one.name}
    assert {one.name for one in sample(grown, 4, 14, before)} == before


@pytest.mark.usefixtures("scripts")
def test_the_last_line_of_a_mutant_counts(tmp_path: Path) -> None:
    from mutation import noticed_by

    results = tmp_path / "results"
    assert noticed_by(results) == {}
    results.write_text('["a", false, 3, 0.1]\n["b", true, 2, 0.1]\n["a", true, 4, 0.1]\n')
    assert noticed_by(results) == {"a": True, "b": True}
