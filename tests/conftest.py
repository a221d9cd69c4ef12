"""Fixtures that keep every test away from the real clock, home folder and environment."""

from __future__ import annotations

import os
from pathlib import Path

import hypothesis
import pytest

from tenure.files import homes
from tests import postgres
from tests.program import Program

# No limits by the clock: machines that run the suite are shared and slow at times.
_UNHURRIED = hypothesis.settings(deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow])
# The suite always tries the same examples, so that it fails on a change and not by chance; torture looks for others.
hypothesis.settings.register_profile("suite", _UNHURRIED, derandomize=True, max_examples=60)
# A test that sets its own number of examples keeps it.
hypothesis.settings.register_profile("torture", _UNHURRIED, max_examples=2000)
hypothesis.settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "suite"))


def pytest_configure(config: pytest.Config) -> None:
    """Let all workers of this session share one PostgreSQL server, which the first test that needs it starts."""
    if not hasattr(config, "workerinput"):
        postgres.begin()


def pytest_unconfigure(config: pytest.Config) -> None:
    """Stop that server."""
    if not hasattr(config, "workerinput"):
        postgres.end()


@pytest.fixture(autouse=True)
def _sealed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("TENURE_HOME", str(home / "tenure"))
    monkeypatch.delenv("TENURE_STORE", raising=False)
    monkeypatch.delenv("TENURE_NOW", raising=False)
    monkeypatch.setenv("TENURE_ENCODER", "none")
    # Nobody sits at a test, whoever runs it; tests of presence make homes, marks and terminals of their own.
    monkeypatch.setenv("TENURE_UNATTENDED", "1")
    homes.claim()


@pytest.fixture
def program(tmp_path: Path) -> Program:
    """The real program in an empty folder outside any repository."""
    folder = tmp_path / "project"
    folder.mkdir()
    return Program(folder, tmp_path / "home" / "tenure")
