"""A mission of ten tasks, replayed from the raw artifacts that geas's agents leave behind.

The steps are those of geas's document in its order: extraction, deduplication, review, promotion, application logs,
harmful reuse, decay. After each step the memories are in the states the document predicts.
"""

from __future__ import annotations

import pytest

from tenure.model.errors import NotEntitled, Refused
from tenure.usecases.answers.changed import Promoted

from . import samples
from .project import Project

LIMIT, TOKENS, TIMEOUTS, BACKOFF = "mem-task-001-1", "mem-task-001-2", "mem-task-002-2", "mem-task-010-1"
ORCHESTRATOR = "orchestration_authority"
ENGINEER = "software_engineer"


class Mission:
    """The project as geas's agents see it: they leave artifacts, and the orchestrator runs a command."""

    def __init__(self, project: Project) -> None:
        self.project = project

    def day(self, number: int) -> None:
        self.project.at(f"2026-{4 + (number - 1) // 30:02}-{(number - 1) % 30 + 1:02}T12:00:00Z")

    def retrospective(self, task: str, *sentences: str) -> None:
        document = samples.retrospective(task, memory_candidates=list(sentences))
        self.project.put(f"missions/m1/tasks/{task}/retrospective.json", document)

    def failure(self, task: str) -> None:
        document = {**samples.valid("failure-record"), "task_id": task, "failure_source": "gate_fail"}
        self.project.put(f"missions/m1/tasks/{task}/failure-record.json", document)

    def extract(self, task: str) -> dict[str, str]:
        """Capture one task's folder and return what became of each proposal."""
        with self.project.open() as ws:
            answer = ws.capture_files([str(self.project.geas / "missions/m1/tasks" / task)])
        assert answer.skipped == []
        return {decision.id: decision.action for decision in answer.decisions}

    def apply(self, task: str, **outcomes: str) -> None:
        """Log how a task ended for the memories in its packet."""
        names = {"limit": LIMIT, "timeouts": TIMEOUTS}
        with self.project.open() as ws:
            for name, outcome in outcomes.items():
                ws.log(names[name], outcome, task=task, by=ENGINEER)

    def states(self) -> dict[str, str]:
        """Return the states that files, index and listing agree on."""
        found = self.project.states()
        assert self.project.index() == found
        with self.project.open() as ws:
            assert {memory.id: memory.state for memory in ws.memories(all=True)} == found
            assert ws.check() == []
        return found

    def packet(self, task: str) -> list[str]:
        with self.project.open() as ws:
            return sorted(item.id for item in ws.inject(task=task, agent=ENGINEER).memories)


@pytest.fixture
def mission(project: Project) -> Mission:
    return Mission(project)


def test_a_mission_of_ten_tasks_ends_as_the_document_predicts(mission: Mission) -> None:
    """Seed, from "Input: retrospective.json" to "harmful reuse"; the numbers in it are those of its tables."""
    _tasks_one_and_two_extract_and_deduplicate(mission)
    _reviews_and_numbers_promote(mission)
    _tasks_three_to_five_apply(mission)
    _tasks_six_to_nine_make_canonical_and_break_the_circuit(mission)
    _what_nobody_uses_decays(mission)
    _task_ten_supersedes(mission)
    assert mission.states() == {
        LIMIT: "superseded",
        TOKENS: "decayed",
        TIMEOUTS: "archived",
        BACKOFF: "provisional",
    }


