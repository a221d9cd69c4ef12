"""A team's database at any earlier schema comes up to date, with what it holds (issue 23)."""

from __future__ import annotations

import hashlib
import secrets
from contextlib import closing

import pytest

from tenure.model import policy as policies
from tenure.store import open_elsewhere
from tests import postgres
from tests.store.postgres.test_roles import become, memory, write

psycopg = pytest.importorskip("psycopg", reason="no driver of PostgreSQL here; the extra `dev` brings it")

from tenure.model.errors import StoreUnusable  # noqa: E402
from tenure.model.events import EventType  # noqa: E402
from tenure.store.postgres import connection, migrate, roles  # noqa: E402

POLICY, _ = policies.load("tenure", {})
ALL = migrate.migrations()
# Functions and their rights, tables with their columns, indexes and row rules: what two databases must agree in.
_SHAPE = """
    SELECT p.oid::regprocedure::text, pg_get_functiondef(p.oid) || coalesce(p.proacl::text, '') FROM pg_proc AS p
    WHERE p.pronamespace = 'tenure'::regnamespace
    UNION ALL SELECT c.oid::regclass::text || '.' || a.attname, format_type(a.atttypid, a.atttypmod)
    FROM pg_attribute AS a JOIN pg_class AS c ON c.oid = a.attrelid
    WHERE c.relnamespace = 'tenure'::regnamespace AND c.relkind IN ('r', 'p') AND a.attnum > 0
    UNION ALL SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = 'tenure'
    UNION ALL SELECT tablename || ': ' || policyname, concat(roles, cmd, qual, with_check, permissive)
    FROM pg_policies WHERE schemaname = 'tenure'
"""
# What databases have that came to schema 7 while 0005 and 0006 still changed functions by text.
_PATCHED = {
    "count_words": "87de5a8f25778418",
    "make_project": "23c2cd9552770859",
    "move_quoted": "25d2012e22eba92f",
    "objection": "2af1767bf88716ea",
    "write": "393f6393eed5dd55",
}


def at(number: int, patch: pytest.MonkeyPatch) -> str:
    """Return the address of a new database with the schema of that number, as its superuser."""
    name = f"older_{secrets.token_hex(4)}"
    with psycopg.connect(postgres.server(), autocommit=True) as server:
        server.execute(f'CREATE DATABASE "{name}"')
    address = postgres.as_role(postgres.server(), "postgres", database=name)
    with patch.context() as older, connection.connect(address) as admin:
        older.setattr(migrate, "migrations", lambda: ALL[:number])
        migrate.migrate(admin)
    return address


def shape(address: str) -> dict[str, str]:
    with psycopg.connect(address) as opened:
        return dict(opened.execute(_SHAPE).fetchall())


@pytest.mark.parametrize("number", range(1, len(ALL)))
def test_an_older_database_gets_the_schema_of_a_new_one(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """docs/postgresql.md: `team init` runs again after an update."""
    older = at(number, monkeypatch)
    with connection.connect(older) as admin:
        assert migrate.migrate(admin) == [name for _, name, _ in ALL[number:]]
    assert shape(older) == shape(postgres.database())


@pytest.mark.parametrize("number", range(4, len(ALL)))
def test_what_an_older_database_holds_is_proved_and_goes_on(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """From schema 4 on, where a database could be used; memories, ledger and verdicts stay as they were."""
    older = at(number, monkeypatch)
    person = f"older{secrets.token_hex(4)}"
    with psycopg.connect(older, autocommit=True) as admin:
        admin.execute(f"CREATE ROLE {person} LOGIN PASSWORD '{postgres.PASSWORD}'")
        roles.init(admin, approvals=0)
        roles.grant(admin, person, ("member",))
    address = postgres.as_role(older, person, password=postgres.PASSWORD)
    with monkeypatch.context() as patch, closing(open_elsewhere("postgresql", address, "here")) as store:
        patch.setattr(migrate, "migrations", lambda: ALL[:number])
        write(store, memory("m-1"))
    with connection.connect(older) as admin:
        migrate.migrate(admin)
    with closing(open_elsewhere("postgresql", address, "here")) as store:
        become(store, EventType.EDITED, "m-1", title="Another title")
        assert list(store.health.check(POLICY)) == []
        assert [entry.event.type for entry in store.history("m-1")] == ["Created", "Edited"]


def test_functions_are_those_that_databases_of_schema_seven_have(monkeypatch: pytest.MonkeyPatch) -> None:
    """A migration that ran is not run again, so its text may change and what it makes may not."""
    with psycopg.connect(at(7, monkeypatch)) as opened:
        found = opened.execute(
            "SELECT proname, prosrc FROM pg_proc WHERE pronamespace = 'tenure'::regnamespace AND proname = ANY (%s)",
            (list(_PATCHED),),
        ).fetchall()
    assert {name: hashlib.sha256(body.encode()).hexdigest()[:16] for name, body in found} == _PATCHED


def test_no_migration_changes_a_function_by_its_text() -> None:
    """A reader finds the whole function where it was changed last."""
    assert not [name for _, name, statements in ALL if "pg_get_functiondef" in statements]


def test_a_database_that_lost_a_role_is_not_called_up_to_date(monkeypatch: pytest.MonkeyPatch) -> None:
    """A group made anew may do nothing, and rules that named the old one are gone: only a backup has them."""
    address = at(len(ALL), monkeypatch)
    monkeypatch.setattr(migrate, "GROUPS", (*migrate.GROUPS, "that_is_gone"))
    with connection.connect(address) as admin:
        with pytest.raises(StoreUnusable, match="not tenure_that_is_gone"):
            migrate.migrate(admin)
        assert admin.execute("SELECT 1 FROM pg_roles WHERE rolname = 'tenure_that_is_gone'").fetchone() is None
