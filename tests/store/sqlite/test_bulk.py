"""Memories that arrive with their history: quicker to write than one by one, and not to be told apart afterwards."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tenure.model.errors import InvalidInput
from tenure.model.events import EventType, Revision
from tenure.model.evolve import born, change, fold
from tenure.rules.stored_verdict import verdict
from tenure.store.sqlite import bulk, fulltext
from tenure.store.sqlite.store import SqliteStore
from tenure.usecases import export_lines, import_export
from tests.opened import database
from tests.specimens import NOW, POLICY, days, specimen, workspace

SEAL = export_lines.Seal(b"k" * 32)
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
SAID = st.one_of(TEXTS, st.sampled_from(["Use parse_config in src/api/client.py", "Never  use TABS.", "plain words"]))
VALUES = st.recursive(st.none() | st.booleans() | st.integers(-9, 2**53) | TEXTS, st.lists, max_leaves=4)


@st.composite
def lives(draw: st.DrawFn) -> list[Revision]:
    """Memories with histories: made or imported, some edited since, whatever they say."""
    found = []
    for number in range(draw(st.integers(0, 5))):
        first = specimen(
            id=f"m-{number}-{draw(TEXTS)}",
            title=draw(SAID),
            text=draw(SAID),
            tags=tuple(draw(st.lists(TEXTS, max_size=2))),
            files=tuple(draw(st.lists(st.sampled_from(["a.py", "src/a.py", "src/b/c.md"]), max_size=2))),
            content=draw(st.dictionaries(TEXTS, VALUES, max_size=2)),
            review_after=draw(st.none() | st.just(NOW + days(9))),
        )
        type = draw(st.sampled_from([EventType.CREATED, EventType.IMPORTED]))
        events = [born(first, type=type, actor=draw(TEXTS), reason=draw(TEXTS))]
        for text in draw(st.lists(SAID, max_size=2)):
            now = fold(events)
            assert now is not None
            edit = {"text": text, "confidence": draw(st.integers(0, 100))}
            events.append(change(now, EventType.EDITED, NOW + days(1), set=edit, add={"tags": [text]}, detail=edit))
        found.append(Revision(memory_id=first.id, events=tuple(events), after=fold(events), expected_version=0))
    return found


def content(store: SqliteStore) -> dict[str, list[Any]]:
    """Return everything the database holds, table by table, but for what is random in each store."""
    run = store.connection.execute
    run("CREATE VIRTUAL TABLE temp.instances USING fts5vocab (main, search, instance)")
    rows = ("memory", "ledger", "memory_file", "common_word", "vector", "tombstone")
    index = ("search_docsize", "search_config", "instances")
    found = {name: run(f"SELECT * FROM {name}").fetchall() for name in (*rows, *index)}
    found["meta"] = run("SELECT * FROM meta WHERE key NOT IN ('key', 'store_id', 'proof')").fetchall()
    return found


@given(lives(), lives())
def test_what_arrives_is_written_exactly_as_a_commit_would_write_it(
    some: Sequence[Revision], more: Sequence[Revision]
) -> None:
    """Issue 2: the quick way must not be another way. Only the salts are random, and they are fixed here."""
    ids = {revision.memory_id for revision in some}
    more = [revision for revision in more if revision.memory_id not in ids]
    one, other = SqliteStore(None), SqliteStore(None)
    with (
        mock.patch("tenure.store.sqlite.ledger.os.urandom", lambda count: b"s" * count),
        mock.patch.object(fulltext, "COMMON_FROM", 2),
    ):
        one.commit(revisions := [*some, *more], [verdict(r.after, POLICY) for r in revisions if r.after])
        with other.writing(many=True):
            batch = None
            for part in (some, more):
                arrived = [export_lines.life(SEAL.sealed(line(revision))[:-1]) for revision in part]
                judged = [verdict(life.memory, POLICY) for life in arrived]
                batch = other.commit(arrived, judged, batch=batch) if arrived else batch
    assert content(one) == content(other)
    one.close()
    other.close()


def line(revision: Revision) -> export_lines.ExportLine:
    assert revision.after is not None
    return export_lines.ExportLine(format=export_lines.FORMAT, memory=revision.after, events=list(revision.events))


def test_a_large_import_leaves_the_index_with_its_usual_settings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Our own choice: the index gathers more during an import only, whether it succeeds, fails or is a dry run."""
    monkeypatch.setattr(import_export, "LARGE_BYTES", 0)
    with workspace(tmp_path) as ws, workspace(tmp_path, "other.db") as other:
        ws.add("Run the migrations")
        ws.export(path := str(tmp_path / "1.jsonl"))
        other.add("Use npm")
        usual = database(other).connection.execute("SELECT * FROM search_config").fetchall()
        other.import_(path, dry_run=True)
        Path(tmp_path / "2.jsonl").write_bytes(Path(path).read_bytes() + b"[]\n")
        with pytest.raises(InvalidInput, match="line 2"):
            other.import_(str(tmp_path / "2.jsonl"))
        assert len(other.memories()) == 1
        assert other.import_(path).written == 1
        assert database(other).connection.execute("SELECT * FROM search_config").fetchall() == usual
        assert len(other.search("migrations")) == 1
        assert other.check() == []


@pytest.mark.parametrize("fails", [False, True])
def test_what_an_import_keeps_at_hand_is_given_back_after_it(tmp_path: Path, fails: bool) -> None:
    """Own choice: a workspace that stays open holds no more memory because something was imported, or was not."""
    store = SqliteStore(tmp_path / "memory.db")
    with store.writing():
        usual = store.connection.pragma("cache_size")
    with contextlib.suppress(InvalidInput), store.writing(many=True):
        during = store.connection.pragma("cache_size")
        if fails:
            raise InvalidInput("a later line is wrong")
    assert during == -bulk.CACHED_KILOBYTES
    assert store.connection.pragma("cache_size") == usual != during
