"""What every store must do, whatever it is made of. Another implementation is added as a parameter of `store`."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tenure.model import policy as policies
from tenure.model.errors import Conflict
from tenure.model.events import Event, EventType, Revision
from tenure.model.evolve import born, change, fold
from tenure.model.memory import Memory, Signals
from tenure.rules.verdict import verdict
from tenure.store.sqlite.store import SqliteStore

NOW = datetime(2026, 4, 3, 14, 0, tzinfo=UTC)
POLICY, _ = policies.load("tenure", {})
MAKERS = {
    "sqlite": lambda folder: SqliteStore(folder / "store.db"),
    "sqlite in memory": lambda folder: SqliteStore(None),
}


@pytest.fixture(params=list(MAKERS))
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[SqliteStore]:
    made = MAKERS[request.param](tmp_path)
    yield made
    made.close()


def memory(id: str, text: str = "", **fields: Any) -> Memory:
    """Return a live memory."""
    given = {"kind": "lesson", "title": text or f"About {id}", "text": text or f"What {id} says about {id}"}
    state = {"state": "provisional", "phase": "live", "signals": Signals(confidence=40, evidence_count=1)}
    return Memory(id=id, **{**given, **state, "created_at": NOW, "updated_at": NOW, "trust": "user", **fields})


def write(store: SqliteStore, *items: Memory) -> int:
    """Write new memories as one changeset."""
    revisions = [Revision(memory_id=m.id, events=(born(m),), after=m, expected_version=0) for m in items]
    return store.commit(revisions, [verdict(m, POLICY) for m in items])


def revise(store: SqliteStore, before: Memory, seen: int, **fields: Any) -> Memory:
    """Change fields of a memory that was seen at a version."""
    event = change(before, EventType.EDITED, NOW, set=fields)
    after = fold([born(before), event])
    assert after is not None
    revision = Revision(memory_id=before.id, events=(event,), after=after, expected_version=seen)
    store.commit([revision], [verdict(after, POLICY)])
    return after


def erase(store: SqliteStore, id: str, seen: int) -> None:
    event = Event(type=EventType.FORGOTTEN, memory_id=id, at=NOW)
    store.commit([Revision(memory_id=id, events=(event,), after=None, expected_version=seen)], [None])
    store.erase_traces(id)


def test_an_empty_store_has_nothing_and_says_so(store: SqliteStore) -> None:
    """Contract: reading never needs a store to exist."""
    assert store.get("m-1") is None and store.rows() == [] and store.history("m-1") == []
    assert store.matching(store.asked("anything"), 5) == [] and store.counts() == {} and store.runs_now() == 0
    assert list(store.batches()) == [] and store.entry(1) is None


def test_what_is_written_is_read_back_equal(store: SqliteStore) -> None:
    """Contract: a memory comes back as it went in, at version 1."""
    item = memory("m-1", tags=("a", "b"), files=("src/x.py",), content={"steps": ["one", "two"]})
    write(store, item)
    row = store.get("m-1")
    assert row is not None and row.memory == item and row.version == 1 and row.eligible


def test_a_changeset_is_all_or_nothing(store: SqliteStore) -> None:
    """R2: a conflict in the last revision leaves nothing of the first."""
    write(store, memory("m-1"))
    with pytest.raises(Conflict):
        write(store, memory("m-2"), memory("m-1"))
    assert store.get("m-2") is None and store.history("m-2") == [] and len(store.rows()) == 1


@pytest.mark.parametrize("seen", [0, 1, 3, 99])
def test_a_change_must_name_the_version_it_saw(seen: int, store: SqliteStore) -> None:
    """R3: any version but the current one is a conflict."""
    first = memory("m-1")
    write(store, first)
    revise(store, first, 1, title="Second")
    with pytest.raises(Conflict):
        revise(store, first, seen, title="Third")
    row = store.get("m-1")
    assert row is not None and (row.memory.title, row.version) == ("Second", 2)


def test_an_id_is_never_used_again(store: SqliteStore) -> None:
    """Issue: ids are never reused, not even after the memory was erased."""
    write(store, memory("m-1"))
    erase(store, "m-1", 1)
    with pytest.raises(Conflict):
        write(store, memory("m-1"))


def test_folding_the_ledger_gives_the_row(store: SqliteStore) -> None:
    """Design: `evolve` is the only way a row changes, so the ledger proves every row."""
    item = memory("m-1")
    write(store, item)
    item = revise(store, item, 1, title="Second")
    revise(store, item, 2, text="Third text", tags=("new",))
    row = store.get("m-1")
    assert row is not None and fold(entry.event for entry in store.history("m-1")) == row.memory


def test_entries_are_numbered_without_gaps_and_grouped_by_command(store: SqliteStore) -> None:
    """Contract: seq is dense and ordered; a batch holds what one command did; a later changeset may join it."""
    first = write(store, memory("m-1"), memory("m-2"))
    second = store.commit(
        [Revision(memory_id="m-3", events=(born(memory("m-3")),), after=memory("m-3"), expected_version=0)],
        [verdict(memory("m-3"), POLICY)],
        batch=first,
    )
    third = write(store, memory("m-4"))
    assert first == second != third and list(store.batches()) == [third, first]
    assert [entry.seq for entry in store.batch(first)] == [1, 2, 3] and store.entry(4) is not None


def test_rows_are_chosen_by_phase_state_kind_and_date(store: SqliteStore) -> None:
    """Contract: filters combine; order is that of writing."""
    write(
        store,
        memory("m-3", review_after=NOW + timedelta(days=1)),
        memory("m-1", state="retired", phase="gone"),
        memory("m-2", kind="decision"),
    )

    def ids(**chosen: Any) -> list[str]:
        return [row.memory.id for row in store.rows(**chosen)]

    assert ids() == ["m-3", "m-1", "m-2"]
    assert (
        ids(phases=("live",)) == ["m-3", "m-2"] and ids(state="retired") == ["m-1"] and ids(kind="decision") == ["m-2"]
    )
    assert ids(due=NOW) == [] and ids(due=NOW + timedelta(days=2)) == ["m-3"]
    assert store.counts()[("gone", "retired", "lesson")] == 1


def test_words_find_what_holds_them_now(store: SqliteStore) -> None:
    """Contract: the index follows every change and every removal."""
    item = memory("m-1", "Caching headers expire at midnight")
    write(store, item)
    assert [row.memory.id for row in store.matching(store.asked("midnight"), 5)] == ["m-1"]
    revise(store, item, 1, title="Caching", text="Caching headers never expire")
    assert store.matching(store.asked("midnight"), 5) == []
    erase(store, "m-1", 2)
    assert store.matching(store.asked("caching"), 5) == []


@pytest.mark.parametrize(
    "query", ['"', "a OR", "NEAR(", "*", "col:x", "-x", "'; DROP TABLE memory;--", "", "\x00", "🦊"]
)
def test_no_query_is_syntax(query: str, store: SqliteStore) -> None:
    """S5: whatever is typed is words."""
    write(store, memory("m-1"))
    assert isinstance(store.matching(store.asked(query), 5), list)


def test_files_find_what_is_about_them_or_their_folder(store: SqliteStore) -> None:
    """Contract: by the file's name and by its folder, eligible memories only."""
    write(
        store,
        memory("m-1", files=("src/app/main.py",)),
        memory("m-2", files=("docs/index.md",)),
        memory("m-3", files=("src/app/main.py",), state="retired", phase="gone"),
    )
    assert [row.memory.id for row in store.about_files(["src/app/main.py"], 5)] == ["m-1"]


