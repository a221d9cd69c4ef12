"""`scripts/record_start.py` plays `tenure start` to its end, every question answered."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"


def test_the_recording_runs_to_its_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Issue 17: the learning step came to ask `[Y/n/s]`, and the recording waited for `[Y/n]` until it was killed."""
    monkeypatch.syspath_prepend(str(SCRIPTS))
    monkeypatch.delitem(sys.modules, "record_start", raising=False)
    import record_start

    repository = tmp_path / "shop"
    (repository / "src").mkdir(parents=True)
    (repository / "src" / "app.py").write_text("def run():\n    return 1\n" * 20)
    (repository / "AGENTS.md").write_text("# Rules\n\nThe entry is `src/app.py`.\n")
    who = ["-c", "user.name=t", "-c", "user.email=t@example.org"]
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "one"]):
        subprocess.run(["git", "-C", str(repository), *who, *words], check=True)
    assert record_start.main([str(repository)]) == 0
    screen = capsys.readouterr().out
    assert screen.startswith("$ tenure start\n") and "[Y/n/s]: y" in screen
    assert "\nNext\n" in screen and str(tmp_path) not in screen
    assert max(len(line) for line in screen.splitlines()) <= 80
