"""What an administrator altered in the tables is named by `check` and counts for nothing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tenure.model.errors import StoreDamaged
from tenure.store import open_elsewhere
from tenure.store.postgres.store import PostgresStore
from tests import postgres
from tests.store.test_contract import POLICY, erase, fire, memory, write

psycopg = pytest.importorskip("psycopg", reason="no driver of PostgreSQL here; the extra `dev` brings it")


@pytest.fixture
def store() -> Iterator[Any]:
    """A project with something forgotten, encoded and guarded."""
    postgres.members_decide()
    made = open_elsewhere("postgresql", postgres.person("ana", "member"), postgres.project_name())
    write(made, memory("m-1", "Alder grows slowly"), memory("m-2"), memory("m-3"))
    erase(made, "m-3", 1, made.mark("some text"))
    made.vectors.keep("toy", made.vectors.missing("toy", 1), [b"\1\2"], [""])
    made.guards.note(fire("m-1", "s1", "denied"))
    assert list(made.health.check(POLICY)) == []
    yield made
    made.close()


def alter(store: Any, statement: str) -> dict[str, str]:
    """Let the superuser alter the project, and return what `check` says then."""
    with psycopg.connect(postgres.database(), autocommit=True) as admin:
        admin.execute(statement, {"project": store.project})
    return dict(store.health.check(POLICY))


@pytest.mark.parametrize(
    ("statement", "where"),
    [
        ("UPDATE tenure.vector SET code = 'x' WHERE project = %(project)s", "vectors"),
        ("UPDATE tenure.guard_fire SET outcome = 'passed' WHERE project = %(project)s", "guard_fire"),
        ("DELETE FROM tenure.tombstone WHERE project = %(project)s", "m-3"),
        ("UPDATE tenure.tombstone SET mark = 'x' WHERE project = %(project)s", "m-3"),
        ("UPDATE tenure.memory SET weight = 99 WHERE project = %(project)s AND id = 'm-1'", "m-1"),
        ("DELETE FROM tenure.ledger WHERE project = %(project)s AND memory_id = 'm-2'", "m-2"),
    ],
)
def test_what_was_altered_is_named(statement: str, where: str, store: Any) -> None:
    """Issue 23: the same proof as in a file."""
    assert any(place.startswith(where) for place in alter(store, statement))


def test_a_mark_that_nobody_made_is_named(store: Any) -> None:
    """P2: whoever adds one keeps a text out for ever."""
    columns = "project, mark, memory_id, at"
    said = alter(store, f"INSERT INTO tenure.tombstone ({columns}) SELECT project, 'x', 'm-1', at FROM tenure.tombstone"
                        " WHERE project = %(project)s")  # fmt: skip
    assert said["m-1"] == "a mark of something forgotten was altered or added outside Tenure"


def test_an_altered_fire_counts_for_nothing(store: Any) -> None:
    """DESIGN (guards): how right a guard was decides how far it may go."""
    assert [one.outcome for one in store.guards.fires()] == ["denied"]
    alter(store, "UPDATE tenure.guard_fire SET verdict = 'right' WHERE project = %(project)s")
    assert store.guards.fires() == []


def test_a_history_with_an_altered_entry_proves_nothing(store: Any) -> None:
    """R8: an entry whose actor was changed still has its own payload; only the chain tells."""
    assert len(store.history("m-1", prove=True)) == 1
    alter(store, "UPDATE tenure.ledger SET actor = 'eve' WHERE project = %(project)s AND memory_id = 'm-1'")
    with pytest.raises(StoreDamaged, match="was altered outside Tenure"):
        store.history("m-1", prove=True)


def test_a_change_of_the_project_is_heard_by_whoever_listens() -> None:
    """docs/postgresql.md: a running server follows the database; the first call begins to listen."""
    postgres.members_decide()
    address, project = postgres.person("ana", "member"), postgres.project_name()
    writer, listener = (open_elsewhere("postgresql", address, project) for _ in range(2))
    assert isinstance(listener, PostgresStore)
    write(writer, memory("m-1"))
    assert listener.heard(0.0) is False
    write(writer, memory("m-2"))
    assert listener.heard(5.0) is True and listener.heard(0.0) is False
    writer.close()
    listener.close()
