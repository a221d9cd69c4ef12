"""Fixtures that keep every test away from the real clock, home folder and environment."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.program import Program


@pytest.fixture(autouse=True)
def _sealed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("TENURE_HOME", str(home / "tenure"))
    monkeypatch.delenv("TENURE_STORE", raising=False)
    monkeypatch.delenv("TENURE_NOW", raising=False)


@pytest.fixture
def program(tmp_path: Path) -> Program:
    """The real program in an empty folder outside any repository."""
    folder = tmp_path / "project"
    folder.mkdir()
    return Program(folder, tmp_path / "home" / "tenure")
