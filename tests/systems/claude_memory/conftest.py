"""Fixtures of the claude-memory tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from .project import Project


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Project:
    """An empty project, with the clock stopped and the working directory in it."""
    made = Project(tmp_path / "project", capsys)
    monkeypatch.chdir(made.root)
    monkeypatch.setenv("TENURE_NOW", "2026-06-01T12:00:00Z")
    return made
