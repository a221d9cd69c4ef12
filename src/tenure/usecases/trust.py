"""Trust: a person lets agents see a project's memory and agrees to its settings as they are now, or takes that back."""

from __future__ import annotations

from tenure.files import locate
from tenure.files.settings import policy_overlay
from tenure.model.actor import Presence
from tenure.usecases import agreed_drafter, agreed_policy, other_store, project_trust, team_agreed, team_replica
from tenure.usecases.project import Project


def trust(project: Project) -> None:
    """Keep that a person lets agents see this memory, and agreed to the settings as they are now."""
    place = project.place
    # An unattended home may show itself what it likes; that gives it no say in somebody else's store.
    if project.actor.presence is not Presence.UNATTENDED:
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
    if project.actor.is_agent or project.actor.detached:
        project.needs_person("trust --revoke")
    project_trust.disallow(project.place)
    if project.ours is not None:
        team_agreed.withdraw(project.place.project)
        agreed_policy.withdraw(project_trust.team_settings(project.place))
