"""What hooks read of a store and write to it, each promise of `hook_api.HookStore` once."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import apsw
import msgspec
import pytest

from tenure.files import durable
from tenure.model.guard import CommandRule, Guard
from tenure.model.memory import Signals
from tenure.recall import LAYERS_APART, LEARNED_KEY, LIMITS_KEY
from tenure.store import open_for_hook, open_store
from tenure.store.api import Store
from tenure.store.hook_api import HookStore
from tenure.store.sqlite.hook_reader import SqliteHookStore
from tests.store.test_contract import NOW, memory, revise, write

AT = "2026-04-03T14:00:00Z"
PUSH = Guard(state="on", level="deny", tool="run", commands=(CommandRule(program="git", words=("push",)),))


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    monkeypatch.setenv("TENURE_NOW", AT)
    made = open_store(tmp_path / "store.db")
    yield made
    made.close()


def hook(store: Store, layer: str = "") -> HookStore:
    return open_for_hook(store.place, lambda: False, layer)


def test_a_hook_knows_the_store_by_the_same_name(store: Store) -> None:
    """Contract: trust is kept under `Store.identity`, and hooks ask for it there."""
    write(store, memory("m-1"))
    assert hook(store).identity() == store.identity != ""
    assert (hook(store).now, hook(store).readonly) == (AT, False)


@pytest.mark.parametrize(("kept", "limits"), [("", {}), ('{"limit": 3}', {"limit": 3}), ("[3]", {}), ("3", {})])
def test_limits_are_what_the_last_writer_kept(kept: str, limits: dict[str, int], store: Store) -> None:
    """DESIGN: a hook reads no policy; what cannot be read is no limit."""
    write(store, memory("m-1"))
    store.keep(LIMITS_KEY, kept)
    assert hook(store).limits() == limits


def test_only_what_may_be_shown_is_found(store: Store) -> None:
    """DESIGN: a candidate influences nobody."""
    write(store, memory("m-1", "Run the tests"), memory("m-2", "Run the linter", phase="pending", state="candidate"))
    query, rows = hook(store).search("run", 10)
    assert [(row.id, row.version, row.kind, row.state) for row in rows] == [("m-1", 1, "lesson", "provisional")]
    assert query.total == 2
    assert [row.id for row in hook(store).find(10)] == ["m-1"]


def test_memories_of_a_layer_beside_carry_its_name_and_are_not_neighbours(store: Store, tmp_path: Path) -> None:
    """DESIGN: numbers are the order of capture, which two stores do not share."""
    other = open_store(tmp_path / "other.db")
    write(store, memory("m-1", "Run the tests"))
    write(other, memory("m-1", "Run the tests twice"))
    _, rows = hook(store).search("tests", 10, [hook(other, "user/")])
    assert [(row.id, row.number) for row in rows] == [("m-1", 1), ("user/m-1", 1 + LAYERS_APART)]


def test_memories_are_found_by_one_thing_at_a_time(store: Store) -> None:
    """Contract of `HookStore.find`: the weightiest first, of those that are due the longest overdue."""
    write(
        store,
        memory("low", "Use `make db` first", files=("src/db.py",), signals=Signals(confidence=10, evidence_count=1)),
        memory("high", "Say hello", kind="constraint", review_after=NOW - timedelta(days=1)),
        memory("late", "Say goodbye", kind="constraint", review_after=NOW - timedelta(days=9)),
        memory("top", "Never push", state="stable", signals=Signals(confidence=90, evidence_count=5)),
    )
    found = hook(store)

    def ids(limit: int = 10, **by: object) -> list[str]:
        return [row.id for row in found.find(limit, **by)]  # type: ignore[arg-type]

    assert ids() == ["top", "high", "late", "low"]
    assert ids(2) == ["top", "high"]
    assert ids(ids=["low", "top", "gone"]) == ["top", "low"]
    assert ids(files=["db.py"]) == ids(files=["src"]) == ["low"]
    assert ids(phrases=['make "db"', "never push"]) == ["top", "low"]
    assert ids(state="stable") == ["top"]
    assert ids(1, state="provisional") == []
    # By kind the newest of equal weight.
    assert ids(kinds=["constraint"]) == ["late", "high"]
    assert ids(due=True) == ["late", "high"]
    assert ids(1, due=True) == ["late"]


def test_facts_are_those_of_the_record(store: Store) -> None:
    """DESIGN: ranking and budget need no more of a memory than this."""
    stated = memory(
        "m-1",
        "Run the tests",
        title="Tests",
        runs=("monday",),
        agent="ana",
        conflicts=("m-2", "m-3"),
        files=("a.py", "b.py"),
        helped_at=NOW,
        verified_at=NOW - timedelta(days=2),
        signals=Signals(confidence=40, evidence_count=1, successful_reuses=3, failed_reuses=1),
    )
    write(store, stated, memory("m-2", "Other", trust="model", runs=("x", "y"), signals=Signals(successful_reuses=4)))
    known = {row.id: hook(store).facts(row) for row in hook(store).find(5)}
    one, other = known["m-1"], known["m-2"]
    assert one is not None
    assert other is not None
    assert (one.title, one.text, one.created_at, one.checked_at) == (
        "Tests",
        "Run the tests",
        AT,
        "2026-04-01T14:00:00Z",
    )
    assert (one.helped, one.harmed, one.reviewed, one.age_days) == (3, 1, True, 2.0)
    assert (one.only_run, one.first_run, one.agent) == ("monday", "monday", "ana")
    assert (one.conflicts, one.files) == (("m-2", "m-3"), ("a.py", "b.py"))
    # Uses count where somebody said that it helped; two runs are not one; nobody stated it.
    assert (other.helped, other.only_run, other.first_run, other.reviewed) == (0, "", "x", False)
    assert (other.conflicts, other.files, other.checked_at, other.age_days) == ((), (), AT, 0.0)


def test_a_row_that_was_altered_outside_tells_nothing(store: Store) -> None:
    """GUARANTEES: what somebody wrote into the database is not served."""
    write(store, memory("m-1", "Run the tests", guard=PUSH))
    with apsw.Connection(store.place) as raw:
        raw.execute("UPDATE memory SET record = replace(record, 'Run', 'Rob')")
    found = hook(store)
    assert [(found.facts(row), found.guard(row, "s")) for row in found.find(5)] == [(None, None)]


def test_what_is_there_and_what_is_live_are_counted(store: Store) -> None:
    """Contract: a citation of something gone is none, and a candidate is there although nobody is shown it."""
    write(
        store,
        memory("live"),
        memory("waits", phase="pending", state="candidate"),
        memory("gone", phase="gone", state="retired"),
    )
    assert hook(store).present(["live", "waits", "gone", "never"]) == {"live", "waits"}
    assert hook(store).count_live() == 1
    write(store, memory("live too"))
    assert [hook(store).count_live(most) for most in (-1, 1, 5)] == [2, 1, 2]


def test_the_weightiest_of_some_kinds_are_found_however_many_there_are(store: Store) -> None:
    """Issue 18: the start of a session takes at 100,000 memories what it takes at 1,000."""
    kinds = ("preference", "lesson", "constraint")
    write(store, *(memory(f"m-{n:04}", kind=kinds[n % 3]) for n in range(1500)))
    found = hook(store)
    assert isinstance(found, SqliteHookStore)
    steps = itertools.count()
    found.connection.set_progress_handler(lambda: next(steps) < 0, 10)
    newest = found.find(4, kinds=("preference", "constraint"))
    assert [row.id for row in newest] == ["m-1499", "m-1497", "m-1496", "m-1494"]
    assert next(steps) < 100, "a walk over all of them takes thousands of steps"


def test_a_session_has_seen_what_it_was_shown_since_it_was_compacted(store: Store) -> None:
    """DESIGN: once per session; a compacted session has lost what it had been shown."""
    write(store, memory("m-1"))
    at_work = hook(store)
    at_work.remember("s1", "claude-code", "first", [{"id": "m-1", "version": 1, "chars": 30}])
    at_work.remember("s2", "claude-code", "other", [{"id": "m-9", "version": 1, "chars": 7}])
    assert (at_work.seen("s1"), at_work.spent("s1")) == ({("m-1", 1)}, 30)
    at_work.forget_seen("s1", "claude-code")
    assert (at_work.seen("s1"), at_work.spent("s1")) == (set(), 0)
    at_work.remember("s1", "claude-code", "again", [{"id": "m-1", "version": 2, "chars": 31}])
    assert (at_work.seen("s1"), at_work.spent("s1")) == ({("m-1", 2)}, 31)
    assert at_work.seen("s2") == {("m-9", 1)}
    assert [(one.run, one.agent, one.query) for one in store.activity.shown()] == [
        ("s1", "claude-code", "again"),
        ("s2", "claude-code", "other"),
        ("s1", "claude-code", "first"),
    ]


def test_what_was_shown_a_thousand_injections_ago_may_be_shown_again(store: Store) -> None:
    """A choice of our own: a prompt does not wait for a look through everything that was ever shown."""
    write(store, memory("m-1"))
    store.activity.record(NOW, [{"id": "m-1", "version": 1, "chars": 9}], run="s1", task="", agent="", query="")
    with apsw.Connection(store.place) as raw:
        raw.execute("INSERT INTO injection (n, at, run, task, agent, query, memories, hash)"
                    " SELECT 1001, at, 'other', '', '', '', '[]', '' FROM injection")  # fmt: skip
    assert (hook(store).seen("s1"), hook(store).spent("s1")) == (set(), 0)
    with apsw.Connection(store.place) as raw:
        raw.execute("UPDATE injection SET n = 1000 WHERE n = 1001")
    assert (hook(store).seen("s1"), hook(store).spent("s1")) == ({("m-1", 1)}, 9)


def test_a_hook_does_not_fold_the_log_into_the_database(store: Store) -> None:
    """A choice of our own: that flush is not worth waiting for on a prompt."""
    write(store, memory("m-1"))
    store.close()
    at_work = hook(store)
    at_work.remember("s1", "codex", "q", [{"id": "m-1", "version": 1}])
    at_work.close()
    assert os.path.getsize(f"{store.place}-wal") > 0


def test_what_is_held_back_counts_as_seen_where_that_is_asked(store: Store) -> None:
    """DESIGN: a memory held back for a measurement is not offered a second time in the session."""
    write(store, memory("m-1"))
    at_work = hook(store)
    at_work.remember(
        "s1", "codex", "q", [], [("m-1", False, 0.5, "prompt", "lesson"), ("m-2", True, 0.5, "prompt", "")]
    )
    assert at_work.seen("s1") == set()
    assert at_work.seen("s1", held=True) == {("m-1", None)}
    # The store itself reads what the hook wrote, the proof of each row included, and nothing was shown.
    known_facts = [(one.memory, one.shown, one.kind, one.at) for one in store.effects.exposures(session="s1")]
    assert known_facts == [("m-1", False, "lesson", AT), ("m-2", True, "", AT)]
    assert store.activity.shown() == []
    at_work.remember("s1", "codex", "q", [{"id": "m-3", "version": 1}], [("m-3", True, 0.5, "prompt", "")])
    assert at_work.seen("s1") == {("m-3", 1)}
    assert len(store.effects.exposures(session="s1")) == 3
    secret, block, known = at_work.known("s1", ["m-1"])
    assert (secret, block, known) == store.effects.known("s1", ["m-1"])
    assert secret != b""


@pytest.mark.parametrize(
    ("learned_at", "shown", "named"),
    [
        # Nobody was told yet; another session was, some days ago or just now; or in a future that somebody made up.
        ("2026-03-20T13:00:00Z", "", True),
        ("2026-03-20T13:00:00Z", AT, False),
        ("2026-04-03T13:00:00Z", AT, True),
        ("2026-03-20T13:00:00Z", "2030-01-01T00:00:00Z", True),
        # Three days are lately, to the second.
        ("2026-03-31T14:00:01Z", AT, True),
        ("2026-03-31T14:00:00Z", AT, False),
    ],
)
def test_what_was_learned_lately_is_named(learned_at: str, shown: str, named: bool, store: Store) -> None:
    """GUARANTEES: an agent can begin a session of its own, and must not use the notice up."""
    write(store, memory("m-1"))
    store.keep(LEARNED_KEY, f'[["m-1", "{learned_at}"], "no pair", ["m-2"]]')
    if shown:
        store.activity.record(NOW, [{"id": "m-1"}], run="other", task="", agent="", query="start")
        with apsw.Connection(store.place) as raw:
            raw.execute("UPDATE injection SET at = ?", (shown,))
    assert hook(store).learned("mine", "start") == (["m-1"] if named else [])


def test_guards_are_found_by_the_kind_of_call_until_they_end(store: Store) -> None:
    """DESIGN (guards): one indexed query per tool call; a guard that ended or waits is not at work."""
    ended = msgspec.structs.replace(PUSH, until=NOW)
    waits = msgspec.structs.replace(PUSH, state="proposed")
    write(store, memory("on", guard=PUSH), memory("ended", guard=ended), memory("waits", guard=waits))
    at_work = hook(store)
    assert [(row.id, needles, is_command) for needles, is_command, row in at_work.guards("run")] == [
        ("on", ["git"], True)
    ]
    assert at_work.guards("edit") == []
    [(_, _, row)] = at_work.guards("run")
    at_work.note_fires("s1", "codex", [("on", "denied", "git push", "a1"), ("on", "allowed", "", "b2")])
    at_work.note_fires("s2", "codex", [("on", "denied", "git push", "c3")])
    guard, fires = at_work.guard(row, "s1") or ({}, [])
    assert (guard["level"], fires) == ("deny", [("allowed", "b2"), ("denied", "a1")])
    outside = at_work.guard(row, "")
    assert outside is not None
    assert outside[1] == []
    assert [(fire.session, fire.host, fire.outcome, fire.about, fire.at) for fire in store.guards.fires()] == [
        ("s1", "codex", "denied", "git push", AT),
        ("s1", "codex", "allowed", "", AT),
        ("s2", "codex", "denied", "git push", AT),
    ]


def test_vectors_come_with_the_name_of_their_encoder(store: Store) -> None:
    """Contract: vectors of another encoder say nothing, so its name is asked for with them."""
    write(store, memory("m-1"), memory("m-2"))
    assert hook(store).vectors([1, 2]) == ("", [])
    [first] = store.vectors.missing("small", 1)
    store.vectors.keep("small", [first], [b"\x01\x02"], ["related"])
    assert hook(store).vectors([1, 2]) == ("small", [(1, b"\x01\x02")])
    assert hook(store).vectors([]) == ("small", [])


@pytest.mark.parametrize("name", ["", "-wal", "-shm"])
def test_a_link_in_the_place_of_the_database_is_refused(name: str, store: Store, tmp_path: Path) -> None:
    """GUARANTEES S12: a repository can bring links along."""
    write(store, memory("m-1"))
    store.close()
    link = tmp_path / "elsewhere" / f"store.db{name}"
    link.parent.mkdir()
    if name:
        (link.parent / "store.db").write_bytes(Path(store.place).read_bytes())
    link.symlink_to(store.place)
    with pytest.raises(OSError, match="symbolic link"):
        open_for_hook(str(link.parent / "store.db"), lambda: False)


def test_a_version_that_changed_is_the_one_that_is_shown(store: Store) -> None:
    """DESIGN: a memory that changed may be shown again in the same session."""
    before = memory("m-1", "Run the tests")
    write(store, before)
    revise(store, before, 1, text="Run the tests twice")
    assert [(row.version, row.line) for row in hook(store).find(5)] == [(2, "Run the tests twice")]


def test_a_file_that_changed_since_it_was_read_is_not_current(store: Store, tmp_path: Path) -> None:
    """GUARANTEES: what a commit brought since the last command is not shown before somebody looked at it."""
    write(store, memory("m-1"), memory("m-2"))
    file = tmp_path / "one.md"
    file.write_text("Run the tests\n")
    facts, hash = os.lstat(file), durable.fingerprint(file.read_bytes())
    with apsw.Connection(store.place) as raw:
        mark = f"{facts.st_size}:{facts.st_mtime_ns}:{hash}"
        raw.execute("INSERT INTO file VALUES (?, ?, ?)", ("one.md", mark, '["m-1"]'))
    found = open_for_hook(store.place, lambda: False, files=str(tmp_path))
    one, other = sorted(found.find(5), key=lambda row: row.id)
    assert found.is_current(one)
    assert found.is_current(other)
    # Touched; then of the same size and with other bytes; then of another size; then gone.
    os.utime(file, ns=(1, 1))
    assert found.is_current(one)
    file.write_text("Rob the tests\n")
    os.utime(file, ns=(1, 1))
    assert not found.is_current(one)
    file.write_text("Run\n")
    assert not found.is_current(one)
    file.unlink()
    assert not found.is_current(one)
    assert hook(store).is_current(one)


def test_a_hook_trusts_no_schema(store: Store) -> None:
    """GUARANTEES S12: a repository can bring a database along whose views and triggers call functions."""
    write(store, memory("m-1"))
    reader = hook(store)
    assert isinstance(reader, SqliteHookStore)
    assert reader.connection.pragma("trusted_schema") == 0
