"""Fixtures that keep every test away from the real clock, home folder and environment."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def _sealed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("TENURE_HOME", str(home / "tenure"))
    monkeypatch.delenv("TENURE_STORE", raising=False)
    monkeypatch.delenv("TENURE_NOW", raising=False)
