"""A scripted history in small: the benchmark of the audit, short enough to run with every change."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

BENCH = Path(__file__).parents[2] / "scripts/bench_audit.py"


def test_a_scripted_history_is_told_truly(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Issue: broken claims found, true claims left alone, nothing mended wrongly."""
    specification = importlib.util.spec_from_file_location("bench_audit", BENCH)
    assert specification is not None
    assert specification.loader is not None
    bench = importlib.util.module_from_spec(specification)
    monkeypatch.setitem(sys.modules, "bench_audit", bench)
    specification.loader.exec_module(bench)
    monkeypatch.setattr(bench, "COMMITS", 40)
    monkeypatch.setattr(bench, "MEMORIES", 80)
    counts = bench.measure(7, tmp_path, False)
    assert counts["broken found"] == counts["broken claims"] > 5
    assert counts["true called broken"] == counts["wrong fixes"] == 0
    assert counts["moves repaired"] >= 0.9 * counts["moves"]
