"""Whose project this is: whether its memory may reach agents, and whether its settings are in force.

A cloned repository can bring both along. Memory counts once it was made here, named by the user or allowed with
`tenure trust`. Trust covers what was there: what a later commit brings waits until the person agrees again. Settings
count together with the memory; where there is none yet they count unless git says that they came with the repository.
The index of git is read for that; git itself is asked for one content only, because a repository can name programs
that it would start (`files.git`).
"""

from __future__ import annotations

import contextlib
import shlex
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tenure.files import TEAM, durable, locate, trust
from tenure.files.locate import Place
from tenure.files.settings import AGREED, policy_overlay
from tenure.hosts import agent_detection
from tenure.model import policy as policies
from tenure.model.actor import Actor
from tenure.model.errors import InvalidInput, StoreUnusable
from tenure.model.policy import Policy, Setting
from tenure.store import open_for_hook

if TYPE_CHECKING:
    from tenure.files.git_index import Index
    from tenure.store.api import Store

# In a store: the homes that made or trusted it, and what stands for those of a store that does not say.
HOMES = "homes"
UNATTENDED, NOBODY = "unattended_homes", "-"
# The unattended homes that a person let in later; beside an agent they count for nothing.
LET_IN = "let_in_homes"
UNKNOWN = "unknown"
OPTION = "--store"
NAMED = (OPTION, "TENURE_STORE")
SETTINGS = (".tenure", "config.toml")
# Why nothing of a memory is shown; a copy looks like what a clone brings, and nobody here agreed to either.
WITHHELD = "This memory came with the repository or was copied here, and it is not trusted"
TEAM_SETTINGS = (TEAM, "policy.toml")


def settings(place: Place) -> Path:
    """Return where a project's own settings stand."""
    return place.project.joinpath(*SETTINGS)


def team_settings(place: Place) -> Path:
    """Return where a team's policy stands: beside what it shares, in the worktree at hand."""
    return place.tree.joinpath(*TEAM_SETTINGS)


def trusted(place: Place, store: Store | None, agent: str) -> bool:
    """Tell whether agents may see the memory at a place; `store` is None on another system's files.

    `agent` is the surface that an agent comes through, empty for none.
    """
    if _is_named(place, store, agent):
        return True
    if store is not None and not place.path.exists():
        # A line that names the store does no harm; whose policy it is shows when a person writes the first memory.
        return not policy_overlay(settings(place))
    return recorded(place, store)


def _is_named(place: Place, store: Store | None, agent: str) -> bool:
    """Tell whether the user named a store.

    A variable for one in the project, and the words that an agent starts us with, can come from the project's files.
    """
    return place.origin in NAMED and (not place.is_projects or _is_typed(place, store, agent))


def _is_typed(place: Place, store: Store | None, agent: str) -> bool:
    """Tell whether `--store` is a person's word, or names another system's folder that no commit brought."""
    typed = not agent and agent_detection.mark() is None
    return place.origin == OPTION and (typed or _is_untracked(place, store))


def _is_untracked(place: Place, store: Store | None) -> bool:
    """Tell whether another system's folder is in no repository: it is the person's own, as far as anybody can tell."""
    return store is None and not _index(place).keeps(place.path)


def in_force(place: Place, store: Store | None, agent: str) -> bool:
    """Tell whether the policy in a project's settings counts for what is done to the memory at a place."""
    if place.path.is_relative_to(place.project) and _is_typed(place, store, agent):
        return True
    with contextlib.suppress(StoreUnusable):
        # Whoever needs the store reports what is wrong with it; until then its settings do not count.
        if recorded(place, store):
            return True
    named = _is_named(place, store, agent) or (place.origin in NAMED and _is_untracked(place, store))
    return (named or not place.path.exists()) and not brought_along(place)


def recorded(place: Place, store: Store | None) -> bool:
    """Tell whether the user's folder knows the memory at a place as trusted."""
    return trust.trusted(str(place.path), mark(place, store))


def mark(place: Place, store: Store | None) -> str:
    """Return what distinguishes a store from another one at its path; for another system's folder, its companion's."""
    if store is not None:
        return store.identity if place.path.exists() else ""
    companion = locate.companion(place)
    if not companion.exists():
        return ""
    # As a hook does: nothing is migrated in a file that may have come with the repository.
    with contextlib.suppress(Exception):
        found = open_for_hook(str(companion), lambda: False)
        try:
            return found.identity()
        finally:
            found.close()
    return ""


def came_with_commit(place: Place) -> Callable[[str], bool]:
    """Return a function that says whether a file below the memory's folder is as a commit brought it."""
    index = cache(lambda: _index(place))
    return lambda path: index().brought(place.path / path)


def committed(place: Place) -> Callable[[str], list[bytes] | None]:
    """Return what tells the contents that git keeps of a file below the memory's folder; None where it cannot say.

    There are several while a merge is unfinished.
    """
    index = cache(lambda: _index(place))

    def contents(path: str) -> list[bytes] | None:
        from tenure.files.git import Git  # start-up: only where a file of a commit was changed here

        kept = [Git(root).run("cat-file", "blob", name) for root, name in index().blobs(place.path / path)]
        found = [data for data in kept if data is not None]
        return found if len(found) == len(kept) else None

    return contents


def _index(place: Place) -> Index:
    from tenure.files.git_index import Index  # start-up: a store of our own is known by its key

    return Index(place.project)


def withheld(place: Place, store: Store | None, agent: str) -> bool:
    """Tell whether even a person's own `inject` shows nothing: the memory is not trusted and came from elsewhere."""
    return not trusted(place, store, agent) and not _is_untracked(place, store)


