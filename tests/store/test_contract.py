"""What every store must do, whatever it is made of. `makers.py` lists the stores; nothing here knows one of them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tenure.model import memory as memories
from tenure.model import policy as policies
from tenure.model.errors import Conflict
from tenure.model.events import Event, EventType, Life, Recorded, Revision, encoded
from tenure.model.evolve import born, change, fold
from tenure.model.guard import Guard
from tenure.model.memory import Memory, Signals
from tenure.recall.query import FIELDS
from tenure.rules.stored_verdict import verdict
from tenure.store.api import Exposed, GuardFire, SessionOutcome, Store
from tests.store.makers import MAKERS

NOW = datetime(2026, 4, 3, 14, 0, tzinfo=UTC)
POLICY, _ = policies.load("tenure", {})


@pytest.fixture(params=list(MAKERS))
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    made = MAKERS[request.param](tmp_path)
    yield made
    made.close()


def memory(id: str, text: str = "", **fields: Any) -> Memory:
    """Return a live memory."""
    given = {"kind": "lesson", "title": text or f"About {id}", "text": text or f"What {id} says about {id}"}
    state = {"state": "provisional", "phase": "live", "signals": Signals(confidence=40, evidence_count=1)}
    return Memory(id=id, **{**given, **state, "created_at": NOW, "updated_at": NOW, "trust": "user", **fields})


def write(store: Store, *items: Memory) -> int:
    """Write new memories as one changeset."""
    revisions = [Revision(memory_id=m.id, events=(born(m),), after=m, expected_version=0) for m in items]
    return store.commit(revisions, [verdict(m, POLICY) for m in items])


def revise(store: Store, before: Memory, seen: int, **fields: Any) -> Memory:
    """Change fields of a memory that was seen at a version."""
    event = change(before, EventType.EDITED, NOW, set=fields)
    after = fold([born(before), event])
    assert after is not None
    revision = Revision(memory_id=before.id, events=(event,), after=after, expected_version=seen)
    store.commit([revision], [verdict(after, POLICY)])
    return after


def erase(store: Store, id: str, seen: int, *marks: bytes) -> None:
    detail = {"marks": [mark.hex() for mark in marks]}
    event = Event(type=EventType.FORGOTTEN, memory_id=id, at=NOW, detail=detail)
    store.commit([Revision(memory_id=id, events=(event,), after=None, expected_version=seen)], [None])
    store.health.erase(id, marks, NOW)


def found(store: Store, text: str, limit: int = 5, **chosen: Any) -> list[str]:
    return [row.memory.id for row in store.search(text, limit, **chosen).rows]


def ids(store: Store, **chosen: Any) -> list[str]:
    return [row.memory.id for row in store.find(**chosen)]


def problems(store: Store) -> list[tuple[str, str]]:
    return list(store.health.check(POLICY))


def test_this_suite_knows_no_implementation() -> None:
    """HOUSE: the contract suite takes any implementation as a parameter."""
    tree = ast.parse(Path(__file__).read_text("utf-8"))
    used = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module}
    assert {name for name in used if name.startswith("tenure.store")} == {"tenure.store.api"}
    public = {name for name in dir(Store) if not name.startswith("_")} | {"damaged"}
    asked = {
        node.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "store"
    }
    assert asked <= public


# Reading


def test_an_empty_store_has_nothing_and_says_so(store: Store) -> None:
    """Contract: reading never needs a store to exist, and does not make one."""
    assert store.get("m-1") is None and store.find() == [] and store.history("m-1") == []
    assert found(store, "anything") == [] and store.counts() == {} and store.runs() == 0
    assert list(store.batches()) == [] and store.activity.shown() == [] and store.activity.injection(None) is None
    assert store.ids() == [] and store.used_ids(["m-1"]) == set() and store.forgotten(["m-1"]) == set()
    assert store.setting("any") == "" and store.vectors.encoder() == "" and store.vectors.codes().numbers == []
    assert store.similar("anything at all", 5, 8) == [] and not store.health.is_erasing()
    assert not store.exists and store.identity == ""


def test_what_is_written_is_read_back_equal(store: Store) -> None:
    """Contract: a memory comes back as it went in, at version 1."""
    item = memory("m-1", tags=("a", "b"), files=("src/x.py",), content={"steps": ["one", "two"]})
    write(store, item)
    row = store.get("m-1")
    assert row is not None and row.memory == item and row.version == 1 and row.eligible
    assert problems(store) == []


def test_memories_are_found_by_all_that_is_given(store: Store) -> None:
    """Contract: conditions combine; order is that of capture."""
    write(
        store,
        memory("m-3", review_after=NOW + timedelta(days=1)),
        memory("m-1", state="retired", phase="gone"),
        memory("m-2", kind="decision"),
    )
    assert ids(store) == ["m-3", "m-1", "m-2"] and ids(store, limit=2) == ["m-3", "m-1"]
    assert ids(store, phases=("live",)) == ["m-3", "m-2"] and ids(store, phases=("live", "gone")) == ids(store)
    assert ids(store, state="retired") == ["m-1"] and ids(store, kind="decision") == ["m-2"]
    assert ids(store, kind="decision", state="retired") == []
    assert ids(store, due=NOW) == [] and ids(store, due=NOW + timedelta(days=2)) == ["m-3"]
    assert [store.overview.count_due(NOW + timedelta(days=days)) for days in (0, 2)] == [0, 1]
    assert ids(store, among="present") == ["m-3", "m-2"] == ids(store, among="eligible")
    assert ids(store, numbers=[]) == [] and ids(store, files=[]) == []
    assert store.counts() == {("live", "provisional", "lesson"): 1, ("gone", "retired", "lesson"): 1} | {
        ("live", "provisional", "decision"): 1
    }


def test_what_was_never_used_may_wait_for_a_person(store: Store) -> None:
    """Choice: a step that asks for no use at all is reached without one; a record leaves out a 0."""
    write(store, memory("unused"))
    assert [row.memory.id for row in store.overview.waiting(NOW, {"provisional": 0})] == ["unused"]
    assert store.overview.waiting(NOW, {"provisional": 1}) == []


def test_the_order_of_capture_is_a_fact_of_each_memory(store: Store) -> None:
    """HOUSE: numbered from 1 on, kept by edits, removals of others and a rebuild; a later one is always higher."""
    first, second = memory("m-b"), memory("m-a")
    write(store, first, second)
    write(store, memory("m-c"))
    revise(store, first, 1, title="Second title")
    erase(store, "m-a", 1)
    store.health.rebuild(lambda item: verdict(item, POLICY))
    write(store, memory("m-d"))
    assert [(row.memory.id, row.number) for row in store.find()] == [("m-b", 1), ("m-c", 3), ("m-d", 4)]
    assert ids(store, numbers=[4, 1, 2]) == ["m-b", "m-d"]
    assert store.search("", 0).query.total == 4


def test_memories_that_say_the_same_have_one_fingerprint(store: Store) -> None:
    """Contract: by what the verdict says of the text."""
    write(store, memory("m-1", "Use  tabs."), memory("m-2", "use tabs"), memory("m-3", "Use spaces"))
    assert ids(store, fingerprint=verdict(memory("x", "USE TABS"), POLICY).fingerprint) == ["m-1", "m-2"]


def test_files_find_what_is_about_them_or_their_folder(store: Store) -> None:
    """Contract: by the file's name and by its folder."""
    write(
        store,
        memory("m-1", files=("src/app/main.py",)),
        memory("m-2", files=("docs/index.md",)),
        memory("m-3", files=("src/app/main.py",), state="retired", phase="gone"),
    )
    assert ids(store, among="eligible", files=["src/app/main.py"]) == ["m-1"]
    assert ids(store, files=["src/app/main.py"]) == ["m-1", "m-3"]


