"""A memory changes one event at a time, and in no other way."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tenure.model.errors import StoreDamaged
from tenure.model.events import Event, EventType
from tenure.model.evolve import as_recorded, born, change, evolve, fold, value_of
from tenure.model.memory import Change, Memory
from tests.specimens import NOW, plain, specimen

MOMENTS = st.datetimes(datetime(2000, 1, 1), datetime(2090, 1, 1)).map(lambda m: m.replace(tzinfo=UTC, microsecond=0))
STEPS = st.fixed_dictionaries(
    {},
    optional={
        "title": st.text(max_size=10),
        "content": st.dictionaries(st.text(max_size=4), st.integers(0, 9) | st.text(max_size=4), max_size=3),
        "tags": st.lists(st.text(max_size=4), max_size=3),
        "confidence": st.integers(0, 100),
        "failed_reuses": st.integers(0, 9),
        "used_at": st.none() | MOMENTS,
        "previous_state": st.none() | st.just("stable"),
    },
)


def recorded(event: Event) -> Event:
    """Return an event as the ledger gives it back."""
    return msgspec.json.decode(msgspec.json.encode(event), type=Event)


@given(st.lists(st.tuples(STEPS, MOMENTS), max_size=6))
def test_folding_what_the_ledger_kept_gives_the_memory(steps: list[tuple[dict[str, Any], datetime]]) -> None:
    """DESIGN 3.3: folding the ledger proves every row, also after a trip through JSON."""
    memory = specimen()
    events = [born(memory)]
    for fields, at in steps:
        events.append(change(memory, EventType.EDITED, at, set=fields, add={"evidence": [str(at)]}))
        evolved = evolve(memory, events[-1])
        assert evolved is not None
        memory = evolved
    assert fold(events) == fold(map(recorded, events)) == memory


@given(STEPS, MOMENTS)
def test_what_an_event_remembers_restores_the_memory(fields: dict[str, Any], at: datetime) -> None:
    """Our choice: `before` is exactly what undo needs."""
    memory = specimen()
    event = recorded(change(memory, EventType.EDITED, at, set=fields))
    changed = evolve(memory, event)
    assert changed is not None
    back = evolve(changed, Event(type="Undone", memory_id="m-1", at=at, set=event.before))
    assert back is not None
    assert plain(back, "updated_at") == plain(memory, "updated_at")


@given(st.lists(MOMENTS, max_size=5))
def test_the_time_of_the_last_change_never_goes_back(moments: list[datetime]) -> None:
    """Issue 2: time goes backwards, the ledger keeps its order."""
    memory: Memory | None = specimen()
    for at in moments:
        assert memory
        before = memory.updated_at
        memory = evolve(memory, Event(type="Kept", memory_id="m-1", at=at))
        assert memory and memory.updated_at == max(before, at)


def test_values_that_do_not_change_are_not_recorded() -> None:
    memory = specimen(tags=("a",), changes=(Change(date="d", summary="s"),))
    same = {"tags": ["a"], "changes": memory.changes, "confidence": 40, "review_after": memory.review_after}
    event = change(memory, EventType.EDITED, NOW, set=same, add={"files": []})
    assert (event.set, event.before, event.add) == ({}, {}, {})


@pytest.mark.parametrize("type", [EventType.PURGED, EventType.FORGOTTEN])
def test_erasing_leaves_nothing(type: EventType) -> None:
    assert fold([born(specimen()), Event(type=type, memory_id="m-1", at=NOW)]) is None


@pytest.mark.parametrize(
    "event",
    [
        {"set": {"nonsense": 1}},
        {"set": {"title": 5}},
        {"set": {"confidence": "high"}},
        {"set": {"phase": "limbo"}},
        {"add": {"title": ["x"]}},
        {"add": {"tags": [5]}},
        {"add": {"nonsense": ["x"]}},
    ],
)
def test_an_event_that_makes_no_sense_is_damage_not_a_crash(event: dict[str, Any]) -> None:
    """GUARANTEES R8: damage is noticed; S18: nothing undeclared is raised."""
    with pytest.raises(StoreDamaged):
        evolve(specimen(), Event(type="Edited", memory_id="m-1", at=NOW, **event))


def test_an_event_before_the_birth_is_damage() -> None:
    with pytest.raises(StoreDamaged, match="before it was created"):
        fold([Event(type="Edited", memory_id="m-1", at=NOW)])
    with pytest.raises(StoreDamaged):
        fold([Event(type="Created", memory_id="m-1", at=NOW, set={"id": "m-1"})])


def test_values_are_found_in_memory_and_signals() -> None:
    assert value_of(specimen(confidence=70), "confidence") == 70
    assert value_of(specimen(), "id") == "m-1"
    assert as_recorded((NOW, ("a",))) == ["2026-04-03T14:00:00Z", ["a"]]
