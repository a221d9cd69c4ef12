"""A workspace on a real store, and a clock that tests move."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import pytest

from tenure.model import clock
from tenure.workspace import Workspace
from tests.specimens import NOW, SetNow, workspace


@pytest.fixture
def set_now(monkeypatch: pytest.MonkeyPatch) -> SetNow:
    """Move the clock; it stands at the specimens' `NOW` from the start."""

    def set_(moment: datetime) -> None:
        monkeypatch.setenv("TENURE_NOW", clock.stamp(moment))

    set_(NOW)
    return set_


@pytest.fixture
def ws(tmp_path: Path, set_now: SetNow) -> Iterator[Workspace]:
    with workspace(tmp_path) as opened:
        yield opened