def test_the_weightiest_come_first(store: Store) -> None:
    """Contract: by the verdict's weight, then by the order of capture."""
    write(store, memory("m-1"), memory("m-2", state="canonical"), memory("m-3", state="retired", phase="gone"))
    assert ids(store, among="eligible", by_weight=True, limit=5) == ["m-2", "m-1"]
    assert ids(store, among="eligible", by_weight=True, limit=1) == ["m-2"]


def test_ids_are_found_by_their_beginning(store: Store) -> None:
    """Issue: ambiguous prefix: all listed."""
    write(store, memory("build-b"), memory("build-a"), memory("test-a"))
    assert (
        store.ids("build") == ["build-a", "build-b"] and store.ids("x") == [] and store.ids("build", 1) == ["build-a"]
    )
    assert store.ids() == ["build-a", "build-b", "test-a"] and store.ids("build", 1) == ["build-a"]


# Searching


def test_words_find_what_holds_them_now(store: Store) -> None:
    """Contract: the index follows every change and every removal."""
    item = memory("m-1", "Caching headers expire at midnight")
    write(store, item)
    assert found(store, "midnight") == ["m-1"]
    revise(store, item, 1, title="Caching", text="Caching headers never expire")
    assert found(store, "midnight") == []
    erase(store, "m-1", 2)
    assert found(store, "caching") == []


