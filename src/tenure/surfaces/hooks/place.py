"""Where the store of a session's project is, found without the workspace's imports.

Follows `files.locate`; a test keeps the two in agreement. A project with settings of its own is left to that module.
"""

from __future__ import annotations

import os

from tenure.files import (
    DATABASE,
    FOUND,
    OURS_LAYER,
    TEAM,
    USER_LAYER,
    is_brought,
    is_kept_by,
    project_root,
    trust,
    worktree_root,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from tenure.store.hook_api import HookStore


def database(folder: str) -> tuple[str, str, bool]:
    """Return the database of a project, the path its trust is recorded under, and whether the user named it.

    A variable that names a store which a repository can bring along may come from it too, so nobody named that one.
    """
    named = os.environ.get("TENURE_STORE", "")
    if named.startswith("sqlite:"):
        path = os.path.abspath(os.path.join(folder, os.path.expanduser(named[7:])))
        return path, path, not is_brought(path, (project_root(folder), worktree_root(folder)))
    project = project_root(folder)
    default = os.path.join(project, DATABASE)
    if named or os.path.exists(os.path.join(project, ".tenure", "config.toml")):
        return _located(folder)
    if not os.path.exists(default):
        for scheme, name in FOUND:
            found = os.path.join(project, name)
            if is_kept_by(scheme, found):
                return _companion(scheme, found, project), found, False
    return default, default, False


def users_database() -> str:
    """Return the database of what the user stated for all projects."""
    return os.path.join(trust.home(), trust.USERS, DATABASE)


def asks_nothing() -> bool:
    """Tell whether the user's own settings may switch the question for rules off; a store would say for sure."""
    try:
        with open(os.path.join(trust.home(), "config.toml"), "rb") as file:
            return b"ask" in file.read(1_000_000)
    except OSError:
        return False


def layers(folder: str, database: str, late: Callable[[], bool]) -> list[HookStore]:
    """Return the layers beside a project's own memory that are there: what the team shares, then the user's own."""
    from tenure.store import open_for_hook

    found: list[HookStore] = []
    here = worktree_root(folder)
    ours, users = trust.replica(here), users_database()
    try:
        if os.path.exists(ours):
            found.append(open_for_hook(ours, late, OURS_LAYER, os.path.join(here, TEAM)))
        if os.path.exists(users) and os.path.realpath(users) != os.path.realpath(database):
            store = open_for_hook(users, late, USER_LAYER)
            if trust.trusted(users, store.identity()):
                found.append(store)
            else:
                store.close()
    except TimeoutError:
        raise
    except Exception:
        return found  # a layer that cannot be read must not silence the project's own memory
    return found


def _companion(scheme: str, found: str, project: str) -> str:
    import hashlib

    name = hashlib.sha256(os.path.realpath(found).encode()).hexdigest()[:8]
    return os.path.join(project, ".tenure", f"{scheme}-{name}.db")


def _located(folder: str) -> tuple[str, str, bool]:
    from pathlib import Path

    from tenure.files import locate

    place = locate.locate(None, Path(folder))
    path = place.path if place.native else locate.companion(place)
    return str(path), str(place.path), place.origin == "TENURE_STORE" and not place.is_projects
