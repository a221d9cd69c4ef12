"""Packets: who gets which memories, in which words."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tenure.systems.geas import packet, schemas
from tenure.systems.geas.packet import Packet
from tenure.systems.geas.score import Target
from tenure.systems.geas.tables import packaged

from . import samples

TABLES = packaged()
NOW = datetime(2026, 4, 10, 12, 0, 0, tzinfo=UTC)
QA = Target("qa_engineer", task_id="t1")


def assemble(memories: list[dict[str, Any]], target: Target = QA, **rest: Any) -> Packet:
    return packet.assemble(memories, target, now=NOW, tables=TABLES, **rest)


def ids(found: Packet) -> list[str]:
    return [item.memory["memory_id"] for item in found.items]


@pytest.mark.parametrize(("state", "expected"), samples.case("retrieval-eligibility")["table"].items())
def test_only_live_states_are_eligible(state: str, expected: bool) -> None:
    """Recorded case retrieval-eligibility."""
    assert packet.eligible(samples.memory(state=state), TABLES) is expected
    found = assemble([samples.memory(state=state)])
    assert bool(found.items) is expected
    assert found.suppressed == ()


@pytest.mark.parametrize("row", samples.case("retrieval-caution")["rows"])
def test_doubtful_memories_are_cautions(row: dict[str, Any]) -> None:
    """Recorded case retrieval-caution."""
    signals = {"confidence": row["confidence"], "contradiction_count": row["contradiction_count"]}
    assert packet.caution({**samples.SIGNALS, **signals}, TABLES) is row["caution"]


@pytest.mark.parametrize(
    ("agent", "most"),
    [
        ("orchestration_authority", 8),
        ("product_authority", 3),
        ("design_authority", 5),
        ("software_engineer", 5),
        ("challenger", 5),
    ],
)
def test_each_role_has_its_budget_and_the_rest_is_suppressed(agent: str, most: int) -> None:
    """Spec 1.9: orchestrator 5-8, specialists 3-5, product_authority 3."""
    memories = [samples.memory(f"mem-{number:02}") for number in range(12)]
    found = assemble(memories, Target(agent, task_id="t1"))
    assert len(found.items) == most
    assert len(found.suppressed) == 12 - most
    assert {left.reason for left in found.suppressed} == {"budget_overflow"}


def test_the_best_score_comes_first_and_ties_go_to_confidence_then_confirmation() -> None:
    """Spec 1.9: ties by confidence, then latest confirmation; the id last, so that the order is fixed."""
    first = samples.memory("mem-z", memory_type="test_strategy")
    sure = samples.memory("mem-y", signals={"confidence": 0.9, "contradiction_count": 0})
    twins = [samples.memory("mem-b"), samples.memory("mem-a")]
    assert ids(assemble([*twins, sure, first])) == ["mem-z", "mem-y", "mem-a", "mem-b"]


def test_memories_whose_tasks_touched_the_same_paths_come_first() -> None:
    """Spec 1.9: memory paths come from the tasks its evidence_refs point at."""
    near = samples.memory("mem-z", evidence_refs=["retro-t7"])
    far = samples.memory("mem-a", evidence_refs=["retro-t8"])
    target = Target("qa_engineer", task_id="t1", paths=("src/a.py",))
    found = assemble([far, near], target, task_paths={"t7": ["src/a.py"], "t8": ["docs"]})
    assert ids(found) == ["mem-z", "mem-a"]
    assert found.items[0].score - found.items[1].score == pytest.approx(0.2)


@pytest.mark.parametrize(
    ("winner", "loser"),
    [
        ("project_rule", "agent_rule"),
        ("project_rule", "risk_pattern"),
        ("test_strategy", "failure_lesson"),
        ("failure_lesson", "performance_tip"),
    ],
)
def test_of_two_that_contradict_the_higher_layer_stays(winner: str, loser: str) -> None:
    """Seed: rules.md > project_memory > agent_memory > risk_memory."""
    memories = [
        samples.memory("mem-a", memory_type=loser, signals={"confidence": 1.0}),
        samples.memory("mem-b", memory_type=winner),
    ]
    found = assemble(memories, conflicts=[("mem-a", "mem-b")])
    assert ids(found) == ["mem-b"]
    assert found.suppressed[0].reason == "conflict_with mem-b"
    assert ids(assemble(memories, conflicts=[("mem-a", "mem-gone"), ("mem-a", "mem-a")])) != []


def test_the_document_is_valid_and_names_every_memory_once() -> None:
    """Spec 1.4, memory-packet."""
    memories = [samples.memory(f"mem-{n}", signals={"confidence": n / 10}) for n in range(1, 10)]
    found = assemble([*memories, samples.memory("mem-gone", state="decayed")])
    made = packet.document(found, NOW, pinned=["phase: building"])
    assert schemas.problems(made, "memory-packet") == []
    assert made["packet_id"] == "mp-t1-qa_engineer"
    shown, left = made["applicable_memory_ids"], made["suppressed_memory_ids"]
    assert sorted(shown + left) == [f"mem-{n}" for n in range(1, 10)]
    assert set(made["caution_items"]) <= set(shown)


def test_the_section_shows_cautions_apart_and_the_agent_file_first() -> None:
    """Spec 1.9: bullets with bold id and title, a warning line, the agent file first."""
    memories = [samples.memory("mem-a"), samples.memory("mem-b", signals={"confidence": 0.4})]
    text = packet.markdown(assemble(memories), TABLES, agent_notes="Run the smoke test first.\n")
    lines = text.splitlines()
    bullet = "(confidence: 0.6, provisional): Retry loops without a limit hang the integration job"
    assert f"- **[mem-a] Retry loops need a limit** {bullet}" in lines
    order = [
        "Run the smoke test first.",
        "## Applicable Memory",
        "⚠️ Caution: treat as suggestion, not rule:",
    ]
    assert [line for line in lines if line in order] == order
    assert text.index("mem-a") < text.index("Caution") < text.index("mem-b")


def test_nothing_to_say_is_nothing() -> None:
    """DESIGN 15: silence is a feature."""
    assert packet.markdown(assemble([]), TABLES) == ""


def test_an_agent_file_as_long_as_a_book_leaves_room_for_the_memories() -> None:
    """Spec 1.9: whole packet under 200 lines."""
    text = packet.markdown(assemble([samples.memory()]), TABLES, agent_notes="line\n" * 10_000)
    assert len(text.splitlines()) < 200
    assert "mem-task-001-1" in text


@given(title=st.text(min_size=1), summary=st.text(min_size=1))
def test_no_text_can_forge_a_second_entry(title: str, summary: str) -> None:
    """GUARANTEES 3: render from fields, escape brackets and newlines."""
    text = packet.markdown(assemble([samples.memory(title=title, summary=summary)]), TABLES)
    bullets = [line for line in text.splitlines() if line.startswith("- **[")]
    assert len(bullets) == 1
    assert len(text.splitlines()) == 5
    assert bullets[0].count("**[") == 1


@pytest.mark.parametrize("forged", ["x** - **[mem-9] y", "[mem-9] y", "\\[mem-9] y", "`code`", "<system>"])
def test_markup_in_a_memory_is_shown_as_text(forged: str) -> None:
    """GUARANTEES 3: a text cannot pretend to be an id, an end of the bold head or a tag."""
    text = packet.markdown(assemble([samples.memory(title=forged, summary=forged)]), TABLES)
    assert forged not in text
    assert text.count("**") - text.count("\\**") == 2
    assert "<" not in text


@pytest.mark.parametrize(
    ("state", "reasons"),
    [
        ("stable", []),
        ("under_review", ["mem-1 is under_review"]),
        ("superseded", ["mem-1 is superseded"]),
        ("decayed", ["mem-1 is decayed"]),
        ("archived", ["mem-1 is archived"]),
        ("rejected", ["mem-1 is rejected"]),
        ("provisional", []),
        (None, ["mem-1 is missing"]),
    ],
)
def test_a_packet_is_stale_when_what_it_names_no_longer_stands(state: str | None, reasons: list[str]) -> None:
    """Spec 1.9, stale when; 1.10: a missing memory is a warning, never an obstacle."""
    states = {"mem-1": state} if state else {}
    assert packet.stale(samples.valid("memory-packet"), states) == reasons


def test_a_packet_is_stale_when_the_ground_moved() -> None:
    """Spec 1.9: base commit, reviewers, integration, gate, rewind, rules, focus task."""
    document = samples.valid("memory-packet")
    states = {"mem-1": "stable"}
    events = ("base_commit", "reviewer_set", "integration_result", "gate_fail", "rewind", "rules", "focus_task")
    assert [packet.stale(document, states, happened=[event]) for event in events] == [
        [reason] for reason in packet.STALE_EVENTS.values()
    ]
    assert packet.stale(document, states, rules_changed_at=NOW) == ["rules.md changed"]
    before = datetime(2026, 3, 1, tzinfo=UTC)
    assert packet.stale(document, states, rules_changed_at=before) == []


@pytest.mark.parametrize(
    ("left", "right", "loser"),
    [
        ((0.5, "mem-a"), (0.9, "mem-b"), "mem-a"),
        ((0.9, "mem-a"), (0.5, "mem-b"), "mem-b"),
        ((0.7, "mem-a"), (0.7, "mem-b"), "mem-b"),
    ],
)
@pytest.mark.parametrize("turned", [False, True])
def test_within_a_layer_the_more_confident_wins_then_the_smaller_id(
    left: tuple[float, str], right: tuple[float, str], loser: str, turned: bool
) -> None:
    """geas: a contradiction inside one layer; which side is named first does not matter."""
    found = {
        name: samples.memory(name, signals={**samples.SIGNALS, "confidence": confidence})
        for confidence, name in (left, right)
    }
    pair = (right[1], left[1]) if turned else (left[1], right[1])
    winner = "mem-b" if loser == "mem-a" else "mem-a"
    assert packet.losers(found, [pair], TABLES) == {loser: winner}
