"""Looking without touching."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest

from tenure.model.errors import AmbiguousId, StoreDamaged, UnknownId
from tenure.workspace import Workspace
from tests.specimens import NOW, SetNow, days


def test_why_lists_exactly_what_is_missing(ws: Workspace) -> None:
    """Issue 2: `tenure why` giving an exact list of what is missing for promotion."""
    memory = ws.add("Run the migrations")
    why = ws.why(memory.id)
    assert (why.eligible, why.next_state) == (True, "stable")
    assert {need.code: (need.have, need.need) for need in why.reasons} == {"successes": (0, 3), "approvals": (0, 1)}
    candidate = ws.add("Use quotes", source="agent:x")
    assert {need.code for need in ws.why(candidate.id).reasons} == {"pending", "evidence", "approvals"}


def test_why_explains_what_is_held_and_gone(ws: Workspace) -> None:
    memory = ws.add("Run the migrations")
    ws.review(memory.id, "request_review", by="kim")
    assert "1 of 3" in ws.why(memory.id).reasons[0].text
    ws.review(memory.id, "archive", by="kim")
    assert ws.why(memory.id).reasons[0].text == "it is archived"


def test_the_queue_names_what_waits(ws: Workspace, set_now: SetNow) -> None:
    ws.add("Nothing to do here")
    overdue = ws.add("Prefer tabs", kind="preference")
    held = ws.add("Run the migrations")
    ws.review(held.id, "request_review", by="kim")
    assert [item.id for item in ws.queue()] == [held.id]
    set_now(NOW + days(31))
    ws.decay()
    assert [item.id for item in ws.queue()] == [held.id, overdue.id]


def test_a_stated_preference_comes_up_for_review_instead_of_decaying(ws: Workspace, set_now: SetNow) -> None:
    """Issue 2."""
    memory = ws.add("Prefer tabs", kind="preference")
    set_now(NOW + days(400))
    assert ws.decay().changed == []
    (item,) = ws.queue()
    assert item.id == memory.id
    assert "has passed" in item.why


def test_status_counts(ws: Workspace) -> None:
    assert ws.status().memories == 0
    ws.add("One")
    ws.archive(ws.add("Two").id)
    status = ws.status()
    assert (status.memories, status.states) == (2, {"provisional": 1, "archived": 1})


def test_an_unknown_id_suggests_the_nearest(ws: Workspace) -> None:
    ws.add("One", id="migrations")
    with pytest.raises(UnknownId) as refusal:
        ws.get("migratoins")
    assert "migrations" in refusal.value.hint


def test_a_beginning_is_enough_when_it_is_unambiguous(ws: Workspace) -> None:
    ws.add("One", id="alpha-1")
    ws.add("Two", id="alpha-2")
    assert ws.get("alpha-1").text == "One"
    with pytest.raises(AmbiguousId) as refusal:
        ws.get("alpha")
    assert "alpha-1, alpha-2" in refusal.value.message


@pytest.mark.parametrize(
    "tampering",
    [
        "UPDATE memory SET record = replace(record, 'migrations', 'backups')",
        "UPDATE memory SET state = 'canonical'",
        "UPDATE memory SET weight = 100",
        "DELETE FROM memory",
        "UPDATE ledger SET payload = replace(payload, 'migrations', 'backups')",
        "UPDATE ledger SET actor = 'kim'",
        "DELETE FROM ledger WHERE seq = 1",
        "DELETE FROM ledger WHERE seq = (SELECT max(seq) FROM ledger)",
    ],
)
def test_check_finds_what_was_tampered_with(ws: Workspace, tmp_path: Path, tampering: str) -> None:
    """Issue 2, GUARANTEES S15: edit, removal and truncation are found; nothing altered is served."""
    ws.add("Run the migrations")
    ws.log(ws.memories()[0].id, "positive")
    assert ws.check() == []
    ws.close()
    connection = apsw.Connection(str(tmp_path / "memory.db"))
    connection.execute(tampering)
    connection.close()
    assert ws.check() != []
    assert "backups" not in ws.inject("run the migrations backups").block


def test_an_altered_row_is_not_shown(ws: Workspace, tmp_path: Path) -> None:
    memory = ws.add("Run the migrations")
    ws.close()
    connection = apsw.Connection(str(tmp_path / "memory.db"))
    connection.execute("UPDATE memory SET record = replace(record, 'migrations', 'backups')")
    connection.close()
    with pytest.raises(StoreDamaged):
        ws.get(memory.id)