def _tasks_one_and_two_extract_and_deduplicate(mission: Mission) -> None:
    project = mission.project
    mission.day(1)
    mission.retrospective(
        "task-001",
        "Retry loops without a limit hang the integration job",
        "Security: session tokens must never reach the logs",
    )
    mission.failure("task-001")
    assert mission.extract("task-001") == {LIMIT: "create", TOKENS: "create"}
    assert project.file(LIMIT)["signals"]["confidence"] == 0.4
    assert project.file(LIMIT)["evidence_refs"] == ["retro-task-001"]
    assert project.file(TOKENS)["memory_type"] == "security_pattern"
    assert mission.packet("task-002") == [], "candidates have no influence"
    mission.day(2)
    mission.retrospective("task-002", "Retry loops without a limit hang the integration job.")
    mission.failure("task-002")
    # The lesson is known: its evidence grows, 0.4 becomes 0.6. The failure repeats: a candidate at 0.6.
    assert mission.extract("task-002") == {LIMIT: "update", TIMEOUTS: "create"}
    assert project.file(LIMIT)["evidence_refs"] == ["retro-task-001", "retro-task-002"]
    assert project.file(LIMIT)["signals"]["confidence"] == 0.6
    assert project.file(TIMEOUTS)["signals"]["confidence"] == 0.6
    assert mission.extract("task-002") == {LIMIT: "noop", TIMEOUTS: "noop"}, "a task counts once"
    assert mission.states() == dict.fromkeys((LIMIT, TOKENS, TIMEOUTS), "candidate")
    assert [event["candidates"] for event in project.events("memory_extraction")] == [[LIMIT, TOKENS], [TIMEOUTS]]


def _reviews_and_numbers_promote(mission: Mission) -> None:
    project = mission.project
    with project.open() as ws:
        assert ws.promote(mode="batch").promoted == [], "in batch mode numbers only ask for a review"
        assert {item.id: item.reviewer for item in ws.queue()} == {
            LIMIT: ORCHESTRATOR,
            TIMEOUTS: ORCHESTRATOR,
            TOKENS: "security_engineer",
        }
    # One reviewer writes the schema's form, the other the skill's flat form under the name of a slot.
    approval = {**samples.valid("memory-review"), "memory_id": LIMIT, "reviewer_type": ORCHESTRATOR}
    approval |= {"decision": "promote_provisional", "meta": samples.meta("memory_review", "r1", "2026-04-02T13:00:00Z")}
    project.put(f"memory/candidates/{LIMIT}-review.json", approval)
    flat = {**samples.flat("memory_review", "risk_specialist"), "created_at": "2026-04-02T13:00:00Z"}
    kept = project.put(
        f"memory/candidates/{TOKENS}-review.json",
        {**flat, "memory_id": TOKENS, "decision": "keep", "rationale": "needs more evidence"},
    )
    mission.day(3)
    with project.open() as ws:
        assert ws.promote(mode="batch").promoted == [Promoted(id=LIMIT, before="candidate", after="provisional")]
        (entry,) = [e for e in ws.project.store.history(LIMIT) if "review" in e.event.detail]
        assert entry.event.detail["review"].startswith(f"memory/candidates/{LIMIT}-review.json#")
    kept.unlink()
    assert mission.states() == {LIMIT: "provisional", TOKENS: "candidate", TIMEOUTS: "candidate"}
    assert project.file(LIMIT)["review_after"] == "2026-05-03T12:00:00Z", "30 days"
    assert project.events("memory_promotion_batch")[-1]["promoted"] == [LIMIT]
    with project.open() as ws:
        assert ws.promote(mode="inline").promoted == [Promoted(id=TIMEOUTS, before="candidate", after="provisional")]
    promoted = project.events("memory_promoted")
    assert [(event["memory_id"], event["to_state"]) for event in promoted] == [
        (LIMIT, "provisional"),
        (TIMEOUTS, "provisional"),
    ]


def _tasks_three_to_five_apply(mission: Mission) -> None:
    project = mission.project
    assert mission.packet("task-003") == [LIMIT, TIMEOUTS]
    mission.apply("task-003", limit="passed", timeouts="neutral")
    mission.day(4)
    mission.apply("task-004", limit="passed", timeouts="failed")
    assert project.file(TIMEOUTS)["signals"] == {
        "evidence_count": 2,
        "reuse_count": 2,
        "successful_reuses": 0,
        "failed_reuses": 1,
        "contradiction_count": 0,
        "confidence": 0.5,
    }
    mission.day(5)
    mission.apply("task-005", limit="passed", timeouts="failed")
    mission.apply("task-005", limit="passed", timeouts="failed")
    assert project.file(LIMIT)["signals"]["successful_reuses"] == 3, "task-005 counts once"
    assert project.file(LIMIT)["signals"]["confidence"] == 0.9
    assert mission.states()[TIMEOUTS] == "under_review", "two failures are harmful reuse"
    assert project.read(f"memory/logs/task-005-{TIMEOUTS}.json")["followup_action"] == "review_required"
    assert mission.packet("task-006") == [LIMIT]
    with project.open() as ws:
        assert ws.promote().promoted == [], "numbers alone do not make stable"
        assert ws.review(LIMIT, "promote_stable", by=ORCHESTRATOR, rationale="it held three times").state == "stable"
        assert ws.review(TIMEOUTS, "keep", by=ORCHESTRATOR, rationale="said more exactly").state == "provisional"
    assert project.file(LIMIT)["review_after"] == "2026-07-04T12:00:00Z", "90 days"
    assert project.file(TIMEOUTS)["signals"]["failed_reuses"] == 0