def test_a_hit_says_what_matched_in_each_field(store: Store) -> None:
    """HOUSE: the ranking gets words and matches, and knows no index syntax."""
    write(
        store,
        memory("m-1", "Alder grows slowly", tags=("wood",)),
        memory("m-2", "Nothing alike", content={"note": "alder"}),
        memory("m-3", "Call parse_config once"),
    )
    result = store.search("alder wood", 5)
    words = [term.word for term in result.query.terms]
    assert sorted(words) == ["alder", "wood"] and result.query.total == 3
    fields = {
        hit.row.memory.id: {name for name, value in zip(FIELDS, hit.match.fields, strict=True) if value}
        for hit in result.hits
    }
    # A title that only repeats the text is no second place.
    assert fields == {"m-1": {"text", "tags"}, "m-2": {"content"}}
    first = next(hit for hit in result.hits if hit.row.memory.id == "m-1")
    assert {words[place] for place in first.match.hit} == {"alder", "wood"}
    assert first.match.information == pytest.approx(result.query.information)
    (named,) = store.search("parseConfig", 5).hits
    # One word that the query writes like any other counts as a name loosely.
    assert named.match.fields[FIELDS.index("names")] + named.match.loose > 0


def test_words_that_no_memory_has_are_told_apart_from_those_left_out(store: Store) -> None:
    """Contract: the ranking weighs what was asked for against what could be found."""
    write(store, memory("m-1", "Alder grows slowly"))
    query = store.search("alder zanzibar quagmire oxbow", 5).query
    assert [term.word for term in query.terms] == ["alder"] and query.unknown > 0
    assert {term.word for term in query.left_out if not term.field} == {"zanzibar", "quagmire", "oxbow"}


def test_a_search_looks_among_those_asked_for_and_keeps_the_best(store: Store) -> None:
    """Contract: `keep` returns those that hold most of the query, or the best by a measure of the caller's."""
    write(
        store,
        memory("m-1", "Alder"),
        memory("m-2", "Alder birch"),
        memory("m-3", "Alder birch cedar"),
        memory("m-4", "Alder birch cedar ebony", state="retired", phase="gone"),
    )
    query = "alder birch cedar ebony"
    assert set(found(store, query)) == {"m-1", "m-2", "m-3", "m-4"} and len(found(store, query, 2)) == 2
    assert set(found(store, query, among="present")) == {"m-1", "m-2", "m-3"}
    assert found(store, query, keep=1) == ["m-4"] and found(store, query, keep=1, among="eligible") == ["m-3"]
    assert found(store, query, keep=2, best=lambda parsed, match, number: -number) == ["m-1", "m-2"]
    assert sorted(store.search(query, 5, keep=1).matches) == [1, 2, 3, 4], "also of those that are not kept"


@pytest.mark.parametrize(
    "query", ['"', "a OR", "NEAR(", "*", "col:x", "-x", "'; DROP TABLE memory;--", "", "\x00", "🦊"]
)
def test_no_query_is_syntax(query: str, store: Store) -> None:
    """S5: whatever is typed is words."""
    write(store, memory("m-1"))
    assert found(store, query) in ([], ["m-1"])


def test_what_is_most_like_a_text_comes_first(store: Store) -> None:
    """Contract: the rules compare a new text with these before anything is written."""
    write(
        store,
        memory("m-1", "Run the database migrations before the integration tests"),
        memory("m-2", "Prefer tabs in makefiles"),
        memory("m-3", "Run the database migrations before every release of the billing service on Friday"),
    )
    said = "Run database migrations before integration tests"
    assert [row.memory.id for row in store.similar(said, 5, 8)][:1] == ["m-1"]
    assert "m-2" not in [row.memory.id for row in store.similar(said, 5, 8)]


