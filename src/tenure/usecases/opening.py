"""Opening a project's memory: the policy in force there, and the store it names."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tenure.files.settings import policy_overlay
from tenure.model import clock
from tenure.model import policy as policies
from tenure.model.actor import Actor
from tenure.model.policy import Policy, Setting
from tenure.rules.verdict import verdict
from tenure.store.api import Store
from tenure.store.companion import FileStore
from tenure.store.opening import open_store
from tenure.systems import api as systems
from tenure.systems.api import System
from tenure.usecases import agreed_policy, homes, locate, project_trust
from tenure.usecases.locate import Place


def policy(place: Place, own: Store | None, actor: Actor) -> tuple[Policy, list[Setting], list[Setting]]:
    """Return the policy, where each value comes from, and what of the settings is not in force."""
    name = "tenure" if place.native else place.scheme
    overlays: dict[str, Mapping[str, Any]] = {}
    ignored: list[Setting] = []
    users, projects = locate.home() / "config.toml", project_trust.settings(place)
    _take(users, policy_overlay(users), actor, overlays, ignored)
    # A system's own settings are part of its format, and open no gate.
    overlays |= systems.settings(place)
    if (table := policy_overlay(projects)) and not project_trust.in_force(place, own):
        ignored += policies.asked(str(projects), table)
    else:
        _take(projects, table, actor, overlays, ignored)
    return (*policies.load(name, overlays), ignored)


def agree(place: Place) -> None:
    """Keep that a person agreed to the settings as they are now, the user's own and the project's."""
    for path in (locate.home() / "config.toml", project_trust.settings(place)):
        agreed_policy.agree(path, policy_overlay(path))


def _take(
    path: Path,
    table: Mapping[str, Any],
    actor: Actor,
    overlays: dict[str, Mapping[str, Any]],
    ignored: list[Setting],
) -> None:
    """Take what was agreed to of a settings file among the overlays, and what waits among the ignored."""
    agreed = agreed_policy.in_force(path, table, actor)
    if agreed:
        overlays[str(path)] = agreed
    ignored += policies.differing(str(path), agreed, table)


def store(place: Place, ways: System, rules: Policy, own: Store | None) -> tuple[Store, list[str]]:
    """Return the store, and what the user should know of files in it that cannot be used."""
    if ways.files is None:
        return own or open_store(place.path, place.scheme), []
    path = locate.companion(place)
    is_new = not path.exists()
    found = FileStore(path, ways.files, lambda memory: verdict(memory, rules), clock.now)
    found.refresh()
    if is_new:
        project_trust.remember_home(found, homes.current().id)
    problems = ((path, *problem) for path, listed in found.problems.items() for problem in listed)
    return found, [f"{path}: {field}: {message}; it is left as it is." for path, field, message in problems]
