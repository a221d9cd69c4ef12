"""Where answers go: terminals that know few characters, and folders that are gone."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path


def run(folder: Path, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "tenure", *words],
        cwd=folder,
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_stream_that_knows_only_ascii_gets_codes_and_valid_json(tmp_path: Path) -> None:
    """A choice of our own: a change that was made is never reported as a failure because of its letters."""
    ascii_only = {"PYTHONIOENCODING": "ascii"}
    added = run(tmp_path, "add", "Order café beans", **ascii_only)
    assert (added.returncode, "caf\\xe9" in added.stdout) == (0, True)
    listed = run(tmp_path, "list", "--json", **ascii_only)
    assert json.loads(listed.stdout)["memories"][0]["title"] == "Order café beans"
    refused = run(tmp_path, "show", "café", "--json", **ascii_only)
    assert (refused.returncode, "café" in json.loads(refused.stderr)["error"]["message"]) == (2, True)


def test_a_folder_that_was_removed_is_named_as_the_problem(tmp_path: Path) -> None:
    """CONTRACT: bad input gets a message with what to do, not status 70."""
    script = "import os, sys; os.rmdir(os.getcwd()); from tenure.__main__ import main; sys.exit(main(['list']))"
    folder = tmp_path / "gone"
    folder.mkdir()
    done = subprocess.run([sys.executable, "-c", script], cwd=folder, capture_output=True, text=True, check=False)
    assert (done.returncode, "was removed" in done.stderr) == (2, True)