# Writing


def test_a_changeset_is_all_or_nothing(store: Store) -> None:
    """R2: a conflict in the last revision leaves nothing of the first."""
    write(store, memory("m-1"))
    with pytest.raises(Conflict):
        write(store, memory("m-2"), memory("m-1"))
    assert store.get("m-2") is None and store.history("m-2") == [] and len(store.find()) == 1


@pytest.mark.parametrize("seen", [0, 1, 3, 99])
def test_a_change_must_name_the_version_it_saw(seen: int, store: Store) -> None:
    """R3: any version but the current one is a conflict."""
    first = memory("m-1")
    write(store, first)
    revise(store, first, 1, title="Second")
    with pytest.raises(Conflict):
        revise(store, first, seen, title="Third")
    row = store.get("m-1")
    assert row is not None and (row.memory.title, row.version) == ("Second", 2)


def test_an_id_is_never_used_again(store: Store) -> None:
    """Issue: ids are never reused, not even after the memory was erased."""
    write(store, memory("m-1"))
    erase(store, "m-1", 1)
    assert store.used_ids(["m-1", "m-2"]) == {"m-1"}
    with pytest.raises(Conflict):
        write(store, memory("m-1"))


def test_folding_the_ledger_gives_the_row(store: Store) -> None:
    """Design: `evolve` is the only way a row changes, so the ledger proves every row."""
    item = memory("m-1")
    write(store, item)
    item = revise(store, item, 1, title="Second")
    revise(store, item, 2, text="Third text", tags=("new",))
    row = store.get("m-1")
    for prove in (False, True):
        history = store.history("m-1", prove=prove)
        assert row is not None and fold(entry.event for entry in history) == row.memory
        assert [entry.version for entry in history] == [1, 2, 3] and not any(entry.erased for entry in history)


def test_a_memory_arrives_with_its_history(store: Store) -> None:
    """Issue 2: an import writes what single commands would have written, and its ids are new too."""
    first = memory("m-1", "Alder grows slowly")
    edit = change(first, EventType.EDITED, NOW, set={"text": "Alder grows fast"})
    after = fold([born(first), edit])
    assert after is not None
    life = Life(after, memories.encode(after).decode(), (encoded(born(first)), encoded(edit)))
    with store.writing(many=True):
        batch = store.commit([life], [verdict(after, POLICY)])
    row = store.get("m-1")
    assert row is not None and (row.memory, row.version) == (after, 2) and found(store, "fast") == ["m-1"]
    assert [entry.event.type for entry in next(store.batches())] == ["Created", "Edited"] and batch == 1
    with pytest.raises(Conflict):
        store.commit([life], [verdict(after, POLICY)])
    assert len(store.find()) == 1 and problems(store) == []


def test_entries_are_numbered_without_gaps_and_grouped_by_command(store: Store) -> None:
    """Contract: seq is dense and ordered; a batch holds what one command did; a later changeset may join it."""
    first = write(store, memory("m-1"), memory("m-2"))
    second = store.commit(
        [Revision(memory_id="m-3", events=(born(memory("m-3")),), after=memory("m-3"), expected_version=0)],
        [verdict(memory("m-3"), POLICY)],
        batch=first,
    )
    third = write(store, memory("m-4"))
    assert first == second != third

    def numbers(batches: Iterator[list[Recorded]]) -> list[list[int]]:
        return [[entry.seq for entry in entries] for entries in batches]

    assert numbers(store.batches()) == [[4], [1, 2, 3]]
    assert numbers(store.batches(2)) == [[1, 2, 3]] and numbers(store.batches(4)) == [[4], [1, 2, 3]]
    assert numbers(store.batches(0)) == []


def test_a_failure_inside_takes_everything_back(store: Store) -> None:
    """R2: what happens between `writing` and its end is one change."""
    with pytest.raises(Conflict):
        _write_twice(store)
    assert store.find() == [] and store.runs() == 0 and store.setting("k") == ""
    write(store, memory("m-1"))
    assert len(store.find()) == 1


def _write_twice(store: Store) -> None:
    with store.writing():
        write(store, memory("m-1"))
        store.activity.record_run("r", NOW)
        store.keep("k", "v")
        write(store, memory("m-1"))


