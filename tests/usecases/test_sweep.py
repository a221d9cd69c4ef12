"""`upkeep --deep`: claims of memories against the project they are about."""

from __future__ import annotations

from pathlib import Path

import pytest

from tenure import workspace
from tenure.model.events import EventType
from tests.specimens import NOW, SetNow, days


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    (folder / "src").mkdir(parents=True)
    (folder / "src" / "settings.py").write_text("def parse_config(path):\n    return path\n", encoding="utf-8")
    return folder


def test_what_holds_is_verified_and_what_broke_is_named(project: Path, set_now: SetNow) -> None:
    """DESIGN walk "Upkeep" and decision 10: checking is what makes a memory fresher; nothing is retired for it."""
    set_now(NOW)
    with workspace.open(folder=project) as ws:
        good = ws.add("Settings are read by `parse_config` in `src/settings.py`")
        bad = ws.add("HTTP goes through `src/http.py`")
        plain = ws.add("Prefer readability over cleverness")
        set_now(NOW + days(3))
        swept = ws.upkeep(deep=True)
        assert ws.get(good.id).verified_at == NOW + days(3)
        assert (ws.get(bad.id).verified_at, ws.get(bad.id).state) == (None, "provisional")
        assert ws.get(plain.id).verified_at is None
        assert [note for note in swept.notes if bad.id in note and "src/http.py" in note and "missing" in note]
        assert ws.history(good.id)[-1].event.type == EventType.VERIFIED
        assert ws.check() == []


def test_a_dry_run_verifies_nothing(project: Path) -> None:
    """CONTRACT: the same report, no change."""
    with workspace.open(folder=project) as ws:
        good = ws.add("Settings are read by `parse_config` in `src/settings.py`")
        ws.upkeep(deep=True, dry_run=True)
        assert ws.get(good.id).verified_at is None
