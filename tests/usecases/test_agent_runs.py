"""Runs as evidence (issue 13): names that an agent makes up in one session are one run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import tenure
from tenure.hosts import agent_detection

PROPOSAL: dict[str, object] = {"kind": "runbook", "text": "Run make db before the integration tests"}


@pytest.fixture
def attended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A person's home, and a project."""
    monkeypatch.setenv("TENURE_HOME", str(tmp_path / "person"))
    monkeypatch.delenv("TENURE_UNATTENDED", raising=False)
    monkeypatch.setattr(agent_detection, "_ancestors", lambda: iter(()))
    for name in (*agent_detection.VARIABLES, *agent_detection.SESSIONS):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "project").mkdir()
    return tmp_path / "project"


def captured(project: Path, run: str, proposals: list[dict[str, object]] | None = None) -> tenure.Workspace:
    path = project / "proposals.jsonl"
    path.write_text("".join(json.dumps(item) + "\n" for item in proposals or [PROPOSAL]))
    with tenure.open(None, project, surface="cli") as ws:
        ws.capture_files([str(path)], run=run)
        ws.promote()
    return ws


def phases(project: Path) -> list[str]:
    with tenure.open(None, project) as ws:
        return sorted(memory.phase for memory in ws.memories())


def test_two_runs_that_a_person_names_let_a_runbook_rise(attended: Path) -> None:
    """The README's two runs."""
    captured(attended, "one")
    captured(attended, "two")
    assert phases(attended) == ["live"]


def test_two_names_of_one_agent_session_are_one_run(attended: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before, two made-up names promoted, by `--run`, by the field of a proposal and by its evidence."""
    monkeypatch.setenv("CLAUDECODE", "1")
    monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", "s1")
    captured(attended, "one")
    captured(attended, "two")
    captured(attended, "", [{**PROPOSAL, "run": "three"}, {**PROPOSAL, "run": "four"}])
    captured(attended, "", [{**PROPOSAL, "evidence": ["five"]}, {**PROPOSAL, "evidence": ["six"]}])
    assert phases(attended) == ["pending"]
    with tenure.open(None, attended) as ws:
        (memory,) = ws.memories()
        assert memory.runs == ("agent:claude-code s1",)


def test_two_sessions_of_an_agent_are_two_runs(attended: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAUDECODE", "1")
    for session in ("s1", "s2"):
        monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", session)
        captured(attended, "whatever")
    assert phases(attended) == ["live"]


def test_from_an_unattended_home_every_run_counts_and_the_event_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """CI and tests, also when a coding agent runs them."""
    monkeypatch.setenv("CLAUDECODE", "1")
    (tmp_path / "project").mkdir()
    captured(tmp_path / "project", "one")
    captured(tmp_path / "project", "two")
    assert phases(tmp_path / "project") == ["live"]
    with tenure.open(None, tmp_path / "project") as ws:
        (memory,) = ws.memories()
        kept = [json.dumps(entry.event.detail) for entry in ws.history(memory.id)]
    assert all("unattended" in detail for detail in kept), kept
