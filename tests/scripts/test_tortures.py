"""The tortures name tests that are there."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def test_every_test_of_a_torture_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    """Own choice: a file was renamed, and `scripts/torture --quick kills` failed without having tried anything."""
    monkeypatch.setattr(sys, "path", [str(ROOT / "scripts"), *sys.path])
    tortures = importlib.import_module("tortures").TORTURES
    named = [test for _, long, short in tortures.values() for test in (*long, *short) if "/" in test]
    assert len(named) > 20
    for test in named:
        path, _, function = test.partition("::")
        assert (ROOT / path).exists(), test
        assert f"def {function.partition('[')[0]}" in (ROOT / path).read_text(encoding="utf-8") or not function, test