def test_what_is_not_to_be_made_is_not_made(store: Store) -> None:
    """Contract: a rehearsal works on an empty store and leaves nothing; on one that exists it is an ordinary change."""
    with store.writing(makes=False):
        write(store, memory("m-1"))
        assert len(store.find()) == 1
    assert (store.find(), store.exists) == ([], False)
    write(store, memory("m-2"))
    if store.exists:
        with store.writing(makes=False):
            write(store, memory("m-3"))
        assert len(store.find()) == 2


def test_texts_are_kept_beside_the_memories(store: Store) -> None:
    """Contract: limits for hooks and points of silence."""
    store.keep("a", "one")
    store.keep("a", "two")
    assert store.setting("a") == "two" and store.setting("b") == ""


def test_it_can_be_closed_and_used_again(store: Store) -> None:
    """Contract: the next use opens it again, with everything in it (one that does not exist forgets)."""
    write(store, memory("m-1"))
    kept = [1] if store.exists else []
    identity = store.identity
    store.close()
    assert [row.number for row in store.find()] == kept and store.identity == identity
    assert bool(identity) == bool(kept)


# Runs and injections


def test_a_run_counts_once(store: Store) -> None:
    """Issue: one run counts once, however often it repeats itself."""
    assert [store.activity.record_run(name, NOW) for name in ("a", "b", "a", "b", "c")] == [1, 2, 2, 2, 3]
    assert store.runs() == 3


def test_what_was_shown_is_remembered_newest_first(store: Store) -> None:
    """S7: an injection can be asked for afterwards, and its query is blanked when the memory is erased."""
    write(store, memory("m-1"), memory("m-2"))
    for number, query in enumerate(("first question", "second question"), start=1):
        notes = [{"id": "m-1", "score": 1.0}, {"id": "m-2", "score": 0.5}][:number]
        store.activity.record(NOW, notes, run=f"r{number}", task="t", agent="a", query=query)
    store.activity.record(NOW, [], run="r2", task="", agent="", query="nothing was shown")
    shown = store.activity.shown
    assert [item.query for item in shown(id="m-1")] == ["second question", "first question"]
    assert [item.number for item in shown(id="m-2")] == [2] and shown(id="m-3") == []
    assert [item.ids for item in shown()] == [("m-1", "m-2"), ("m-1",)]
    assert [item.number for item in shown(run="r1")] == [1] and len(shown(task="t", agent="a")) == 2
    assert [item.number for item in shown(1)] == [2] and shown(agent="b") == []
    newest, first = store.activity.injection(None), store.activity.injection(1)
    assert newest is not None and [note.id for note in newest.notes] == ["m-1", "m-2"] and newest.number == 2
    assert first is not None and first.query == "first question" and store.activity.injection(9) is None
    store.activity.reword(1, query="a question", task="T")
    store.activity.reword(9, query="nobody's", task="")
    first = store.activity.injection(1)
    assert first is not None and (first.query, first.task, first.run) == ("a question", "T", "r1")
    erase(store, "m-1", 1)
    assert {item.query for item in shown(id="m-1")} == {""}


# Effects


def exposed(session: str, memory: str, **fields: Any) -> Exposed:
    given = {"at": "2026-04-03T14:00:00Z", "shown": False, "share": 0.5, "surface": "prompt", "host": "codex"}
    return Exposed(session=session, memory=memory, **{**given, "kind": "lesson", **fields})


def test_the_first_exposure_of_a_memory_in_a_session_stands(store: Store) -> None:
    """Effect issue: others wrote a held row at every touch, so that one arm counted several times."""
    write(store, memory("m-1"), memory("m-2"))
    store.effects.expose([exposed("s1", "m-1"), exposed("s1", "m-2", shown=True), exposed("s2", "m-1", share=0.2)])
    store.effects.expose([exposed("s1", "m-1", shown=True, share=0.05)])
    assert [(e.session, e.memory, e.shown, e.share) for e in store.effects.exposures()] == [
        ("s1", "m-1", False, 0.5),
        ("s1", "m-2", True, 0.5),
        ("s2", "m-1", False, 0.2),
    ]
    assert [e.memory for e in store.effects.exposures(session="s2")] == ["m-1"]
    assert [e.session for e in store.effects.exposures(memory="m-2")] == ["s1"]
    assert problems(store) == []


