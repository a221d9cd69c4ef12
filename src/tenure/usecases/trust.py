"""Trust: a person lets agents see a project's memory and agrees to its settings as they are now, or takes that back."""

from __future__ import annotations

from pathlib import Path

from tenure.files import homes, locate
from tenure.files.settings import policy_overlay
from tenure.model.actor import Presence
from tenure.model.errors import BadRequest, StoreUnusable
from tenure.usecases import agreed_drafter, agreed_policy, other_store, project_trust, team_agreed, team_replica
from tenure.usecases.project import Project


def trust(project: Project) -> None:
    """Keep that a person lets agents see this memory, and agreed to the settings as they are now."""
    place = project.place
    if not _is_unattended(project):
        project.needs_person("trust")
        # An agent may have made the store first, from an unattended home of its own.
        project_trust.only_home(project.store, project.actor.home)
    name = project_trust.policy_name(place)
    for path in (locate.home() / "config.toml", project_trust.settings(place)):
        agreed_policy.agree(path, policy_overlay(path), name)
    team = project_trust.team_settings(place)
    if team.exists() or agreed_policy.is_known(str(team.absolute())):
        agreed_policy.agree(team, policy_overlay(team), name)
    if project.files is not None:
        project.files.agree()
    if project.ours is not None:
        team_replica.agree(place, project.policy)
        assert project.ours is not None
        if project.native is not None and not place.path.exists():
            # What agents are shown of the team is written down in a store of the person's own.
            with project.changing():
                pass
    project_trust.allow(place, project.native)
    project.keep_head(accept=True)
    other_store.accept(place)
    agreed_drafter.agree()


def distrust(project: Project) -> None:
    """Take the trust back; only somebody who is there may, because guards rest then."""
    if (project.actor.is_agent or project.actor.detached) and not _is_unattended(project):
        project.needs_person("trust --revoke")
    project_trust.disallow(project.place)
    if project.ours is not None:
        team_agreed.withdraw(project.place.project)
        agreed_policy.withdraw(project_trust.team_settings(project.place))


def let_in(project: Project, home: str | Path, *, revoke: bool = False) -> None:
    """Let decisions from the unattended home in a folder count in this store, or no longer; a person must say so.

    An empty or missing folder becomes such a home. Beside a coding agent it counts for nothing.
    """
    folder = Path(home)
    if project.store.team is not None:
        raise BadRequest("A team's database knows its people itself, so it lets no home in.")
    if not project.store.exists:
        raise BadRequest("There is no store yet.", hint="A home that makes the store needs no permission.")
    project.needs_person("trust --home")
    try:
        found = homes.unattended(folder)
    except OSError as error:
        raise StoreUnusable(
            f"{folder} cannot be used as a home: {error.strerror}.", hint="Name another folder."
        ) from error
    if found is None:
        raise BadRequest(
            f"{folder} is in use, and not as an unattended home.", hint="Name a folder that is empty or missing."
        )
    project_trust.let_in(project.store, found.id, revoke=revoke)


def _is_unattended(project: Project) -> bool:
    """Tell whether a home acts that may show itself what it likes; that gives it no say in somebody else's store."""
    return project.in_strangers_home or project.actor.presence is Presence.UNATTENDED
