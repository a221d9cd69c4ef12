"""`tenure inject` on geas: the packet as a document, as text and as an answer."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from tenure.model.errors import BadRequest
from tenure.systems.geas import inject_packet
from tenure.usecases.answers import LeftOut
from tenure.usecases.answers.found import Injection

from . import samples
from .project import MEMORY, Project


def inject(project: Project, **options: Any) -> Injection:
    with project.open() as ws:
        return ws.inject(**options)


def many(project: Project, count: int, **changes: Any) -> None:
    for number in range(1, count + 1):
        project.entry(samples.memory(f"mem-t{number}-1", title=f"Lesson {number}", **changes))


@pytest.mark.parametrize(
    ("agent", "budget"),
    [
        ("orchestration_authority", 8),
        ("product_authority", 3),
        ("software_engineer", 5),
        ("quality_specialist", 5),
        ("", 8),
    ],
)
def test_the_budget_follows_the_agent_and_the_rest_is_named(project: Project, agent: str, budget: int) -> None:
    """Spec 1.9: orchestrator 5-8, specialists 3-5, product_authority 3; CONTRACT: the others in suppressed."""
    many(project, 10)
    found = inject(project, task="t1", agent=agent)
    assert (len(found.memories), len(found.suppressed)) == (budget, 10 - budget)
    assert {left.why for left in found.suppressed} == {"budget_overflow"}


def test_cautions_stand_apart(project: Project) -> None:
    """Spec 1.9: confidence below 0.5 or any contradiction."""
    project.entry(samples.memory())
    project.entry(samples.memory("mem-t2-1", signals={"contradiction_count": 1}, title="Doubtful"))
    found = inject(project, task="t1", agent="software_engineer")
    assert {item.id: item.caution for item in found.memories} == {MEMORY: False, "mem-t2-1": True}
    assert found.block.index(MEMORY) < found.block.lower().index("caution") < found.block.index("mem-t2-1")


def test_the_score_is_the_formula(project: Project) -> None:
    """Spec 1.9, with every part known: project scope 0.5, one of two paths, role, 9 days old, 0.6, no history."""
    project.entry(samples.memory(evidence_refs=["retro-t0"]))
    project.put("missions/m1/tasks/t0.json", {"task_id": "t0", "scope": {"paths": ["src/a.py"]}})
    paths = {"paths": ["src/a.py", "src/b.py"]}
    project.put("missions/m1/tasks/t1.json", {"task_id": "t1", "risk_level": "high", "scope": paths})
    project.at("2026-04-10T09:30:15Z")
    (item,) = inject(project, task="t1", agent="orchestration_authority").memories
    expected = 0.25 * 0.5 + 0.20 * 0.5 + 0.15 * 1 + 0.15 * (1 - 9 / 180) + 0.10 * 0.6 + 0.10 * 0.5
    assert item.score == pytest.approx(expected)


def test_risk_counts_more_in_a_risky_task(project: Project) -> None:
    """Spec 1.9: +0.10 for risk_pattern when the task's risk is high or critical."""
    project.entry(samples.memory(memory_type="risk_pattern"))
    scores = []
    for level in ("normal", "critical"):
        project.put("missions/m1/tasks/t1.json", {"task_id": "t1", "risk_level": level})
        scores.append(inject(project, task="t1", agent="software_engineer").memories[0].score)
    assert scores[1] - scores[0] == pytest.approx(0.10)


def test_the_packet_is_written_where_geas_looks(project: Project) -> None:
    """Spec 1.3; several agents of one task do not replace each other's."""
    project.entry(samples.memory())
    (project.geas / "missions/m1/tasks/t1").mkdir(parents=True)
    (project.geas / "missions/m2/tasks/t2").mkdir(parents=True)
    for agent in ("software_engineer", "qa_engineer", "software_engineer"):
        inject(project, task="t1", agent=agent)
    folder = "missions/m1/packets/t1"
    assert project.read(f"{folder}/memory-packet.json")["packet_id"] == "mp-t1-software_engineer"
    assert project.read(f"{folder}/memory-packet-qa_engineer.json")["applicable_memory_ids"] == [MEMORY]


def test_the_agents_own_file_comes_first_and_survives_any_budget(project: Project) -> None:
    """Spec 1.9: unscored, first, survives budget pressure; contradiction 20: either spelling of its name."""
    many(project, 3)
    project.put("memory/agents/software-engineer.md", "Run the linter first.")
    block = inject(project, task="t1", agent="software_engineer").block
    assert block.index("Run the linter first.") < block.index("Applicable Memory")
    found = inject(project, task="t1", agent="software_engineer", budget_chars=0)
    assert (found.memories, "Run the linter first." in found.block) == ([], True)
    assert len(found.suppressed) == 3


