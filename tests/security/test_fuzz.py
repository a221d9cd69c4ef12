"""S18: whatever comes in at any edge, no traceback and no status 70."""

from __future__ import annotations

import itertools
import os
import time
from pathlib import Path

import pytest

from tests.security.fuzzing import TARGETS, findings

# Of the long run, for all targets together; `scripts/torture fuzz` takes it from TENURE_FUZZ_MINUTES.
MINUTES = 60.0


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "person"))
    monkeypatch.setenv("TENURE_HOME", str(tmp_path / "person" / "tenure"))
    monkeypatch.setenv("TENURE_DEBUG", "1")
    monkeypatch.setenv("TENURE_NO_WORKER", "1")
    return tmp_path


@pytest.mark.parametrize("target", TARGETS)
def test_a_few_spoilt_inputs_are_refused_or_taken(target: str, elsewhere: Path) -> None:
    """The short sibling of the long run, always with the same inputs."""
    rounds = 1 if target == "stdio" else 12
    assert list(findings(target, elsewhere, iter(range(rounds)))) == []


@pytest.mark.slow
@pytest.mark.parametrize("target", TARGETS)
def test_minutes_of_spoilt_inputs_are_refused_or_taken(target: str, elsewhere: Path) -> None:
    """Issue 13: 60 minutes in all."""
    seconds = float(os.environ.get("TENURE_FUZZ_MINUTES", MINUTES)) * 60 / len(TARGETS)
    begin = int(os.environ.get("TENURE_FUZZ_FROM", "1000"))
    start, done = time.monotonic(), 0

    def rounds() -> itertools.takewhile[int]:
        return itertools.takewhile(lambda _: time.monotonic() - start < seconds, itertools.count(begin))

    found = []
    for wrong in findings(target, elsewhere, rounds()):
        found.append(wrong)
        if len(found) == 5:
            break
    done = int(time.monotonic() - start)
    print(f"{done} s of {target}")
    assert found == [], "\n\n".join(found)
