"""The packaged encoder, run for real."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tenure.recall import encoders


@pytest.mark.skipif(not encoders.installed(), reason="the extra `semantic` is not installed")
def test_the_encoder_writes_nothing_into_the_home_and_reports_to_nobody(tmp_path: Path) -> None:
    """S16: a stranger found a vendor's device id in the home and look-ups of a host after a search by meaning."""
    home = tmp_path / "person"
    home.mkdir()
    script = "from tenure.recall import encoders; print(len(encoders.load().encode(['a text'])[0]))"
    done = subprocess.run(
        [sys.executable, "-c", script],
        env={name: value for name, value in os.environ.items() if not name.startswith(("ORT_", "XDG_"))}
        | {"HOME": str(home)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "384"
    assert list(home.rglob("*")) == []
