"""The entries of the ledger."""

from __future__ import annotations

import msgspec
import pytest

from tenure.model.events import Event, EventType
from tests.specimens import NOW


@pytest.mark.parametrize("type", list(EventType))
def test_event_names_are_past_and_explained(type: EventType) -> None:
    """STYLE: ledger events are past tense."""
    assert type.value[0].isupper()
    assert type.value.endswith(("ed", "ne", "en", "pt", "ld", "st"))
    assert type.meaning.endswith(".")


def test_an_event_survives_the_trip_to_the_ledger() -> None:
    event = Event(type=EventType.EDITED, memory_id="m-1", at=NOW, set={"title": "x"}, add={"tags": ["a"]})
    assert msgspec.json.decode(msgspec.json.encode(event), type=Event) == event


def test_an_event_says_only_what_it_knows() -> None:
    assert set(msgspec.json.decode(msgspec.json.encode(Event(type="Kept", memory_id="m", at=NOW)))) == {
        "type",
        "memory_id",
        "at",
    }