def test_the_coin_is_told_what_it_must_know(store: Store) -> None:
    """Effect issue: in one question, because a hook asks it before each message."""
    write(store, memory("m-1", tags=("Security",)), memory("m-2", trust="model", kind="constraint"))
    store.effects.expose([exposed("s1", "m-1"), exposed("s2", "m-1", shown=True), exposed("s1", "(block)", shown=True)])
    secret, block, known = store.effects.known("s1", ["m-1", "m-2", "m-3"])
    assert len(secret) == 32 and block is True
    assert [tuple(row) for row in known] == [
        ("m-1", "lesson", "provisional", 1, 1, 2, 0),
        ("m-2", "constraint", "provisional", 0, 0, 0, None),
    ]
    assert store.effects.known("s2", ["m-1"])[1] is None


def test_what_became_of_an_exposure_is_added_to_it(store: Store) -> None:
    """Effect issue: who was meant to be without a memory counts so, and that it came another way is counted."""
    write(store, memory("m-1"))
    store.effects.expose([exposed("s1", "m-1"), exposed("s1", "m-2", shown=True)])
    store.effects.settle("s1", crossed=["m-1", "m-9"], own=[("m-2", True)])
    first, second = store.effects.exposures()
    assert (first.crossed, first.own, first.shown) == (True, None, False)
    assert (second.crossed, second.own, second.shown) == (False, True, True) and problems(store) == []


def test_an_outcome_is_written_once_per_session_and_unknown_is_not_zero(store: Store) -> None:
    """Effect issue: a host that does not say how a command ended is not one where none failed."""
    unknown = SessionOutcome(session="s1", at="2026-04-03T14:00:00Z", host="codex")
    known = SessionOutcome(
        session="s2", at="2026-04-03T15:00:00Z", host="codex", corrections=0, ended_red=True, errors=(7, 9), model="x"
    )
    store.effects.conclude(unknown)
    store.effects.conclude(known)
    store.effects.conclude(known)
    assert store.effects.outcomes() == [unknown, known]
    assert store.effects.outcomes(limit=1) == [known] == store.effects.outcomes(session="s2")
    assert (unknown.troubled, known.troubled) == (None, True)
    assert SessionOutcome(session="s", at="", host="", corrections=0, same_errors=None).troubled is False
    store.effects.conclude(SessionOutcome(session="s1", at="2026-04-04T15:00:00Z", host="codex", corrections=2))
    assert [o.corrections for o in store.effects.outcomes()] == [2, 0] and problems(store) == []


def test_a_forgotten_memory_leaves_no_exposure(store: Store) -> None:
    """P1: not even its id."""
    write(store, memory("m-1"), memory("m-2"))
    store.effects.expose([exposed("s1", "m-1"), exposed("s1", "m-2")])
    erase(store, "m-1", 1)
    assert [e.memory for e in store.effects.exposures()] == ["m-2"]


# Lists and guards


def page(store: Store, limit: int = 9, **chosen: Any) -> list[str]:
    return [row.memory.id for row in store.overview.memories(limit, **chosen)]


def test_a_list_is_read_page_by_page_in_every_order(store: Store) -> None:
    """Contract of `Overview.memories`: `after` is the last memory of the page before."""
    write(store, memory("m-2"), memory("m-3", signals=Signals(confidence=90, evidence_count=3)), memory("m-1"))
    for sort, whole in (
        ("newest", ["m-1", "m-3", "m-2"]),
        ("oldest", ["m-2", "m-3", "m-1"]),
        ("id", ["m-1", "m-2", "m-3"]),
        ("weight", ["m-3", "m-2", "m-1"]),
    ):
        assert page(store, sort=sort) == whole
        assert page(store, 2, sort=sort) == whole[:2] and page(store, 2, sort=sort, after=whole[1]) == whole[2:]


def test_a_list_has_what_fits_all_that_is_given(store: Store) -> None:
    """Contract of `Overview.memories`: conditions combine, and each leaves out what does not fit it."""
    write(
        store,
        memory("m-1", conflicts=("m-2",), files=("src/a.py",)),
        memory("m-2", "Alder grows slowly", guard=Guard(tool="run"), scope="global"),
        memory("m-3", state="retired", phase="gone", kind="decision"),
    )
    assert page(store, conflicting=True) == ["m-1"] == page(store, file="a.py") == page(store, file="src/a.py")
    assert page(store, guarded=True) == ["m-2"] == page(store, text="ALDER") == page(store, scope="global")
    assert page(store, phases=("gone",)) == ["m-3"] == page(store, state="retired") == page(store, kind="decision")
    assert page(store, scope="project", phases=("live", "gone")) == ["m-3", "m-1"]
    assert page(store, conflicting=True, guarded=True) == [] == page(store, file="b.py")


