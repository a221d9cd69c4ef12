"""The progress bar, as a terminal is sent it."""

from __future__ import annotations

import io
import sys

import pytest

from tenure.surfaces.cli import display


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(("steps", "ends"), [([(0, 4), (1, 4)], "100%"), ([(0, 0)], "")])
def test_a_bar_of_work_that_ended_early_does_not_stand_still(
    steps: list[tuple[int, int]], ends: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A stranger's finding: "Reading the code 0%" stayed on the screen after the work was done."""
    monkeypatch.setattr(sys, "stderr", shown := _Terminal())
    with display.progress("Reading") as step:
        assert step is not None
        for done, total in steps:
            step(done, total)
    assert shown.getvalue().replace("\x1b[?25h", "").split("\r")[-1].strip().endswith(ends)
    assert bool(shown.getvalue()) is bool(ends)
