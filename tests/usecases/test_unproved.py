"""What `check` calls a verdict without a person, and what it does not."""

from __future__ import annotations

from pathlib import Path

import pytest

import tenure
from tenure.hosts import agent_detection
from tenure.usecases import forget


@pytest.mark.parametrize(("again", "named"), [(True, False), (False, True)], ids=["decided before", "never decided"])
def test_what_a_person_had_forgotten_elsewhere_needs_no_second_proof(
    again: bool, named: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A stranger's finding: `check` failed for good on every machine that a forget had reached by `sync`."""
    monkeypatch.delenv("TENURE_UNATTENDED", raising=False)
    monkeypatch.setenv("TENURE_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(agent_detection, "mark", lambda environment=None: None)
    monkeypatch.chdir(tmp_path)
    with tenure.open() as ws:
        id = ws.add("The zanzibar account is closed.").id
        ws.add("Run make db before the tests.")
        forget.erase(ws.project, id, again=again)
        assert any("without proof" in problem.message for problem in ws.check()) is named
