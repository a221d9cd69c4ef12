"""`scripts/try-team`: the play a newcomer watches before setting up a database for a team."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests import postgres

SCRIPT = Path(__file__).parents[2] / "scripts" / "try_team.py"


@pytest.mark.slow
def test_the_play_of_a_team_goes_as_it_says() -> None:
    """Issue 23: a share, a review, the memory in the other's prompt, the agent's forged verdict refused."""
    postgres.server()
    done = subprocess.run([sys.executable, str(SCRIPT)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("permission denied") == 3 and "may not write Reviewed" in done.stdout
