"""`undo`: the ledger is never rewritten, and the memory is what it was."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tenure.model.errors import BadRequest, Forgotten, Refused
from tenure.model.events import EventType
from tenure.workspace import Workspace
from tests.specimens import NOW, SetNow, days, plain

ACTS: dict[str, Callable[[Workspace, str, str], object]] = {
    "edit": lambda ws, id, other: ws.edit(id, text="Other words", title="Other", tags=["a", "b"]),
    "log": lambda ws, id, other: ws.log(id, "positive", task="T1", by="coder"),
    "harm": lambda ws, id, other: ws.log(id, "negative", contradiction=True),
    "request_review": lambda ws, id, other: ws.review(id, "request_review", by="kim"),
    "approve": lambda ws, id, other: ws.review(id, "approve", by="kim"),
    "keep": lambda ws, id, other: ws.review(id, "keep", by="kim"),
    "reject": lambda ws, id, other: ws.review(id, "reject", by="kim"),
    "retire": lambda ws, id, other: ws.retire(id, reason="r"),
    "archive": lambda ws, id, other: ws.archive(id),
    "supersede": lambda ws, id, other: ws.supersede(id, other),
    "repeat": lambda ws, id, other: ws.add("Run the migrations before the tests", tags=["new"]),
    "contradict": lambda ws, id, other: ws.add("Never run the migrations before the tests"),
    "evidence": lambda ws, id, other: ws.capture([{"text": "Run the migrations before the tests"}], run="r9"),
}


@pytest.mark.parametrize("act", ACTS)
def test_undo_restores_the_memory_field_by_field(ws: Workspace, set_now: SetNow, act: str) -> None:
    """Our choice: everything but the time of the last change is what it was, and the store proves it."""
    memory = ws.add("Run the migrations before the tests", tags=["a"])
    other = ws.add("Use double quotes")
    memory = ws.log(memory.id, "positive", task="T0")
    set_now(NOW + days(1))
    ACTS[act](ws, memory.id, other.id)
    changed = ws.get(memory.id)
    assert plain(changed, "updated_at") != plain(memory, "updated_at")
    set_now(NOW + days(2))
    assert ws.undo()
    assert plain(ws.get(memory.id), "updated_at", "run_mark") == plain(memory, "updated_at", "run_mark")
    assert plain(ws.get(other.id), "updated_at", "run_mark") == plain(other, "updated_at", "run_mark")
    assert ws.check() == []


def test_undo_reverses_a_whole_sweep(ws: Workspace, set_now: SetNow) -> None:
    """Issue 2: `tenure undo` reversing a sweep."""
    made = [ws.add(f"Lesson about {word}") for word in ("parsers", "queues", "backups")]
    set_now(NOW + days(31))
    assert len(ws.decay().changed) == 3
    assert len(ws.undo().entries) == 3
    assert [memory.state for memory in ws.memories()] == ["provisional"] * 3
    assert [plain(m, "updated_at") for m in ws.memories()] == [plain(m, "updated_at") for m in made]


def test_undoing_twice_goes_further_back(ws: Workspace) -> None:
    memory = ws.add("One")
    ws.edit(memory.id, text="Two")
    ws.edit(memory.id, text="Three")
    ws.undo()
    assert ws.get(memory.id).text == "Two"
    ws.undo()
    assert ws.get(memory.id).text == "One"
    ws.undo()
    assert ws.get(memory.id).state == "retired"
    with pytest.raises(BadRequest, match="nothing to undo"):
        ws.undo()


def test_one_entry_can_be_undone_by_its_number(ws: Workspace) -> None:
    memory = ws.add("One")
    ws.edit(memory.id, text="Two")
    ws.log(memory.id, "positive")
    edited = ws.history(memory.id)[1]
    ws.undo(edited.seq)
    assert ws.get(memory.id).text == "One"
    assert ws.get(memory.id).signals.reuse_count == 1


def test_an_entry_that_was_built_upon_is_refused(ws: Workspace) -> None:
    memory = ws.add("One")
    ws.edit(memory.id, text="Two")
    ws.edit(memory.id, text="Three")
    with pytest.raises(Refused, match="changed again after it"):
        ws.undo(ws.history(memory.id)[1].seq)


@pytest.mark.parametrize("side", ["old", "new"])
def test_half_a_supersession_cannot_be_undone(ws: Workspace, side: str) -> None:
    """Our choice: both memories must agree on who took whose place, so both entries go together."""
    old, new = ws.add("Use npm"), ws.add("Prefer pnpm everywhere")
    ws.supersede(old.id, new.id)
    ws.undo(ws.history(old.id if side == "old" else new.id)[-1].seq)
    assert ws.get(old.id).superseded_by is None
    assert ws.get(new.id).supersedes == ()
    assert ws.get(old.id).state == "provisional"


def test_half_a_contradiction_cannot_be_undone(ws: Workspace) -> None:
    one, other = ws.add("Use tabs for indentation"), ws.add("Never use tabs for indentation")
    ws.undo(ws.history(one.id)[-1].seq)
    assert ws.get(one.id).conflicts == ws.get(other.id).conflicts == ()


def test_the_ledger_keeps_what_was_undone(ws: Workspace) -> None:
    memory = ws.add("One")
    ws.edit(memory.id, text="Two")
    ws.undo()
    assert [recorded.event.type for recorded in ws.history(memory.id)] == [
        EventType.CREATED,
        EventType.EDITED,
        EventType.UNDONE,
    ]


def test_erasing_cannot_be_undone(ws: Workspace) -> None:
    memory = ws.add("A secret plan")
    ws.forget(memory.id)
    with pytest.raises(Refused, match="cannot be undone"):
        ws.undo()
    with pytest.raises(Refused, match="cannot be undone"):
        ws.undo(ws.history(memory.id)[-1].seq)


def test_an_entry_that_does_not_exist_is_named(ws: Workspace) -> None:
    with pytest.raises(BadRequest, match="no entry 999"):
        ws.undo(999)


def test_undoing_an_empty_store_says_so(ws: Workspace) -> None:
    with pytest.raises(BadRequest, match="nothing to undo"):
        ws.undo()


def test_what_was_added_by_mistake_may_be_added_again_at_once(ws: Workspace) -> None:
    ws.add("One")
    ws.undo()
    assert ws.add("One").phase == "live"


def test_undo_does_not_bring_back_a_text_that_was_forgotten(ws: Workspace) -> None:
    """GUARANTEES P2: an earlier version of one memory may be what another was forgotten for."""
    first = ws.add("A secret plan")
    ws.edit(first.id, text="Nothing to see here")
    ws.forget(ws.add("A secret plan").id)
    with pytest.raises(Forgotten):
        ws.undo(ws.history(first.id)[1].seq)
    assert ws.get(first.id).text == "Nothing to see here"


def test_forgetting_names_the_memories_that_say_the_same(ws: Workspace) -> None:
    """GUARANTEES P4: what still holds the words is found and shown, not erased unasked."""
    first = ws.add("A secret plan")
    ws.undo()
    assert ws.forget(ws.add("A secret plan").id).derived == [first.id]


def test_an_undo_can_be_undone_with_both_its_halves(ws: Workspace) -> None:
    one, other = ws.add("Use tabs for indentation"), ws.add("Never use tabs for indentation")
    ws.undo(ws.history(one.id)[-1].seq)
    ws.undo(ws.history(other.id)[-1].seq)
    assert ws.get(one.id).conflicts == (other.id,)
    assert ws.get(other.id).conflicts == (one.id,)


def test_undo_passes_over_what_agents_did_and_says_so(ws: Workspace, set_now: SetNow) -> None:
    """Our choice: the detached worker may write at any time; who types undo means the own last command."""
    mine = ws.add("Run the migrations before the tests")
    with Workspace(ws.project.place, agent="worker") as worker:
        worker.capture([{"text": "Use double quotes"}, {"text": "Keep the changelog short"}], run="s-1")
    with Workspace(ws.project.place, agent="mcp") as agent:
        agent.log(mine.id, "neutral", task="t")
    undone = ws.undo()
    assert [entry.event.memory_id for entry in undone.entries] == [mine.id]
    assert ws.get(mine.id).state == "retired"
    assert [note.split(" since")[0] for note in undone.notes] == [
        "1 change made through mcp",
        "2 changes made through worker",
    ]
    with pytest.raises(BadRequest, match="nothing to undo") as refused:
        ws.undo()
    number = int(refused.value.hint.split()[-2])
    assert len(ws.undo(number, whole=True).entries) == 1
    with pytest.raises(BadRequest) as refused:
        ws.undo()
    assert len(ws.undo(int(refused.value.hint.split()[-2]), whole=True).entries) == 2
    assert [memory.phase for memory in ws.memories(all=True)] == ["gone"] * 3
    assert ws.check() == []
