"""`team`: setting up a team's database as its administrator; the store's address says which database and which role."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from tenure.files import locate
from tenure.model.errors import BadRequest
from tenure.usecases.answers.shared import TeamMade, TeamRole

if TYPE_CHECKING:
    from tenure.store.postgres.administration import Administration


def init(store: str | None, *, approvals: int | None = None) -> TeamMade:
    """Make roles and schema or bring them up to date; `approvals` counts for projects made later."""
    if approvals is not None and not 0 <= approvals <= 9:
        raise BadRequest("--approvals is a number from 0 to 9.", field="approvals")
    with administering(store) as team:
        ran = team.init(approvals)
        return TeamMade(place=team.place, migrations=tuple(ran), groups=team.groups, approvals=team.default_approvals())


def grant(
    store: str | None, role: str, groups: Sequence[str], *, project: str | None = None, domains: Sequence[str] = ()
) -> list[TeamRole]:
    """Put a role into groups and let it into a project, or into all."""
    if not groups:
        raise BadRequest("Name a group: reader, agent, member, reviewer or admin.", hint="tenure team grant ana member")
    if domains and "reviewer" not in groups:
        raise BadRequest("--domain goes with the group reviewer.", field="domain")
    with administering(store) as team:
        team.grant(role, groups, project=project, domains=domains)
        return _roles(team)


def revoke(store: str | None, role: str, *, project: str | None = None) -> list[TeamRole]:
    """Take a role out of a project, or out of everything."""
    with administering(store) as team:
        team.revoke(role, project=project)
        return _roles(team)


def roles(store: str | None) -> list[TeamRole]:
    """Return everybody who reaches anything."""
    with administering(store) as team:
        return _roles(team)


@contextlib.contextmanager
def administering(store: str | None) -> Iterator[Administration]:
    """Open the database that an address names, to set it up."""
    place = locate.locate(store, Path.cwd())
    if not place.address:
        raise BadRequest(
            f"{place.url} is not a team's database.", hint="tenure --store postgresql://admin@host/database team …"
        )
    from tenure.store.postgres.administration import Administration  # the extra `postgres`

    with contextlib.closing(Administration(place.address)) as opened:
        yield opened


def _roles(team: Administration) -> list[TeamRole]:
    return [
        TeamRole(role=role, groups=tuple(groups), projects=tuple(projects), domains=tuple(domains))
        for role, groups, projects, domains in team.members()
    ]
