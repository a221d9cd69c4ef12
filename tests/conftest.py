"""Fixtures that keep every test away from the real clock, home folder and environment."""

from __future__ import annotations

import os
from pathlib import Path

import hypothesis
import pytest

from tests.program import Program

# scripts/torture asks for many more examples; a test that sets its own number keeps it.
hypothesis.settings.register_profile("torture", max_examples=2000, deadline=None)
hypothesis.settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))


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