def test_of_two_that_contradict_each_other_the_higher_layer_stays(project: Project) -> None:
    """Seed: rules.md > project > agent > risk; the loser is suppressed."""
    with project.open() as ws:
        rule = ws.add("Always use tabs for indentation in the sources", kind="project_rule")
        risk = ws.add("Never use tabs for indentation in the sources", kind="risk_pattern")
        for memory in (rule, risk):
            ws.review(memory.id, "promote_provisional", by="orchestration_authority")
        found = ws.inject(task="t1", agent="software_engineer")
    assert [item.id for item in found.memories] == [rule.id]
    assert found.suppressed == [LeftOut(id=risk.id, why=f"conflict_with {rule.id}")]


def test_nothing_to_say_is_silence(project: Project) -> None:
    """DESIGN 15; spec 1.10: an empty index is normal."""
    project.entry(samples.candidate())
    assert inject(project, task="t1", agent="qa_engineer").block == ""


def test_a_query_is_answered_by_its_words(project: Project) -> None:
    """CONTRACT: only without QUERY the packet is built."""
    project.entry(samples.memory())
    assert MEMORY in inject(project, query="why does the integration job hang").block


def test_an_agent_geas_does_not_have_is_refused(project: Project) -> None:
    """Spec 1.4: fifteen agent types; a packet for another one would be invalid."""
    with pytest.raises(BadRequest, match="intern"):
        inject(project, task="t1", agent="intern")


def test_a_packet_is_replayed_as_it_was(project: Project) -> None:
    """Issue 7: from the ledger, in geas's own section, whatever the files say since; what was forgotten stays away."""
    project.entry(samples.memory())
    project.entry(samples.memory("mem-t2-1", signals={"contradiction_count": 1}, title="Doubtful [seen] *advice*"))
    shown = inject(project, task="t1", agent="software_engineer")
    project.entry(samples.memory(title="Somebody wrote this later, by hand"))
    with project.open() as ws:
        found = ws.replay()
        assert found and found.exact and found.block == shown.block
        assert (found.task, found.agent) == ("t1", "software_engineer")
        doubtful = next(memory for memory in found.memories if memory.id == "mem-t2-1")
        assert doubtful.why == "provisional, confidence 0.6, scope project" and doubtful.since == ()
        assert any("2026-04-10" in said for memory in found.memories for said in memory.since)
        ws.forget("mem-t2-1")
        after = ws.replay()
        assert after and "advice" not in after.block and "forgotten on 2026-04-10" in after.block and not after.exact


def test_the_agents_own_notes_are_not_replayed(project: Project) -> None:
    """Their file keeps no history, so the replay says that they are missing."""
    project.entry(samples.memory())
    project.put("memory/agents/software_engineer.md", "Always look at the gate first.")
    shown = inject(project, task="t1", agent="software_engineer")
    assert "Always look at the gate first." in shown.block
    with project.open() as ws:
        found = ws.replay()
    assert found and not found.exact and "notes" in found.notes[-1]
    assert shown.block.endswith(found.block) and found.memories[0].exact


def test_what_answers_a_query_is_replayed_as_a_fenced_block(project: Project) -> None:
    """With a query the memories are found and shown as everywhere."""
    project.entry(samples.memory())
    with project.open() as ws:
        shown = ws.inject(ws.get(MEMORY).title)
        found = ws.replay()
    assert shown.memories and found and found.exact
    assert found.block.splitlines()[1:-1] == shown.block.splitlines()[1:-1]


def test_a_task_belongs_to_the_mission_that_knows_it(tmp_path: Path) -> None:
    """Spec 1.9: packets lie in their mission; without a task, only the one mission there is can be meant."""
    for mission, task in (("m1", "t1"), ("m2", "t2")):
        (tmp_path / "missions" / mission / "tasks" / task).mkdir(parents=True)
    assert [inject_packet._mission(tmp_path, task) for task in ("t1", "t2", "t3", "")] == ["m1", "m2", None, None]
    shutil.rmtree(tmp_path / "missions" / "m2")
    assert [inject_packet._mission(tmp_path, task) for task in ("t1", "t3", "")] == ["m1", "m1", "m1"]
