"""Standard streams that are closed or full: a command does its work and ends with a status of its own."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from tests.program import Program


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
@pytest.mark.parametrize(("to", "status"), [("<&-", 0), (">&-", 0), ("2>&-", 0), (">/dev/full", 5)])
def test_a_closed_or_full_stream_is_no_bug(to: str, status: int, program: Program) -> None:
    """S18: as cron and some services start a program."""
    line = [sys.executable, "-P", "-m", "tenure"]
    for words in (["add", "Run make db before the tests"], ["guards"], ["list"], ["start"]):
        done = subprocess.run(
            ["sh", "-c", f'exec "$@" {to}', "sh", *line, *words], cwd=program.folder, env=program.variables(),
            capture_output=True, check=False,
        )  # fmt: skip
        assert done.returncode == status and b"bug of ours" not in done.stderr, (words, done)