def test_the_weightiest_come_first(store: SqliteStore) -> None:
    """Contract: by the verdict's weight, eligible ones only."""
    write(store, memory("m-1"), memory("m-2", state="canonical"), memory("m-3", state="retired", phase="gone"))
    assert [row.memory.id for row in store.weightiest(5)] == ["m-2", "m-1"]


def test_a_run_counts_once(store: SqliteStore) -> None:
    """Issue: one run counts once, however often it repeats itself."""
    assert [store.record_run(name, NOW) for name in ("a", "b", "a", "b", "c")] == [1, 2, 2, 2, 3]


def test_what_was_shown_is_remembered_newest_first(store: SqliteStore) -> None:
    """S7: an injection can be asked for afterwards, and its query is blanked when the memory is erased."""
    write(store, memory("m-1"), memory("m-2"))
    for query in ("first question", "second question"):
        store.record_injection(NOW, [{"id": "m-1", "score": 1.0}], run="r", task="t", agent="a", query=query)
    assert [item["query"] for item in store.injections("m-1")] == ["second question", "first question"]
    assert store.injections("m-2") == []
    erase(store, "m-1", 1)
    assert {item["query"] for item in store.injections("m-1")} == {""}


def test_an_erased_memory_leaves_its_id_and_the_fact(store: SqliteStore) -> None:
    """P1, P4: the ledger keeps id, time and kind of event, not content."""
    write(store, memory("m-1", "Something private"))
    erase(store, "m-1", 1)
    events = [entry.event for entry in store.history("m-1")]
    assert [event.type for event in events] == ["Created", "Forgotten"] and all(not event.set for event in events)
    assert store.get("m-1") is None and store.finish_erasure() is True


def test_a_forgotten_text_is_recognised(store: SqliteStore) -> None:
    """P2: by its mark."""
    write(store, memory("m-1"))
    assert not store.is_forgotten("some text")
    store.mark_forgotten("m-1", store.marks(["some text"]), NOW)
    assert store.is_forgotten("some text") and not store.is_forgotten("some texts")


def test_a_failure_inside_takes_everything_back(store: SqliteStore) -> None:
    """R2: what happens between `writing` and its end is one change."""
    with pytest.raises(Conflict):
        _write_twice(store)
    assert store.rows() == [] and store.runs_now() == 0
    write(store, memory("m-1"))
    assert len(store.rows()) == 1


def _write_twice(store: SqliteStore) -> None:
    with store.writing():
        write(store, memory("m-1"))
        store.record_run("r", NOW)
        write(store, memory("m-1"))


def test_ids_are_found_by_their_beginning(store: SqliteStore) -> None:
    """Issue: ambiguous prefix: all listed."""
    write(store, memory("build-a"), memory("build-b"), memory("test-a"))
    assert store.ids_with_prefix("build") == ["build-a", "build-b"] and store.ids_with_prefix("x") == []
    assert sorted(store.ids()) == ["build-a", "build-b", "test-a"]


def test_it_can_be_closed_and_used_again(store: SqliteStore) -> None:
    """Contract: the next use opens it again, with everything in it (a store in memory forgets)."""
    write(store, memory("m-1"))
    store.close()
    assert len(store.rows()) == (1 if store.path else 0)