def brought_along(place: Place) -> bool:
    """Tell whether the project's settings are files of its repository, as they are in a clone."""
    return _index(place).keeps(settings(place))


def allow(place: Place, own: Store | None) -> None:
    """Keep in the user's folder that this memory may be shown to agents."""
    _keep(trust.with_trust(str(place.path), mark(place, own)))


def disallow(place: Place) -> None:
    """Take that back."""
    _keep(trust.without_trust(str(place.path)))


def homes(store: Store) -> tuple[str, ...]:
    """Return the homes that made or trusted a store."""
    if not store.exists:
        return ()
    return tuple((store.setting(HOMES) or UNKNOWN).split())


def unattended_homes(store: Store) -> tuple[str, ...]:
    """Return the homes whose verdicts count here without a person: those that were unattended when they made the store.

    A home of a person's that says later that it is unattended was edited, or copied and edited.
    """
    return tuple(store.setting(UNATTENDED).split()) if store.exists else ()


def let_in_homes(store: Store) -> tuple[str, ...]:
    """Return the unattended homes that a person let in after the store was made."""
    return tuple((store.setting(LET_IN) or "").split()) if store.exists else ()


def let_in(store: Store, home: str, *, revoke: bool = False) -> None:
    """Let decisions from an unattended home count, or no longer."""
    others = [each for each in let_in_homes(store) if each != home]
    store.keep(LET_IN, " ".join(others if revoke else [*others, home]))


def let_in_command() -> str:
    """Return the command by which a person lets the unattended home in use in."""
    return f"tenure trust --home {shlex.quote(str(locate.home()))}"


def is_strangers(store: Store, home: str, *, beside_agent: Callable[[], bool]) -> bool:
    """Tell whether a store does not know an unattended home: anybody can make one, an agent too.

    One that a person let in is a stranger's beside an agent, which could use the person's folder.
    """
    if not store.exists or home in unattended_homes(store):
        return False
    return home not in let_in_homes(store) or beside_agent()


def remember_home(store: Store, home: str, *, unattended: bool = False) -> None:
    """Let a store remember a home that made or trusted it."""
    known = [each for each in homes(store) if each != UNKNOWN]
    if home and home not in known and store.exists:
        # The first word is nobody's: a store that knows no unattended home knows that.
        without = [*((store.setting(UNATTENDED) or NOBODY).split()), *([home] if unattended else [])]
        store.keep(UNATTENDED, " ".join(without))
        store.keep(HOMES, " ".join([*known, home]))


def only_home(store: Store, home: str) -> None:
    """Let a store remember this home and no other: whoever made it before has no say in it any more."""
    if home and store.exists:
        store.keep(UNATTENDED, NOBODY)
        store.keep(LET_IN, "")
        store.keep(HOMES, home)


def _keep(data: bytes) -> None:
    folder = locate.home()
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    durable.replace(folder / trust.FILE, data, mode=0o600)


def policy_name(place: Place) -> str:
    """Return the name of the packaged policy that counts at a place."""
    return "tenure" if place.native else place.scheme


def policy_in_force(
    place: Place,
    own: Store | None,
    systems: Mapping[str, Mapping[str, Any]],
    actor: Actor,
    *,
    agent: str = "",
    is_strangers_home: bool = False,
) -> tuple[Policy, list[Setting], list[Setting]]:
    """Return the policy, where each value comes from, and what of the settings is not in force.

    In a home that the store does not know no settings count: whoever made it could write and agree to any.
    """
    name = policy_name(place)
    overlays: dict[str, Mapping[str, Any]] = {}
    ignored: list[Setting] = []
    users, projects = locate.home() / "config.toml", settings(place)
    if is_strangers_home:
        ignored += policies.requested(str(users), policy_overlay(users))
    else:
        _take(users, policy_overlay(users), actor, name, overlays, ignored)
    # A system's own settings are part of its format, and open no gate.
    overlays |= systems
    _take_teams(team_settings(place), name, overlays, ignored)
    if (table := policy_overlay(projects)) and (is_strangers_home or not in_force(place, own, agent)):
        ignored += policies.requested(str(projects), table)
    else:
        _take(projects, table, actor, name, overlays, ignored)
    return (*policies.load(name, overlays), ignored)


def _take_teams(path: Path, name: str, overlays: dict[str, Mapping[str, Any]], ignored: list[Setting]) -> None:
    """Take what was agreed to of the team's policy, and what waits among the ignored; the project's goes over it."""
    if not path.parent.is_dir():
        return
    from tenure.usecases import agreed_policy  # start-up: only where a team shares

    agreed = agreed_policy.of_team(path, name)
    if agreed:
        overlays[str(path)] = agreed
    # One that cannot be read is for `team check` to tell: whoever brought it must not stop everybody's commands.
    with contextlib.suppress(InvalidInput):
        ignored += policies.differing(str(path), agreed, policy_overlay(path))


def _take(
    path: Path,
    table: Mapping[str, Any],
    actor: Actor,
    name: str,
    overlays: dict[str, Mapping[str, Any]],
    ignored: list[Setting],
) -> None:
    """Take what was agreed to of a settings file among the overlays, and what waits among the ignored."""
    if not table and not (locate.home() / AGREED).exists():
        return
    from tenure.usecases import agreed_policy  # start-up: most projects have no policy of their own

    agreed = agreed_policy.with_uncaptured(agreed_policy.in_force(path, table, actor, name), table)
    if agreed:
        overlays[str(path)] = agreed
    ignored += policies.differing(str(path), agreed, table)
