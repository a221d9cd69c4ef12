"""The team's store by the program, and what only it has: keys of commands, passwords kept, a server that goes away."""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest

from tenure.model import policy as policies
from tenure.model.errors import StoreUnusable
from tenure.model.events import Revision
from tenure.model.evolve import born
from tenure.model.memory import Memory
from tenure.rules.stored_verdict import verdict
from tenure.store import open_elsewhere
from tests import postgres
from tests.program import Program

psycopg = pytest.importorskip("psycopg", reason="no driver of PostgreSQL here; the extra `dev` brings it")

NOW = datetime(2026, 4, 3, 14, 0, tzinfo=UTC)
POLICY, _ = policies.load("tenure", {})


@pytest.fixture
def store() -> Iterator[Any]:
    postgres.members_decide()
    made = open_elsewhere("postgresql", postgres.person("ana", "member"), postgres.project_name())
    yield made
    made.close()


def write(store: Any, id: str) -> None:
    item = Memory(
        id=id,
        kind="lesson",
        title=id,
        text=f"About {id}",
        state="provisional",
        phase="live",
        created_at=NOW,
        updated_at=NOW,
    )
    revision = Revision(memory_id=id, events=(born(item),), after=item, expected_version=0)
    store.commit([revision], [verdict(item, POLICY)])


def test_the_commands_of_every_day_work_on_it(program: Program) -> None:
    """Issue 23: add, list, search, history, check by the program itself, and no password in what it prints."""
    postgres.members_decide()
    url = f"{postgres.person('ana', 'member')}#{postgres.project_name()}"
    said = []

    def run(*words: str) -> Any:
        done = program("--store", url, "--json", *words)
        said.append(done.text + done.errors)
        assert done.status == 0, done.errors
        return done.json

    id = run("add", "Run the migrations before the integration tests")["id"]
    assert [memory["id"] for memory in run("list")["memories"]] == [id]
    assert run("search", "migration")["hits"][0]["id"] == id
    (created,) = run("history", id)["events"]
    assert created["actor"] == "ana"
    assert run("inject", "integration tests")["memories"][0]["id"] == id
    run("retire", id, "--reason", "old")
    run("undo")
    assert run("check")["problems"] == [] and run("status")
    assert postgres.PASSWORD not in "".join(said)


def test_an_address_where_nobody_answers_says_so_without_its_password(program: Program) -> None:
    """Issue 23: exit status 5, at once, and nothing of the password."""
    done = program("--store", "postgresql://ana:hunter2@127.0.0.1:1/memory#x", "list")
    assert done.status == 5 and "cannot be reached" in done.errors and "hunter2" not in done.text + done.errors


def test_a_database_without_a_schema_says_who_makes_it(program: Program) -> None:
    """Issue 23: whoever administers it."""
    with psycopg.connect(postgres.server(), autocommit=True) as made:
        made.execute(f"CREATE DATABASE empty_{os.getpid()}")
    address = postgres.as_role(postgres.server(), "postgres", database=f"empty_{os.getpid()}")
    done = program("--store", f"{address}#x", "list")
    assert done.status == 5 and "tenure team init" in done.errors


def test_a_command_that_was_done_is_not_done_again(store: Any) -> None:
    """Issue 23: a retry after a lost connection counts once."""
    store.command = "key-1"
    write(store, "m-1")
    assert store.done("key-1") and not store.done("key-2")
    store.command = "key-1"
    with pytest.raises(Exception, match="key"):
        write(store, "m-2")
    assert store.once("key-1", lambda: pytest.fail("it was done before")) is None
    assert store.once("key-2", lambda: "done") == "done" and store.done("key-2")
    assert [row.memory.id for row in store.find()] == ["m-1"]


def test_a_connection_lost_while_committing_is_asked_again(store: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Issue 23: whether the change arrived is known by its key; what arrived is no error."""
    write(store, "m-1")
    connection = store.connection
    execute = connection.execute

    class Torn:
        """Loses the answer to a commit, after or before the server carried it out."""

        arrives = True

        def __call__(self, query: Any, *values: Any, **named: Any) -> Any:
            if query != "COMMIT":
                return execute(query, *values, **named)
            if self.arrives:
                execute(query)
            connection.close()
            raise psycopg.OperationalError("the connection is lost")

    torn = Torn()
    monkeypatch.setattr(connection, "execute", torn)
    write(store, "m-2")
    assert [row.memory.id for row in store.find()] == ["m-1", "m-2"]
    connection = store.connection
    execute = connection.execute
    torn.arrives = False
    monkeypatch.setattr(connection, "execute", torn)
    with pytest.raises(StoreUnusable):
        write(store, "m-3")
    assert [row.memory.id for row in store.find()] == ["m-1", "m-2"] and list(store.health.check(POLICY)) == []


def test_the_chain_is_the_one_of_the_file_store(store: Any) -> None:
    """Issue 23: the same proof, entry by entry; alterations by an administrator show."""
    write(store, "m-1")
    write(store, "m-2")
    with psycopg.connect(postgres.database(), autocommit=True) as admin:
        admin.execute("UPDATE tenure.ledger SET actor = 'eve' WHERE project = %s AND seq = 1", (store.project,))
        admin.execute("UPDATE tenure.memory SET weight = 99 WHERE project = %s AND n = 2", (store.project,))
        admin.execute("DELETE FROM tenure.posting WHERE project = %s AND n = 1 AND stem = 'about'", (store.project,))
    said = dict(store.health.check(POLICY))
    assert said["ledger entry 1"] == "it does not follow from the entry before it"
    assert said["m-2"] == "the row was altered outside Tenure" and "words" in said["m-1"]


def test_migrations_run_once_and_a_newer_schema_is_left_alone() -> None:
    """R14: older code refuses a newer database without writing."""
    from tenure.model.errors import StoreTooNew
    from tenure.store.postgres import connection, migrate

    with connection.connect(postgres.database()) as admin:
        assert migrate.migrate(admin) == []
        admin.execute("INSERT INTO tenure.migration (number, name) VALUES (9999, 'of the future')")
        try:
            with pytest.raises(StoreTooNew):
                migrate.migrate(admin)
        finally:
            admin.execute("DELETE FROM tenure.migration WHERE number = 9999")


def test_a_server_opens_it_again_and_again(store: Any) -> None:
    """Issue 23: from a pool; what a session was set to does not reach the next borrower."""
    write(store, "m-1")
    for _ in range(3):
        other = open_elsewhere("postgresql", postgres.person("ana", "member"), postgres.project_name())
        assert other.find() == [] and not other.exists
        other.close()
        again = open_elsewhere("postgresql", postgres.person("ana", "member"), store.address.project)
        assert [row.memory.id for row in again.find()] == ["m-1"]
        again.close()


def test_a_connection_of_a_pool_that_was_thrown_away_is_closed(store: Any) -> None:
    """Issue 23: a database that was killed and came back gives no second error about another pool's connection."""
    from tenure.store.postgres import connection

    def from_the_pool() -> Any:
        # The first connection of an address stands alone, so that a database that is not there is named.
        connection.returned(store.address, connection.borrowed(store.address))
        return connection.borrowed(store.address)

    old = from_the_pool()
    connection.close_pools()
    new = from_the_pool()
    connection.returned(store.address, old)
    assert old.closed and not new.closed
    connection.returned(store.address, new)
    assert not new.closed
