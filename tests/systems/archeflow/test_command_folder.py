"""Where the drop-in runs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.program import Program


def test_a_working_folder_that_was_removed_is_named(program: Program, tmp_path: Path) -> None:
    """It ended with a traceback."""
    gone = tmp_path / "gone"
    gone.mkdir()
    line = f"cd {gone} && rmdir {gone} && exec {sys.executable} -P -m tenure archeflow list"
    done = subprocess.run(["sh", "-c", line], env=program.variables({}), capture_output=True, check=False)
    assert done.returncode == 1 and b"working folder" in done.stderr and b"Traceback" not in done.stderr
