"""A team's database as its administrator has it open: what `roles` does, with our errors and no project."""

from __future__ import annotations

from collections.abc import Sequence

from tenure.files.database_address import parse
from tenure.store.postgres import migrate, roles
from tenure.store.postgres.connection import connect, explained, explains


class Administration:
    """The connection of an administrator."""

    groups = migrate.GROUPS

    def __init__(self, address: str) -> None:
        self.address = parse(address, "*")
        self.place = self.address.shown.rpartition("#")[0]
        with explained(self.place):
            self.connection = connect(self.address.conninfo)

    def close(self) -> None:
        """Close it."""
        self.connection.close()

    @explains
    def init(self, approvals: int | None) -> list[str]:
        """Make roles and schema or bring them up to date; return the migrations that ran."""
        return roles.init(self.connection, approvals=approvals)

    @explains
    def default_approvals(self) -> int:
        """Return how many others must agree in a project made from now on."""
        return roles.default_approvals(self.connection)

    @explains
    def grant(self, role: str, groups: Sequence[str], *, project: str | None, domains: Sequence[str]) -> None:
        """Put a role into groups and let it into a project, or into all."""
        roles.grant(self.connection, role, groups, project=project, domains=domains)

    @explains
    def revoke(self, role: str, *, project: str | None) -> None:
        """Take a role out of a project, or out of everything."""
        roles.revoke(self.connection, role, project=project)

    @explains
    def members(self) -> list[tuple[str, list[str], list[str], list[str]]]:
        """Return (role, groups, projects, domains) of everybody who reaches anything."""
        return roles.members(self.connection)