def fire(memory: str, session: str, outcome: str, at: str = "2026-04-03T14:00:00Z") -> GuardFire:
    return GuardFire(0, at, memory, session, "codex", outcome, "git push", f"{session}-call")


def test_what_came_of_a_guard_is_kept_judged_and_goes_with_its_memory(store: Store) -> None:
    """DESIGN (guards), P1: fires come back as they were noted; forgetting a memory leaves none of them."""
    write(store, memory("m-1"), memory("m-2"))
    noted = [fire("m-1", "s1", "denied"), fire("m-2", "s2", "asked", "2026-04-04T14:00:00Z")]
    for one in noted:
        store.guards.note(one)
    kept = store.guards.fires()
    assert [one._replace(number=0) for one in kept] == noted and kept[0].number < kept[1].number
    assert store.guards.fires(memory="m-1") == kept[:1] and store.guards.fires(since="2026-04-04") == kept[1:]
    store.guards.judge(kept[1].number, "wrong")
    assert [one.verdict for one in store.guards.fires()] == ["", "wrong"] and problems(store) == []
    erase(store, "m-2", 1)
    assert store.guards.fires() == kept[:1] and problems(store) == []


# Vectors


def test_a_vector_goes_with_the_text_it_was_made_of(store: Store) -> None:
    """Contract: one encoder at a time; whatever changes a text takes its vector and its related words away."""
    first, second = memory("m-1", "Alder grows slowly"), memory("m-2", "Birch is white")
    write(store, first, second, memory("m-3", state="retired", phase="gone"))
    vectors = store.vectors
    assert vectors.count_missing("toy") == 2
    rows = vectors.missing("toy", 5)
    assert [row.number for row in rows] == [1, 2] and [row.number for row in vectors.missing("toy", 5, 1)] == [2]
    vectors.keep("toy", rows, [b"\1\2", b"\3\4\5\6"], ["shrub", ""])
    assert vectors.encoder() == "toy" and vectors.count_missing("toy") == 0 and vectors.missing("toy", 5) == []
    codes = vectors.codes("eligible")
    assert (codes.numbers, codes.packed) == ([1, 2], b"\1\2\3\4\5\6") and codes.place(2) == 1 and codes.place(3) is None
    # A long memory has a vector for each passage.
    assert list(codes.sizes) == [2, 4]
    assert vectors.some([2, 3]) == [(2, b"\3\4\5\6")] and found(store, "shrub") == ["m-1"]
    revise(store, first, 1, title="Other", text="Something else")
    assert vectors.codes().numbers == [2] and found(store, "shrub") == []
    assert vectors.count_missing("another") == 2 and [row.number for row in vectors.missing("another", 5)] == [1, 2]
    assert vectors.codes().numbers == [] and problems(store) == []


def test_a_text_that_changed_meanwhile_gets_no_vector(store: Store) -> None:
    """Contract: the encoder takes its time, and nobody waits for it."""
    first = memory("m-1", "Alder grows slowly")
    write(store, first)
    rows = store.vectors.missing("toy", 5)
    revise(store, first, 1, title="Other", text="Something else")
    store.vectors.keep("toy", rows, [b"\1\2"], [""])
    assert store.vectors.codes().numbers == [] and store.vectors.count_missing("toy") == 1


# Health


def test_a_changed_policy_reaches_the_verdicts(store: Store) -> None:
    """Design: verdicts are decided when writing; judging anew tells how many changed, and keeps the version."""
    write(store, memory("m-1"), memory("m-2"))
    from msgspec.structs import replace

    def judge(item: Memory) -> Any:
        return replace(verdict(item, POLICY), eligible=item.id != "m-2")

    assert store.health.rejudge(judge) == 1 and store.health.rejudge(judge) == 0
    assert ids(store, among="eligible") == ["m-1"] and [row.version for row in store.find()] == [1, 1]


