"""Bringing a team's database to the schema this version knows, under a lock, and the roles that own and use it.

Only an administrator runs this (`tenure team init`), and a database newer than this version is refused.
"""

from __future__ import annotations

from importlib import resources

from tenure.model.errors import StoreTooNew, StoreUnusable
from tenure.store.postgres.connection import Connection, sql

GROUPS = ("reader", "agent", "member", "reviewer", "admin")
OWNER = "tenure_owner"
# Any number: whoever sets up a database of Tenure waits here.
_LOCK = 0x54656E75726501
_TABLE = """
    CREATE TABLE IF NOT EXISTS tenure.migration (
        number int PRIMARY KEY, name text NOT NULL, at timestamptz NOT NULL DEFAULT now()
    )
"""


def migrations() -> list[tuple[int, str, str]]:
    """Return the numbered migrations, oldest first: number, name, statements."""
    folder = resources.files("tenure.store").joinpath("postgres", "migrations")
    names = sorted(entry.name for entry in folder.iterdir() if entry.name.endswith(".sql"))
    return [(int(name[:4]), name, folder.joinpath(name).read_text(encoding="utf-8")) for name in names]


def migrate(connection: Connection) -> list[str]:
    """Make roles and schema, or bring them up to date, all or nothing; return the migrations that ran."""
    connection.execute("BEGIN")
    try:
        connection.execute("SELECT pg_advisory_xact_lock(%s)", (_LOCK,))
        _refuse_lost_roles(connection)
        _make_roles(connection)
        connection.execute(f"CREATE SCHEMA IF NOT EXISTS tenure AUTHORIZATION {OWNER}")
        connection.execute(f"SET LOCAL ROLE {OWNER}")
        connection.execute(_TABLE)
        rows = connection.execute("SELECT number FROM tenure.migration").fetchall()
        done = {number for (number,) in rows}
        known = migrations()
        if max(done, default=0) > known[-1][0]:
            raise StoreTooNew(
                f"The database has schema {max(done)}; this Tenure knows schemas up to {known[-1][0]}.",
                hint="Install a newer Tenure. The database was not touched.",
            )
        ran = []
        for number, name, statements in known:
            if number not in done:
                connection.execute(sql.SQL(statements))
                connection.execute("INSERT INTO tenure.migration (number, name) VALUES (%s, %s)", (number, name))
                ran.append(name)
        connection.execute("COMMIT")
    except BaseException:
        if not connection.closed:
            connection.execute("ROLLBACK")
        raise
    return ran


def _refuse_lost_roles(connection: Connection) -> None:
    """Raise where a schema is there and a group is not: what the group could and could not do went with it."""
    if connection.execute("SELECT to_regclass('tenure.migration')").fetchone() == (None,):
        return
    if lost := _missing(connection):
        raise StoreUnusable(
            f"The database has Tenure's schema and not {', '.join(lost)}: whatever these roles may do is lost.",
            hint="Restore it from a backup with its roles first: docs/postgresql.md. Nothing was changed.",
        )


def _missing(connection: Connection) -> list[str]:
    rows = connection.execute("SELECT rolname FROM pg_roles WHERE rolname LIKE 'tenure%'").fetchall()
    known = {name for (name,) in rows}
    return [name for name in (OWNER, *(f"tenure_{group}" for group in GROUPS)) if name not in known]


def _make_roles(connection: Connection) -> None:
    for name in _missing(connection):
        connection.execute(sql.SQL("CREATE ROLE {} NOLOGIN NOBYPASSRLS").format(sql.Identifier(name)))
    connection.execute(sql.SQL("GRANT {} TO CURRENT_USER").format(sql.Identifier(OWNER)))
