"""Every generic command on a `.geas` folder: files valid, dry runs silent, everything reversible."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tenure import workspace
from tenure.model.errors import BadRequest, InvalidInput, NotEntitled, Refused, StoreUnusable, TenureError
from tenure.systems.geas.artifacts import MEMORY_TYPES
from tenure.usecases.answers.changed import Collected
from tenure.workspace import Workspace

from . import samples
from .project import MEMORY, Project

OTHER = "mem-task-002-1"
PENDING = "mem-task-003-1"
ORCHESTRATOR = "orchestration_authority"


def furnished(project: Project) -> None:
    """A provisional entry that is ready for stable, a stable one of another topic, and a candidate with evidence."""
    project.entry(samples.memory(signals={"successful_reuses": 3, "reuse_count": 3, "confidence": 0.9}))
    project.entry(
        samples.memory(
            OTHER, state="stable", title="Name the owner", summary="Every module names one owner in its head"
        )
    )
    project.entry(
        samples.candidate(
            PENDING,
            title="Warm the cache",
            summary="A cold cache makes the first request slow",
            memory_type="performance_tip",
            evidence_refs=["retro-a", "retro-b"],
            signals={"evidence_count": 2, "confidence": 0.6},
        )
    )


# One change by each command that makes one.
CHANGES: dict[str, Callable[[Workspace], object]] = {
    "add": lambda ws: ws.add("Squash before merging", kind="process_improvement", tags=["git"]),
    "edit": lambda ws: ws.edit(MEMORY, text="Retry loops need a limit of five", tags=["retry"]),
    "edit a candidate": lambda ws: ws.edit(PENDING, title="Warm the cache first"),
    "log": lambda ws: ws.log(MEMORY, "positive", task="t9", by="qa_engineer", notes="it held"),
    "log a failure": lambda ws: ws.log(MEMORY, "negative", task="t9", contradiction=True),
    "promote": lambda ws: ws.promote(),
    "promote in batch": lambda ws: ws.promote(mode="batch"),
    "approve": lambda ws: ws.review(MEMORY, "approve", by=ORCHESTRATOR),
    "promote_stable": lambda ws: ws.review(MEMORY, "promote_stable", by=ORCHESTRATOR),
    "promote_provisional": lambda ws: ws.review(PENDING, "promote_provisional", by="design_authority"),
    "keep": lambda ws: ws.review(MEMORY, "keep", by=ORCHESTRATOR, rationale="still true"),
    "weaken": lambda ws: ws.review(OTHER, "weaken", by=ORCHESTRATOR),
    "reject": lambda ws: ws.review(MEMORY, "reject", by=ORCHESTRATOR),
    "reject a candidate": lambda ws: ws.review(PENDING, "reject", by="design_authority"),
    "request_review": lambda ws: ws.review(MEMORY, "request_review", by=ORCHESTRATOR),
    "supersede": lambda ws: ws.review(MEMORY, "supersede", by=ORCHESTRATOR, successor=OTHER),
    "supersede by a candidate": lambda ws: ws.supersede(MEMORY, PENDING),
    "retire": lambda ws: ws.retire(MEMORY, reason="no longer true"),
    "archive": lambda ws: ws.archive(PENDING),
    "decay": lambda ws: ws.decay(),
    "upkeep": lambda ws: ws.upkeep(),
    "gc": lambda ws: ws.gc(),
    "inject": lambda ws: ws.inject(task="t1", agent="qa_engineer"),
    "search": lambda ws: ws.search("retry"),
}
# Commands that change no file here, or whose reversal leaves a file that was not there: an added memory is archived.
QUIET = ("add", "gc", "inject", "search", "upkeep", "promote in batch")


def essence(project: Project) -> dict[str, Any]:
    """Return what the folder says, without the traces of when and how it was written."""
    found: dict[str, Any] = {}
    for name, data in project.files().items():
        if name.endswith(".json"):
            document = json.loads(data)
            document.get("meta", {}).pop("updated_at", None)
            found[name] = document
    found.pop("state/memory-index.json", None)
    return found


@pytest.mark.parametrize("name", CHANGES)
def test_after_every_command_all_files_hold(project: Project, name: str) -> None:
    """SEAM: check finds nothing; the fixture also validates every file."""
    furnished(project)
    with project.open() as ws:
        CHANGES[name](ws)
        assert ws.check() == []
        states = {memory.id: memory.state for memory in ws.memories(all=True)}
    assert project.states() == states == project.index()


@pytest.mark.parametrize("name", [name for name in CHANGES if name not in QUIET])
def test_undo_brings_the_files_back(project: Project, name: str) -> None:
    """DESIGN: everything but forget is reversible, and that includes logs, reviews and the place of a file."""
    furnished(project)
    project.at("2026-06-01T00:00:00Z")
    with project.open() as ws:
        before = essence(project)
        CHANGES[name](ws)
        assert essence(project) != before
        ws.undo()
        assert ws.check() == []
    assert essence(project) == before


@pytest.mark.parametrize(
    "command",
    [
        lambda ws, folder: ws.promote(dry_run=True),
        lambda ws, folder: ws.decay(dry_run=True),
        lambda ws, folder: ws.upkeep(dry_run=True),
        lambda ws, folder: ws.gc(dry_run=True),
        lambda ws, folder: ws.capture_files([str(folder / "missions")], dry_run=True),
    ],
)
def test_a_dry_run_writes_no_file(project: Project, command: Callable[[Workspace, Path], object]) -> None:
    """CONTRACT: the same report, no change."""
    furnished(project)
    project.put("missions/m1/tasks/t1/retrospective.json", samples.retrospective("t1", memory_candidates=["Be kind"]))
    with project.open() as ws:
        before = project.files()
        project.at("2027-06-01T00:00:00Z")
        command(ws, project.geas)
        assert project.files() == before


def test_everything_starts_as_a_candidate_whoever_says_it(project: Project) -> None:
    """Seed: candidates need evidence or approval; ids are mem-{task}-{N}."""
    with project.open() as ws:
        first, second = ws.add("Name branches after tickets", kind="project_rule"), ws.add("Review in the morning")
    assert (first.id, first.state) == ("mem-stated-1", "candidate")
    assert (second.id, second.kind) == ("mem-stated-2", "failure_lesson")
    assert project.file("mem-stated-1")["evidence_refs"] == ["statement-mem-stated-1"]


def test_kinds_are_the_twelve_types(project: Project) -> None:
    """Spec 1.4."""
    with project.open() as ws:
        for kind in MEMORY_TYPES:
            ws.add(f"A sentence for {kind}", kind=kind)
        with pytest.raises(InvalidInput, match="lesson"):
            ws.add("no such type", kind="lesson")
    assert len(project.states()) == 12


def test_what_is_retired_is_archived_and_what_is_rejected_stays_so(project: Project) -> None:
    """Spec 1.2: archive is out of retrieval, reject is permanently invalid."""
    furnished(project)
    with project.open() as ws:
        assert ws.retire(MEMORY, reason="old").state == "archived"
        assert ws.restore(MEMORY, only_from="archived").state == "provisional"
        ws.review(MEMORY, "reject", by=ORCHESTRATOR)
        with pytest.raises(Refused, match="for good"):
            ws.restore(MEMORY)
    assert project.file()["state"] == "rejected"


def test_nothing_is_ever_purged(project: Project) -> None:
    """DESIGN: never destroy; geas has no purge."""
    furnished(project)
    with project.open() as ws:
        ws.retire(MEMORY, reason="old")
        project.at("2029-01-01T00:00:00Z")
        assert ws.gc() == Collected(purged=[], kept=0)


def test_forget_erases_the_memory_its_logs_and_its_reviews(project: Project) -> None:
    """GUARANTEES P1: no byte of it stays in a file we own, and its id is not used again."""
    furnished(project)
    with project.open() as ws:
        ws.log(MEMORY, "positive", task="t1", notes="zanzibar")
        ws.review(MEMORY, "keep", by=ORCHESTRATOR, rationale="zanzibar again")
        ws.forget(MEMORY)
        assert ws.check() == []
    assert not any(b"zanzibar" in data or b"hang the integration" in data for data in project.files().values())
    assert MEMORY not in project.index()
    task = samples.retrospective("task-001", memory_candidates=["Something else was learned here"])
    project.put("missions/m1/tasks/task-001/retrospective.json", task)
    with project.open() as ws:
        (decision,) = ws.capture_files([str(project.geas)]).decisions
    assert decision.id == "mem-task-001-2"


@pytest.mark.parametrize(
    ("kind", "reviewer", "wrong"),
    [
        ("security_pattern", "risk_specialist", "qa_engineer"),
        ("security_pattern", "security_engineer", "orchestration_authority"),
        ("architecture_precedent", "design_authority", "orchestration_authority"),
        ("test_strategy", "qa_engineer", "design_authority"),
        ("ux_pattern", "communication_specialist", "product_authority"),
        ("decision_precedent", "product_authority", "alice"),
        ("agent_rule", "orchestration_authority", "design_authority"),
    ],
)
def test_a_candidate_is_judged_by_its_domain_authority_alone(
    project: Project, kind: str, reviewer: str, wrong: str
) -> None:
    """Seed: the table of reviewers; contradiction 7: slots are accepted and the agent type is stored."""
    project.entry(samples.candidate(memory_type=kind))
    with project.open() as ws:
        with pytest.raises(NotEntitled):
            ws.review(MEMORY, "promote_provisional", by=wrong)
        assert ws.review(MEMORY, "promote_provisional", by=reviewer).state == "provisional"
    written = project.read(f"memory/candidates/{MEMORY}-review.json")
    assert written["reviewer_type"] == {
        "risk_specialist": "security_engineer",
        "communication_specialist": "technical_writer",
    }.get(reviewer, reviewer)


def test_two_holders_of_one_half_are_not_a_joint_approval(project: Project) -> None:
    """Seed: orchestration_authority and the domain authority; agents of two profiles may fill the same slot."""
    rich = {"successful_reuses": 5, "reuse_count": 5, "confidence": 1.0}
    project.entry(samples.memory(state="stable", memory_type="security_pattern", signals=rich))
    for number in (1, 2, 3):
        project.put(f"memory/logs/t{number}-{MEMORY}.json", samples.log(f"t{number}"))
    with project.open() as ws:
        assert ws.review(MEMORY, "promote_canonical", by="security_engineer").state == "stable"
        with pytest.raises(NotEntitled, match="already"):
            ws.review(MEMORY, "promote_canonical", by="research_integrity_reviewer")
        assert [item.reviewer for item in ws.queue()] == [ORCHESTRATOR]
        assert ws.review(MEMORY, "promote_canonical", by=ORCHESTRATOR).state == "canonical"


def test_canonical_needs_three_different_tasks(project: Project) -> None:
    """Seed: 5+ successful reuses over 3+ different tasks."""
    rich = {"successful_reuses": 5, "reuse_count": 5, "confidence": 1.0}
    project.entry(samples.memory(state="stable", memory_type="architecture_precedent", signals=rich))
    for number in range(5):
        project.put(f"memory/logs/t{number % 2}-{MEMORY}.{number}.json", samples.log(f"t{number % 2}"))
    with project.open() as ws:
        for reviewer in ("design_authority", ORCHESTRATOR):
            assert ws.review(MEMORY, "promote_canonical", by=reviewer).state == "stable"
        # An approval that came early counts as soon as the numbers arrive.
        ws.log(MEMORY, "positive", task="t7")
        assert [item.after for item in ws.promote().promoted] == ["canonical"]


@pytest.mark.parametrize(
    ("times", "decision", "ends_as"),
    [(1, "keep", "stable"), (2, "keep", "stable"), (3, "weaken", "provisional"), (3, "reject", "rejected")],
)
def test_a_memory_comes_back_from_review_twice(project: Project, times: int, decision: str, ends_as: str) -> None:
    """Contradiction 11: the third time only the other decisions are left."""
    project.entry(samples.memory(state="stable"))
    with project.open() as ws:
        for round in range(times):
            ws.review(MEMORY, "request_review", by=ORCHESTRATOR)
            if round < times - 1:
                ws.review(MEMORY, "keep", by=ORCHESTRATOR)
        assert ws.review(MEMORY, decision, by=ORCHESTRATOR).state == ends_as


def test_what_decayed_can_be_looked_at_again_and_goes_back_to_what_it_was(project: Project) -> None:
    """Spec 1.5: decayed -> under_review on request; contradiction 25: it must survive the next scan."""
    project.entry(samples.memory(state="stable", signals={"confidence": 0.2}))
    with project.open() as ws:
        assert [item.after for item in ws.decay().changed] == ["decayed"]
        assert project.events("memory_promotion_batch") == [], "only a batch of promotions is closed by a line"
        assert ws.review(MEMORY, "request_review", by=ORCHESTRATOR).state == "under_review"
        assert ws.review(MEMORY, "keep", by=ORCHESTRATOR).state == "stable"
        assert ws.decay().changed == []
    assert project.file()["signals"]["confidence"] == 0.6, "what two pieces of evidence give"


@pytest.mark.parametrize(
    ("logged", "literal", "state"),
    [
        (None, False, "decayed"),
        ("2026-04-20T00:00:00Z", False, "provisional"),
        ("2026-03-20T00:00:00Z", False, "decayed"),
        ("2026-04-20T00:00:00Z", True, "decayed"),
        ("2026-05-02T00:00:00Z", True, "provisional"),
    ],
)
def test_a_memory_nobody_used_decays_when_its_date_has_passed(
    project: Project, logged: str | None, literal: bool, state: str
) -> None:
    """Contradiction 2: no log since the date was set on 1 April; the literal step is an option."""
    project.entry(samples.memory())
    if logged:
        project.put(f"memory/logs/t1-{MEMORY}.json", samples.log("t1", effect="neutral", created_at=logged))
    if literal:
        (project.root / ".tenure").mkdir()
        (project.root / ".tenure" / "config.toml").write_text('[policy.decay]\nused_since = "due"\n')
    project.at("2026-05-03T00:00:00Z")
    with project.open() as ws:
        ws.decay()
    assert project.file()["state"] == state


@pytest.mark.parametrize("state", ["candidate", "under_review", "decayed", "superseded", "archived", "rejected"])
def test_the_scan_leaves_all_other_states_alone(project: Project, state: str) -> None:
    """Seed: provisional, stable and canonical only."""
    bad = {"contradiction_count": 5, "confidence": 0.1}
    project.entry(samples.candidate(signals=bad) if state == "candidate" else samples.memory(state=state, signals=bad))
    project.at("2027-01-01T00:00:00Z")
    with project.open() as ws:
        assert ws.decay().changed == []


@pytest.mark.parametrize("state", ["provisional", "stable", "canonical"])
@pytest.mark.parametrize(
    ("signals", "reason"), [({"contradiction_count": 3}, "3 contradictions"), ({"confidence": 0.2}, "confidence 0.2")]
)
def test_the_scan_names_its_reason(project: Project, state: str, signals: dict[str, Any], reason: str) -> None:
    """Seed: contradiction_count >= 3, confidence < 0.3, an event with the reason."""
    project.entry(samples.memory(state=state, signals=signals))
    with project.open() as ws:
        ws.decay()
    assert project.events("memory_decayed")[0]["reason"] == reason
    assert project.index() == {MEMORY: "decayed"}


def test_a_use_is_logged_once_per_task_and_agent(project: Project) -> None:
    """Contradictions 14 and 15: several logs per task by suffix, one per task, memory and agent."""
    furnished(project)
    with project.open() as ws:
        for agent in ("software_engineer", "qa_engineer", "software_engineer", "quality_specialist"):
            ws.log(MEMORY, "neutral", task="t1", by=agent, surface="gate_context")
    names = sorted(path.name for path in (project.geas / "memory/logs").iterdir())
    assert names == [f"t1-{MEMORY}.2.json", f"t1-{MEMORY}.json"]
    assert project.file()["signals"]["reuse_count"] == 5
    assert project.read(f"memory/logs/{names[1]}")["usage_surface"] == "gate_context"


@pytest.mark.parametrize(
    "words",
    [{"by": "nobody"}, {"surface": "nowhere"}, {"task": "../../escape"}, {"task": "a b"}],
)
def test_a_log_that_geas_could_not_read_is_refused(project: Project, words: dict[str, Any]) -> None:
    """CONTRACT: files carry exactly what their schemas allow."""
    furnished(project)
    with project.open() as ws:
        before = project.files()
        with pytest.raises(BadRequest):
            ws.log(MEMORY, "positive", **words)
        assert project.files() == before


def test_an_export_restores_another_folder(project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """CONTRACT: import and export lose nothing the files hold."""
    furnished(project)
    with project.open() as ws:
        ws.log(MEMORY, "positive", task="t1")
        ws.review(MEMORY, "promote_stable", by=ORCHESTRATOR)
        ws.export(str(tmp_path / "out.jsonl"))
    copy = Project(tmp_path / "copy", monkeypatch)
    with copy.open() as ws:
        assert ws.import_(str(tmp_path / "out.jsonl")).written == 3
        assert ws.check() == []
    assert copy.states() == project.states() == copy.index()
    assert copy.file()["signals"] == project.file()["signals"]
    assert copy.invalid() == []


def test_content_that_no_entry_can_hold_is_refused(project: Project) -> None:
    """Every file validates: an entry has a body and nothing else."""
    furnished(project)
    with project.open() as ws:
        ws.edit(MEMORY, content={"body": ["First line", "Second line"]})
        assert project.file()["body"] == ["First line", "Second line"]
        with pytest.raises(TenureError, match="body"):
            ws.edit(MEMORY, content={"steps": ["one"]})
    assert project.file()["body"] == ["First line", "Second line"]


def test_looking_writes_nothing(project: Project) -> None:
    """Nothing is created where nothing is kept, and reading leaves every byte as it is."""
    with project.open() as ws:
        assert (ws.memories(all=True), ws.queue(), ws.search("x"), ws.check()) == ([], [], [], [])
    assert not (project.root / ".tenure").exists()
    furnished(project)
    with project.open() as ws:
        ws.log(MEMORY, "neutral", task="t1")
    before = project.files()
    with project.open() as ws:
        assert ws.memories()
        assert ws.search("retry")
        assert ws.history(MEMORY)
        ws.queue()
        ws.why(MEMORY)
        ws.status()
        ws.check()
    assert project.files() == before


def test_a_store_that_is_no_folder_is_refused(project: Project) -> None:
    """CONTRACT: exit status 5, the store cannot be used."""
    (project.root / "afile").write_text("x")
    with pytest.raises(StoreUnusable, match="not a folder"):
        workspace.open("geas:afile", project.root)


def test_an_approval_given_twice_is_no_second_half_and_no_offence(project: Project) -> None:
    """Seed, joint approval: whoever says it again has said nothing new."""
    project.entry(samples.memory(state="stable", signals={"successful_reuses": 5, "reuse_count": 5}))
    with project.open() as ws:
        for _ in range(2):
            assert ws.review(MEMORY, "promote_canonical", by=ORCHESTRATOR).state == "stable"


def test_a_statement_says_who_made_it(project: Project) -> None:
    """Spec 1.4: every candidate has a reason and a source."""
    with project.open() as ws:
        made = ws.add("Retry loops need a limit", source="tool:linter")
    assert project.file(made.id)["candidate_reason"] == "Stated by tool:linter"