def test_a_rebuild_makes_the_same_again(store: Store) -> None:
    """Contract: whatever follows from the memories can be made anew at any time."""
    write(store, memory("m-1", "Alder grows slowly", files=("src/a.py",)), memory("m-2"))
    before = store.find()
    assert store.health.rebuild(lambda item: verdict(item, POLICY)) == 2
    assert store.find() == before and found(store, "alder") == ["m-1"] and ids(store, files=["a.py"]) == ["m-1"]
    assert problems(store) == [] and not store.health.needs_rebuild()


def test_an_erased_memory_leaves_its_id_and_the_fact(store: Store) -> None:
    """P1, P4: the ledger keeps id, time and kind of event, not content."""
    write(store, memory("m-1", "Something private"))
    erase(store, "m-1", 1)
    history = store.history("m-1", prove=True)
    assert [entry.event.type for entry in history] == ["Created", "Forgotten"]
    assert [entry.erased for entry in history] == [True, False] and all(not entry.event.set for entry in history)
    assert store.get("m-1") is None and store.health.is_erasing()
    assert store.health.finish_erasing() is True and not store.health.is_erasing() and problems(store) == []


def test_a_forgotten_text_is_recognised(store: Store) -> None:
    """P2: by its mark, which is this store's own."""
    write(store, memory("m-1"))
    mark = store.mark("some text")
    assert mark == store.mark("some text") != store.mark("some texts") and store.forgotten(["some text"]) == set()
    erase(store, "m-1", 1, mark)
    assert store.forgotten(["some text", "some texts"]) == {"some text"} and problems(store) == []


def test_what_frees_space_is_done_and_answered(store: Store) -> None:
    """R9: where the disk is not full, it is an ordinary call."""
    with store.health.despite_a_full_disk() as do:
        assert do(lambda: write(store, memory("m-1"))) == 1


def test_its_own_files_are_known(store: Store, tmp_path: Path) -> None:
    """R7: nobody exports over the store."""
    write(store, memory("m-1"))
    assert not store.owns(tmp_path / "export.jsonl")
    if store.exists:
        assert store.owns(Path(store.place))


def test_a_change_of_something_erased_says_at_which_version_it_is(store: Store) -> None:
    """Contract of `commit`: whoever saw it before must not bring it back."""
    before = memory("m-1")
    write(store, before)
    erase(store, "m-1", 1)
    with pytest.raises(Conflict, match="m-1 is at version 2, not 1"):
        revise(store, before, 1, title="Back again")


def test_an_id_is_taken_only_once(store: Store) -> None:
    """Contract of `commit`: whoever chose an id that is there learns that, not a version nobody asked for."""
    write(store, memory("m-1"))
    with pytest.raises(Conflict, match="The id 'm-1' is taken"):
        write(store, memory("m-1", "Something else"))
    with pytest.raises(Conflict, match="The id 'm-2' is taken"):
        write(store, memory("m-2"), memory("m-2", "Something else"))
    assert store.ids() == ["m-1"]


def test_a_long_check_says_how_far_it_is(store: Store) -> None:
    """Contract of `check`: a person who waits is told, and a store of a few memories says nothing."""
    heard: list[tuple[int, int]] = []
    write(store, *(memory(f"m-{number}") for number in range(501)))
    assert list(store.health.check(POLICY, lambda done, total: heard.append((done, total)))) == []
    assert heard == [(500, 501)]


def test_a_words_beginning_finds_where_it_is_asked_for(store: Store) -> None:
    """Contract of `search`: a prompt is whole words; a person who searches may type the beginning of one."""
    write(store, memory("m-1", "Alder grows slowly"), memory("m-2", "Birch is white"))
    assert found(store, "alde") == [] and found(store, "alde", beginnings=True) == ["m-1"]


def test_the_first_vector_of_each_memory_is_told(store: Store) -> None:
    """Contract of `Codes`: where every memory has one vector no sizes are given."""
    write(store, memory("m-1"), memory("m-2"))
    rows = store.vectors.missing("toy", 5)
    store.vectors.keep("toy", rows, [b"\1\2", b"\3\4"], ["", ""])
    assert store.vectors.codes().firsts() == (b"\1\2\3\4", 2)
    store.vectors.keep("toy", rows[1:], [b"\5\6\7\x08"], [""])
    assert store.vectors.codes().firsts() == (b"\1\2\5\6", 2)
