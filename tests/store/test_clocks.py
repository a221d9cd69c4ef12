"""R11: clocks may jump; the ledger keeps its order, ages stay in range, nothing crashes and nothing storms."""

from __future__ import annotations

import shutil
from dataclasses import replace

import pytest

import tenure
from tenure.usecases.answers.changed import Collected
from tests.program import Program

TIMES = (
    "2026-06-01T12:00:00Z",
    "1970-01-01T00:00:00Z",
    "2066-01-01T00:00:00Z",
    "0001-01-01T00:00:00Z",
    "9999-12-31T23:59:59Z",
    "2026-03-29T02:30:00+01:00",
    "2026-05-01T00:00:00Z",
)


def test_a_clock_that_jumps_by_decades_breaks_nothing(program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    """Issue: time goes backwards, two clocks differ: nothing crashes, the ledger keeps its order."""
    with tenure.open(folder=program.folder) as ws:
        id = ws.add("A memory among jumping clocks").id
        for time in TIMES:
            monkeypatch.setenv("TENURE_NOW", time)
            ws.add(f"Written at {time}")
            ws.log(id, "positive", task=time)
            assert ws.inject("jumping clocks").memories
            assert 0 <= ws.why(id).staleness <= 100
            assert ws.status() and ws.queue() is not None
        events = ws.history(id)
        assert [event.version for event in events] == list(range(1, len(events) + 1))
        assert [event.seq for event in events] == sorted(event.seq for event in events)
        assert ws.check() == []
        assert ws.get(id).updated_at.year == 9999


@pytest.mark.parametrize("time", TIMES)
def test_every_sweep_survives_any_time(time: str, program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    """R11: ages are clamped: no overflow, and nothing is removed that was not retired."""
    with tenure.open(folder=program.folder) as ws:
        ws.add("Written now")
        monkeypatch.setenv("TENURE_NOW", time)
        ws.upkeep()
        ws.promote()
        assert ws.gc() == Collected(purged=[], kept=0)
        assert len(ws.memories(all=True)) == 1 and ws.check() == []


def test_a_clock_decades_ahead_decays_no_more_than_a_sweep_may(program: Program) -> None:
    """R11: no decay storm: at most the sweep's limit, one step each, and undo takes it back."""
    settings = program.folder / ".tenure" / "config.toml"
    settings.parent.mkdir()
    settings.write_text("[policy.decay]\nsweep_limit = 3\n", encoding="utf-8")
    for n in range(5):
        program.ok("add", f"lesson{n} about subject{n}", TENURE_NOW="2026-01-01T00:00:00Z")
    swept = program.ok("decay", TENURE_NOW="2090-01-01T00:00:00Z")
    assert len(swept["changed"]) == 3 and swept["kept"] == 2
    program.ok("undo")
    assert len(program.ok("list")["memories"]) == 5


def test_a_time_that_is_none_is_refused(program: Program) -> None:
    """CONTRACT: TENURE_NOW is an ISO 8601 time."""
    done = program("--json", "list", TENURE_NOW="yesterday")
    listed = done if done.status else program("--json", "add", "x", TENURE_NOW="yesterday")
    assert listed.status == 2 and "TENURE_NOW" in listed.error["message"]


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("faketime") is None, reason="faketime is not installed")
@pytest.mark.parametrize("clock", ["-10y", "+10y", "-1d", "+0 x-1", "+0 x1000", "2026-03-29 01:59:58"])
def test_a_wrong_system_clock_breaks_nothing(clock: str, program: Program) -> None:
    """R11 with the clock of the whole process wrong: years off, backwards, running away, an hour that is skipped."""
    program.ok("add", "Written with the right clock", "--id", "right")
    wrong = replace(program, prefix=["faketime", "-f", clock], environment={"TZ": "Europe/Berlin"})
    wrong.ok("add", "Written with a wrong clock", "--id", "wrong")
    wrong.ok("log", "right", "--effect", "positive", "--task", "T-1")
    wrong.ok("upkeep")
    for id in ("right", "wrong"):
        assert 0 <= program.ok("why", id)["staleness"] <= 100
        versions = [entry["version"] for entry in program.ok("history", id)["events"]]
        assert versions == list(range(1, len(versions) + 1))
    assert program.ok("check") == {"problems": []} and len(program.ok("list")["memories"]) == 2
