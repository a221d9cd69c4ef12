"""The recorded cases of the writer, the lifecycle, the index and the rolling window."""

from __future__ import annotations

from pathlib import Path

import pytest

from .case_runner import Case, case_files

CASES = [path for group in ("write", "lifecycle", "index", "rolling") for path in case_files(group)]


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_a_recorded_case_comes_out_as_it_did(path: Path, tmp_path: Path) -> None:
    """Recorded from claude-memory 5.0.0, the rolling window from 6.0.0."""
    Case(path, tmp_path).check()
