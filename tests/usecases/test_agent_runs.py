"""Runs as evidence (issue 13): names that an agent makes up in one session are one run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import tenure
from tenure.hosts import agent_detection
from tenure.model.errors import Refused
from tenure.usecases import capture

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


def test_sixteen_names_of_one_agent_session_fill_no_injection(attended: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Issue 13: sixteen made-up names over a few rules filled a whole injection."""
    rules: list[dict[str, object]] = [
        {"text": f"{place} tests need the {place} database"} for place in "red blue green pink grey tan".split()
    ]

    def shown() -> int:
        with tenure.open(None, attended) as ws:
            return len(ws.inject("which database do the tests need?").memories)

    with monkeypatch.context() as agents:
        agents.setenv("CLAUDECODE", "1")
        agents.setenv("CLAUDE_CODE_SESSION_ID", "s1")
        for number in range(16):
            captured(attended, f"run-{number}", [rules[number % len(rules)]])
    assert shown() == 0
    # The same names fill it where a person gives them.
    for number in range(16):
        captured(attended, f"mine-{number}", [rules[number % len(rules)]])
    assert shown() > 1


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


def made(count: int, start: int = 0) -> list[dict[str, object]]:
    """Return proposals that resemble each other too little to be one."""
    words = "amber birch cedar delta ember flint grove heron ivory jetty".split()
    return [
        {
            "kind": "lesson",
            "text": f"{words[n % 10]}{n} {words[n // 10 % 10]}{n * 7} rests on {words[n * 3 % 10]}{n * 13}",
        }
        for n in range(start, start + count)
    ]


def test_one_agents_run_fills_the_queue_only_so_far(attended: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Issue 13: one `capture` made any number of candidates, and buried what a person has to look at."""
    monkeypatch.setenv("CLAUDECODE", "1")
    path = attended / "proposals.jsonl"
    path.write_text("".join(json.dumps(item) + "\n" for item in made(60)))
    with tenure.open(None, attended, surface="cli") as ws:
        found = ws.capture_files([str(path)], run="one")
        assert [decision.action for decision in found.decisions] == ["create"] * 50 + ["noop"] * 10
        assert any("10 of 60 were left out" in note and "tenure review" in note for note in found.notes)
        with pytest.raises(Refused, match="50 memories of this run wait"):
            ws.add("Name the queue after its job, say the operators")
    assert phases(attended) == ["pending"] * 50


def test_what_is_decided_makes_room_and_another_session_has_its_own(
    attended: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The limit is about what waits, and it is a setting."""
    (attended / ".tenure").mkdir()
    monkeypatch.setenv("CLAUDECODE", "1")
    monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", "s1")
    captured(attended, "", made(60))
    assert len(phases(attended)) == 50
    monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", "s2")
    captured(attended, "", made(20, 100))
    assert len(phases(attended)) == 70
    monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", "s1")
    with tenure.open(None, attended, surface="cli") as ws:
        first = [memory for memory in ws.memories() if memory.runs == ("agent:claude-code s1",)]
        for memory in first[:5]:
            ws.retire(memory.id, reason="too many")
    captured(attended, "", made(60, 200))
    assert phases(attended).count("pending") == 70


def test_what_a_person_captures_is_not_counted(attended: Path) -> None:
    """A file of thousands is theirs to queue, from a script as well."""
    captured(attended, "one", made(60))
    assert phases(attended) == ["pending"] * 60


def test_one_session_fills_the_queue_only_so_far(attended: Path) -> None:
    """The worker learns from sessions whose text an agent can fill."""
    with tenure.open(None, attended) as ws:
        found = capture.capture(ws.project, ws.system, made(60), run="s1", known_run=True)
        assert [decision.action for decision in found.decisions].count("create") == 50
        capture.capture(ws.project, ws.system, made(60, 200), run="s2", known_run=True)
    assert phases(attended) == ["pending"] * 100


def test_an_agents_imports_are_one_run_here(attended: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each file that is imported names a run of its own."""
    monkeypatch.setenv("CLAUDECODE", "1")
    path = attended / "lines.jsonl"
    with tenure.open(None, attended, surface="cli") as ws:
        for start in (0, 200):
            path.write_text("".join(json.dumps(item) + "\n" for item in made(40, start)))
            ws.import_(str(path))
    assert phases(attended) == ["pending"] * 50