def _tasks_six_to_nine_make_canonical_and_break_the_circuit(mission: Mission) -> None:
    project = mission.project
    mission.day(6)
    mission.apply("task-006", limit="passed", timeouts="failed")
    mission.day(7)
    mission.apply("task-007", limit="passed", timeouts="failed")
    with project.open() as ws:
        assert ws.review(LIMIT, "promote_canonical", by=ORCHESTRATOR).state == "stable", "one approval is not joint"
        assert ws.review(LIMIT, "promote_canonical", by=ORCHESTRATOR).state == "stable"
        with pytest.raises(NotEntitled):
            ws.review(LIMIT, "promote_canonical", by="design_authority")
        assert ws.review(LIMIT, "promote_canonical", by="product_authority").state == "canonical"
        assert ws.review(TIMEOUTS, "keep", by=ORCHESTRATOR).state == "provisional", "the second time under review"
    assert project.file(LIMIT)["review_after"] == "2026-10-04T12:00:00Z", "180 days"
    mission.day(8)
    mission.apply("task-008", timeouts="failed")
    mission.retrospective("task-008", "Security: session tokens must never reach the logs")
    assert mission.extract("task-008") == {TOKENS: "update"}
    mission.day(9)
    mission.apply("task-009", timeouts="failed")
    with project.open() as ws, pytest.raises(Refused, match="third time"):
        ws.review(TIMEOUTS, "keep", by=ORCHESTRATOR)
    assert mission.states() == {LIMIT: "canonical", TOKENS: "candidate", TIMEOUTS: "archived"}
    # The pattern goes on: evidence is added to what is gone, someone is told, and nothing comes back.
    mission.failure("task-009")
    assert mission.extract("task-009") == {TIMEOUTS: "update"}
    assert mission.states()[TIMEOUTS] == "archived"
    with project.open() as ws:
        assert [item.needs for item in ws.queue() if item.id == TIMEOUTS] == ["a look"]


def _what_nobody_uses_decays(mission: Mission) -> None:
    project = mission.project
    with project.open() as ws:
        ws.promote()
    assert mission.states()[TOKENS] == "provisional"
    mission.day(39)
    with project.open() as ws:
        assert ws.decay().changed == [], "its date is today, and has not passed"
    mission.day(40)
    with project.open() as ws:
        assert [item.id for item in ws.decay().changed] == [TOKENS]
    assert mission.states() == {LIMIT: "canonical", TOKENS: "decayed", TIMEOUTS: "archived"}
    (event,) = project.events("memory_decayed")
    assert (event["memory_id"], "review date" in event["reason"]) == (TOKENS, True)


def _task_ten_supersedes(mission: Mission) -> None:
    project = mission.project
    mission.retrospective("task-010", "Every failure of a remote call is retried with a backoff and five attempts")
    assert mission.extract("task-010") == {BACKOFF: "create"}
    with project.open() as ws:
        assert ws.review(BACKOFF, "promote_provisional", by=ORCHESTRATOR).state == "provisional"
        assert ws.review(LIMIT, "request_review", by=ORCHESTRATOR).state == "under_review"
        assert ws.review(LIMIT, "supersede", by=ORCHESTRATOR, successor=BACKOFF).state == "superseded"
    assert project.file(LIMIT)["superseded_by"] == BACKOFF
    assert project.file(BACKOFF)["supersedes"] == [LIMIT]
