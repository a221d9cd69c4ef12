"""The review queue by its index, beside the queue that looks every memory through: the same, whatever happened."""

from __future__ import annotations

from collections.abc import Sequence

import apsw
import pytest

from tenure.rules import queue_order
from tenure.usecases import review_queue
from tenure.workspace import Workspace
from tests.specimens import NOW, SetNow, days

TEXTS = (
    "Always use tabs for indentation in the Makefile",
    "Never use tabs for indentation in the Makefile",
    "Run make db before the integration tests",
    "Deploy on Fridays from the staging branch",
    "The parser keeps comments out of the tree",
    "Drain the queue before restarting the workers",
)


@pytest.fixture
def busy(ws: Workspace, set_now: SetNow) -> Workspace:
    """A store in which a bit of everything happened."""
    for text in TEXTS[:3]:
        ws.add(text)
    for number, text in enumerate(TEXTS[3:]):
        set_now(NOW + days(number))
        ws.capture([{"text": text, "source": "web"}], run=f"run-{number}")
    held = ws.add("Keep the changelog by hand")
    ws.review(held.id, "request_review", by="kim")
    gone = ws.add("Never run make db before the integration tests")
    ws.review(gone.id, "reject", by="kim")
    ws.project.store.keep(f"quote:{ws.queue()[-1].id}", "no, the other way round")
    return ws


def looked_through(ws: Workspace, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the queue without its index."""
    with monkeypatch.context() as patched:
        patched.setattr(queue_order, "rules_number", lambda policy: 1)
        assert ws.project.store.overview.queue(ws.project.now(), 1) is None
        return [item.id for item in ws.queue()]


def by_pages(ws: Workspace, limit: int, last: Sequence[str] = ()) -> list[str]:
    total = ws.queue_page(0, 1).total
    return [item.id for start in range(0, total, limit) for item in ws.queue_page(start, limit, last=last).items]


@pytest.mark.parametrize("later", [0, 40, 400])
def test_the_index_says_what_looking_through_everything_says(
    busy: Workspace, set_now: SetNow, monkeypatch: pytest.MonkeyPatch, later: int
) -> None:
    """One queue and one order, however it is read; review dates come with time alone."""
    set_now(NOW + days(later))
    expected = looked_through(busy, monkeypatch)
    assert len(expected) >= 5
    assert [item.id for item in busy.queue()] == expected
    for limit in (1, 2, 50):
        assert by_pages(busy, limit) == expected
    put_off = expected[:2]
    assert by_pages(busy, 2, put_off) == [*expected[2:], *put_off]


def test_a_contradiction_settled_by_the_other_side_s_end_leaves_the_queue(
    busy: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The row of the side that stays was not written again, so its place alone would not tell."""
    [pair, *_] = busy.contradictions(10)
    assert pair.left.id in by_pages(busy, 50)
    busy.review(pair.right.id, "reject", by="kim")
    assert pair.left.id not in by_pages(busy, 50)
    assert by_pages(busy, 50) == looked_through(busy, monkeypatch)


def test_a_contradiction_says_what_the_other_memory_says_and_what_is_opposite(ws: Workspace) -> None:
    """Issue 17: an id and "contradicts" made a person look the other one up, and guess at the reason."""
    ws.add("Put new endpoints in src/api/v1", id="one")
    ws.add("Put new endpoints in src/api/v2", id="two")
    why = {item.id: item.why for item in ws.queue()}
    assert why == {item.id: item.why for item in ws.queue_page(0, 10).items}
    opposite = "endpoints new in src/api/v1 and in src/api/v2"
    assert why["one"] == f'contradicts two "Put new endpoints in src/api/v2": {opposite}'
    assert why["two"].startswith('contradicts one "Put new endpoints in src/api/v1": ')
    ws.forget("two")
    assert "one" not in [item.id for item in ws.queue()]


def test_undo_and_a_rebuild_give_the_places_back(busy: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = by_pages(busy, 50)
    busy.review(expected[-1], "reject", by="kim")
    assert expected[-1] not in by_pages(busy, 50)
    busy.undo(busy.history(expected[-1])[-1].seq)
    back = by_pages(busy, 50)
    assert sorted(back) == sorted(expected) and back == looked_through(busy, monkeypatch)
    busy.rebuild()
    assert by_pages(busy, 50) == back


def test_a_store_from_before_is_looked_through_until_upkeep_places_it(
    busy: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Migration 6 knows no policy, so it leaves every memory without a place; nothing may be missing meanwhile."""
    expected = by_pages(busy, 50)
    store = busy.project.store
    connection: apsw.Connection = store.connection  # type: ignore[attr-defined]
    connection.execute("UPDATE queue SET rules = 0, place = '', said = 9, free = 1, contested = 0")
    assert store.overview.queue(busy.project.now(), queue_order.rules_number(busy.project.policy)) is None
    assert by_pages(busy, 50) == expected
    busy.upkeep()
    assert store.overview.queue(busy.project.now(), queue_order.rules_number(busy.project.policy)) is not None
    assert by_pages(busy, 50) == expected


def test_some_are_asked_for_by_name(busy: Workspace) -> None:
    listed = {item.id: item for item in busy.queue()}
    wanted = [*list(listed)[:2], "nowhere"]
    assert {item.id: item for item in busy.waiting(wanted)} == {id: listed[id] for id in wanted[:2]}
    assert review_queue.some(busy.project, busy.system, []) == []
