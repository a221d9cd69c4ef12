"""The recorded cases that move memories between states, run through the real program."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.program import Program, Result

from . import samples
from .project import MEMORY, STORE, Project


@pytest.fixture
def program(project: Project, tmp_path: Path) -> Program:
    """The real program in the project."""
    return Program(project.root, tmp_path / "home" / "tenure")


def run(program: Program, case: dict[str, Any], *words: str) -> Result:
    return program("--json", *STORE, *words, TENURE_NOW=case.get("now", "2026-04-10T12:00:00Z"))


def lay_out(project: Project, given: dict[str, Any]) -> None:
    """Write what a case starts from as geas would have: the memory, its logs and its reviews."""
    project.entry(given.get("candidate") or given["entry"])
    for log in given.get("logs", ()):
        project.put(f"memory/logs/{log['task_id']}-{MEMORY}.json", log)


def check_outcome(project: Project, then: dict[str, Any]) -> None:
    found = project.file()
    assert found["state"] == then["state"]
    assert project.states() == {MEMORY: then["state"]}
    if "review_after" in then:
        assert found["review_after"] == then["review_after"]
    if "failed_reuses" in then:
        assert found["signals"]["failed_reuses"] == then["failed_reuses"]
    if "index_state" in then:
        assert project.index() == {MEMORY: then["index_state"]}
    for name in ("file", "removed"):
        if name in then:
            assert (project.root / then[name]).exists() is (name == "file")
    if "event" in then:
        (event,) = project.events(then["event"]["event"])
        assert then["event"].items() <= event.items()


TRANSITIONS = [case for case in samples.cases("transition") if "pairs" not in case["given"]]


@pytest.mark.parametrize("case", TRANSITIONS, ids=lambda case: case["name"])
def test_a_transition_by_review_files_and_promote(project: Project, program: Program, case: dict[str, Any]) -> None:
    """Recorded: geas's reviewers leave files, and the promotion step acts on them."""
    given = case["given"]
    lay_out(project, given)
    for number, review in enumerate(given["reviews"]):
        project.put(f"memory/candidates/{MEMORY}{f'.{number + 1}' if number else ''}-review.json", review)
    assert run(program, case, "promote", "--mode", given.get("mode", "inline")).status == 0
    check_outcome(project, case["then"])


@pytest.mark.parametrize("case", TRANSITIONS, ids=lambda case: case["name"])
def test_a_transition_by_verdicts_and_promote(project: Project, program: Program, case: dict[str, Any]) -> None:
    """Recorded: the same with `tenure review`, whose verdicts take effect at once when their conditions hold."""
    given = case["given"]
    lay_out(project, given)
    for review in given["reviews"]:
        words = ("review", MEMORY, "--decision", review["decision"], "--by", review["reviewer_type"])
        assert run(program, case, *words, "--rationale", review["rationale"]).status == 0
    assert run(program, case, "promote", "--mode", given.get("mode", "inline")).status == 0
    check_outcome(project, case["then"])


@pytest.mark.parametrize("case", samples.cases("decay"), ids=lambda case: case["name"])
def test_a_decay_scan(project: Project, program: Program, case: dict[str, Any]) -> None:
    """Recorded: the scan looks at provisional, stable and canonical only."""
    lay_out(project, case["given"])
    assert run(program, case, "decay").status == 0
    check_outcome(project, case["then"])


@pytest.mark.parametrize("case", samples.cases("review-outcome"), ids=lambda case: case["name"])
def test_the_outcome_of_a_review(project: Project, program: Program, case: dict[str, Any]) -> None:
    """Recorded: under review from a state it had before; "reinstate" is the decision `keep` (contradiction 9)."""
    given = case["given"]
    project.entry({**given["entry"], "state": given["previous_state"]})
    for _ in range(given["times_under_review"]):
        words = ("review", MEMORY, "--decision", "request_review", "--by", "orchestration_authority")
        assert run(program, case, *words).status == 0
    assert project.file()["state"] == "under_review"
    decision = {"reinstate": "keep"}.get(given["decision"], given["decision"])
    assert run(program, case, "review", MEMORY, "--decision", decision, "--by", "orchestration_authority").status == 0
    check_outcome(project, case["then"])
    if case["then"].get("retrievable") is False:
        assert run(program, case, "inject", "--task", "t1", "--agent", "software_engineer").json["memories"] == []


@pytest.mark.parametrize("case", samples.cases("application"), ids=lambda case: case["name"])
def test_applications_move_signals_and_states(project: Project, program: Program, case: dict[str, Any]) -> None:
    """Recorded: each step's signals, and the state it ends in."""
    given = case["given"]
    project.entry(samples.memory(state=given["entry_state"], signals=given["signals"]))
    for number, step in enumerate(case["steps"]):
        flags = ["--contradiction"] if step["contradiction"] else []
        words = ("log", MEMORY, "--effect", step["effect"], "--task", f"t{number}", "--by", "software_engineer", *flags)
        assert run(program, case, *words).status == 0
        found = project.file()
        assert found["signals"] == step["signals"]
        assert found["state"] in step.get("state_in", [step.get("state")])


@pytest.mark.parametrize("pair", samples.case("no-skipping")["given"]["pairs"], ids="-".join)
def test_no_rung_is_skipped(project: Project, program: Program, pair: list[str]) -> None:
    """Recorded: there is no way from candidate to stable or canonical, nor from provisional to canonical."""
    before, after = pair
    rich = {"successful_reuses": 9, "reuse_count": 9, "confidence": 1.0}
    document = samples.candidate(signals=rich) if before == "candidate" else samples.memory(signals=rich)
    project.entry(document)
    case = samples.case("no-skipping")
    refused = run(program, case, "review", MEMORY, "--decision", f"promote_{after}", "--by", "orchestration_authority")
    assert refused.status == 3
    assert project.file()["state"] == before


@pytest.mark.parametrize("case", samples.cases("schema"), ids=lambda case: case["name"])
def test_check_judges_files_of_any_folder(project: Project, program: Program, case: dict[str, Any]) -> None:
    """Recorded with a JSON Schema validator; CONTRACT: no --store, and the path ends as it was given."""
    place = {
        "memory-candidate": "memory/candidates/mem-task-001-1.json",
        "memory-entry": "memory/entries/mem-task-001-1.json",
        "memory-review": "memory/candidates/mem-task-001-1-review.json",
        "memory-index": "state/memory-index.json",
        "memory-application-log": "memory/logs/task-009-mem-task-001-1.json",
    }[case["artifact"]]
    given = f"elsewhere/.geas/{place}"
    path = project.root / given
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps(case["document"]), encoding="utf-8")
    found = program("--json", "check", given, TENURE_STORE="sqlite:memory.db")
    assert found.status == (0 if case["valid"] else 1)
    assert bool(found.json["problems"]) is not case["valid"]
    for problem in found.json["problems"]:
        assert problem["path"].endswith(given)
        assert problem["field"]
