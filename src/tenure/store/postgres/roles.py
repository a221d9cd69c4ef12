"""What an administrator sets up: schema and groups, who is in them, which projects they reach.

What a role may then read and write is refused or let through by the database itself: `migrations/0002_access.sql` has
the policies of row-level security.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tenure.model.errors import BadRequest
from tenure.store.postgres import migrate
from tenure.store.postgres.connection import Connection, sql

APPROVALS = "approvals"


def init(connection: Connection, *, approvals: int | None = None) -> list[str]:
    """Make roles and schema or bring them up to date; return what was done. `approvals` is for projects made later."""
    ran = migrate.migrate(connection)
    if approvals is not None:
        keep = "INSERT INTO tenure.general VALUES (%s, %s) ON CONFLICT (key) DO UPDATE SET value = excluded.value"
        _as_owner(connection, keep, (APPROVALS, str(approvals)))
    return ran


def grant(
    connection: Connection,
    role: str,
    groups: Sequence[str],
    *,
    project: str | None = None,
    domains: Sequence[str] = (),
) -> None:
    """Put a role into groups and let it into a project, all of them without one; reviewers may be bound to domains."""
    unknown = [group for group in groups if group not in migrate.GROUPS]
    if unknown:
        raise BadRequest(f"{unknown[0]!r} is not a group; expected one of {', '.join(migrate.GROUPS)}.", field="group")
    if connection.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", (role,)).fetchone() is None:
        raise BadRequest(
            f"The database has no role {role!r}.", hint=f"Make it first: CREATE ROLE {role} LOGIN PASSWORD '…'"
        )
    for group in groups:
        statement = sql.SQL("GRANT {} TO {}").format(sql.Identifier(f"tenure_{group}"), sql.Identifier(role))
        connection.execute(statement)
    number = None
    if project is not None:
        number = _project(connection, project)
    _as_owner(
        connection,
        "INSERT INTO tenure.access (grantee, project) VALUES (%s, %s) ON CONFLICT DO NOTHING",
        (role, number),
    )
    for domain in domains:
        _as_owner(
            connection, "INSERT INTO tenure.reviewer_domain VALUES (%s, %s) ON CONFLICT DO NOTHING", (role, domain)
        )


def revoke(connection: Connection, role: str, *, project: str | None = None) -> None:
    """Take a role out of a project, or out of everything."""
    if project is not None:
        found = _as_owner(connection, "SELECT id FROM tenure.project WHERE name = %s", (project,))
        if not found:
            raise BadRequest(f"The database has no project {project!r}.")
        _as_owner(connection, "DELETE FROM tenure.access WHERE grantee = %s AND project = %s", (role, found[0][0]))
        return
    _as_owner(connection, "DELETE FROM tenure.access WHERE grantee = %s", (role,))
    _as_owner(connection, "DELETE FROM tenure.reviewer_domain WHERE grantee = %s", (role,))
    for group in migrate.GROUPS:
        statement = sql.SQL("REVOKE {} FROM {}").format(sql.Identifier(f"tenure_{group}"), sql.Identifier(role))
        connection.execute(statement)


def members(connection: Connection) -> list[tuple[str, list[str], list[str], list[str]]]:
    """Return (role, groups, projects, domains) of everybody who reaches anything; "*" stands for all projects."""
    rows = _as_owner(
        connection,
        """
        SELECT a.grantee::text,
            (SELECT coalesce(array_agg(replace(g.rolname, 'tenure_', '') ORDER BY g.rolname), '{}') FROM pg_roles AS g
                JOIN pg_auth_members AS m ON m.roleid = g.oid JOIN pg_roles AS r ON r.oid = m.member
                WHERE r.rolname = a.grantee AND g.rolname LIKE 'tenure\\_%%'),
            array_agg(coalesce(p.name, '*') ORDER BY p.name),
            (SELECT coalesce(array_agg(d.domain ORDER BY d.domain), '{}') FROM tenure.reviewer_domain AS d
                WHERE d.grantee = a.grantee)
        FROM tenure.access AS a LEFT JOIN tenure.project AS p ON p.id = a.project GROUP BY a.grantee ORDER BY 1
        """,
        (),
    )
    return [(str(role), list(groups), list(projects), list(domains)) for role, groups, projects, domains in rows]


def default_approvals(connection: Connection) -> int:
    """Return how many others must agree in a project made from now on."""
    found = _as_owner(connection, "SELECT value::int FROM tenure.general WHERE key = %s", (APPROVALS,))
    return int(found[0][0]) if found else 1


def set_approvals(connection: Connection, project: str, approvals: int) -> None:
    """Say how many others must agree before a memory of a project is used."""
    _as_owner(connection, "UPDATE tenure.project SET approvals = %s WHERE name = %s", (approvals, project))


def _project(connection: Connection, name: str) -> int:
    found = _as_owner(connection, "SELECT id FROM tenure.project WHERE name = %s", (name,))
    if not found:
        found = _as_owner(connection, "SELECT tenure.make_project(%s)", (name,))
    return int(found[0][0])


def _as_owner(connection: Connection, statement: str, values: Sequence[Any]) -> list[tuple[Any, ...]]:
    """Run a statement as the owner of the tables; an administrator is a member of that role."""
    with connection.transaction():
        connection.execute(f"SET LOCAL ROLE {migrate.OWNER}")
        cursor = connection.execute(statement, values)
        return cursor.fetchall() if cursor.description else []
