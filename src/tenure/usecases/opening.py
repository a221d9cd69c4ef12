"""Opening a project's memory: the policy in force there, and the store it names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tenure.files.settings import policy_overlay
from tenure.model import clock
from tenure.model import policy as policies
from tenure.model.policy import Policy, Setting
from tenure.rules.verdict import verdict
from tenure.store.companion import FileStore
from tenure.store.sqlite.store import SqliteStore
from tenure.systems import api as systems
from tenure.systems.api import System
from tenure.usecases import locate, project_trust
from tenure.usecases.locate import Place


def policy(place: Place, own: SqliteStore | None) -> tuple[Policy, list[Setting], list[Setting]]:
    """Return the policy, where each value comes from, and what of the project's settings is not in force."""
    name = "tenure" if place.scheme in ("sqlite", "postgresql") else place.scheme
    overlays: dict[str, Mapping[str, Any]] = {}
    ignored: list[Setting] = []
    users, projects = locate.home() / "config.toml", project_trust.settings(place)
    if table := policy_overlay(users):
        overlays[str(users)] = table
    # A system's own settings are part of its format, and open no gate.
    overlays |= systems.settings(place)
    if table := policy_overlay(projects):
        if project_trust.in_force(place, own):
            overlays[str(projects)] = table
        else:
            ignored = policies.asked(str(projects), table)
    return (*policies.load(name, overlays), ignored)


def store(place: Place, ways: System, rules: Policy, own: SqliteStore | None) -> tuple[SqliteStore, list[str]]:
    """Return the store, and what the user should know of files in it that cannot be used."""
    if ways.files is None:
        return own or SqliteStore(place.path), []
    found = FileStore(locate.companion(place), ways.files, lambda memory: verdict(memory, rules), clock.now)
    found.refresh()
    problems = ((path, *problem) for path, listed in found.problems.items() for problem in listed)
    return found, [f"{path}: {field}: {message}; it is left as it is." for path, field, message in problems]
