"""Lines of an export under the user's own seal: believed, and read nevertheless."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tenure.model import events
from tenure.model.errors import InvalidInput
from tenure.model.events import EventType
from tenure.model.evolve import born, change, evolve
from tenure.usecases import export_lines
from tests.specimens import NOW, days, specimen, workspace


def resealed(row: dict[str, Any]) -> bytes:
    """Return a row under this user's seal, whatever it says."""
    row.pop("seal", None)
    body = json.dumps(row, separators=(",", ":"), ensure_ascii=False).encode()[:-1]
    seal = export_lines.Seal(export_lines.seal_key())
    line = body + b',"seal":"' + seal._mark(body) + b'"}'
    assert seal.is_on(line)
    return line


def row() -> dict[str, Any]:
    """Return a memory that was edited once, as a line tells it."""
    first = specimen(id="m-1", text="Run the migrations")
    events = [born(first), change(first, EventType.EDITED, NOW + days(1), set={"title": "Migrations first"})]
    after = evolve(first, events[1])
    assert after is not None
    line = export_lines.ExportLine(format=export_lines.FORMAT, memory=after, events=events)
    found: dict[str, Any] = json.loads(export_lines.Seal(export_lines.seal_key()).sealed(line))
    return found


def test_a_sealed_line_is_taken_as_it_stands() -> None:
    """Issue 2: what is written unchanged is not encoded again."""
    life = export_lines.life(resealed(row()))
    assert json.loads(life.record) == row()["memory"]
    assert [json.loads(entry.event) for entry in life.entries] == row()["events"]
    assert [(entry.memory_id, entry.type, entry.at) for entry in life.entries] == [
        ("m-1", "Created", "2026-04-03T14:00:00Z"),
        ("m-1", "Edited", "2026-04-04T14:00:00Z"),
    ]
    assert events.decoded(life.entries[1]).set == {"title": "Migrations first"}


def test_times_of_another_zone_stand_in_the_ledger_as_utc() -> None:
    """GUARANTEES: times in columns are UTC, whole seconds, whatever an export of another version wrote."""
    line = row()
    line["events"][0]["at"] = "2026-04-03T16:00:00.5+02:00"
    assert export_lines.life(resealed(line)).entries[0].at == "2026-04-03T14:00:00Z"


@pytest.mark.parametrize(
    ("place", "value", "told"),
    [
        (("memory", "colour"), "red", "unknown field `colour` - at `$.memory`"),
        (("memory", "tags"), "red", "- at `$.memory.tags`"),
        (("memory", "created_at"), "long ago", "- at `$.memory.created_at`"),
        (("events", 0, "colour"), "red", "unknown field `colour` - at `$.events[0]`"),
        (("events", 0, "at"), "long ago", "- at `$.events[0].at`"),
        (("events", 0, "set"), [], "- at `$.events[0].set`"),
        (("events", 1, "set"), 5, "- at `$.events[1].set`"),
        (("events", 1, "before"), "x", "- at `$.events[1].before`"),
        (("events", 1, "add"), {"tags": 5}, "- at `$.events[1].add[...]`"),
        (("events", 1, "detail"), None, "- at `$.events[1].detail`"),
        (("events",), {}, "- at `$.events`"),
        (("format",), "tenure/2", "'tenure/2' is not 'tenure/1'; a newer Tenure wrote it"),
    ],
)
def test_what_this_version_does_not_know_is_refused_under_the_users_own_seal_too(
    tmp_path: Path, place: tuple[Any, ...], value: Any, told: str
) -> None:
    """An older or newer Tenure of the same user may have written it; a ledger that cannot be read would be the end."""
    line = row()
    part: Any = line
    for name in place[:-1]:
        part = part[name]
    part[place[-1]] = value
    (tmp_path / "1.jsonl").write_bytes(resealed(row()) + b"\n\n" + resealed(line) + b"\n")
    with workspace(tmp_path) as ws:
        with pytest.raises(InvalidInput) as refused:
            ws.import_(str(tmp_path / "1.jsonl"))
        assert "line 3: " in refused.value.message and told in refused.value.message
        assert ws.memories(all=True) == []


def test_a_seal_holds_for_every_byte_before_it() -> None:
    line, seal = resealed(row()), export_lines.Seal(export_lines.seal_key())
    for place in range(len(line)):
        altered = bytes([*line[:place], line[place] ^ 1, *line[place + 1 :]])
        assert not seal.is_on(altered), place
    assert not export_lines.Seal(b"another key".ljust(32)).is_on(line)
    assert not any(seal.is_on(line[:length]) for length in range(0, len(line), 7))
