"""A few days of `scripts/simulate-month`: real hooks, real processes, a true effect and a placebo."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"


@pytest.fixture
def month(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(SCRIPTS))
    monkeypatch.delitem(sys.modules, "simulate_month", raising=False)
    import simulate_month

    return simulate_month


def test_a_true_effect_ends_in_helps(month: Any, tmp_path: Path) -> None:
    """Others shipped a metric that only their own tests produced; here hooks, worker and command make it."""
    world = month.World("certain", with_it=0.0, without=1.0, expected="helps")
    desk = month.Desk(tmp_path / "desk", world, seed=3)
    found = desk.month(12, at_most=40)
    lived = found["sessions"]
    assert found["verdict"] == "helps" and 12 <= lived <= 40
    assert (found["shown"]["troubles"], found["shown"]["exposures"]) == (0, desk.seen)
    assert found["held"] == {"exposures": lived - desk.seen, "troubles": lived - desk.seen}
    (memory,) = found["memories"]
    assert memory["verdict"] == "helps" and desk.run("show", memory["id"]).count("last helped") == 1


def test_a_placebo_ends_in_cannot_tell(month: Any, tmp_path: Path) -> None:
    world = month.World("placebo", with_it=0.5, without=0.5, expected="cannot tell yet")
    found = month.Desk(tmp_path / "desk", world, seed=3).month(8)
    assert found["verdict"] == "cannot tell yet" and found["sessions"] == 8
    assert found["memories"][0]["verdict"] == "cannot tell yet"
