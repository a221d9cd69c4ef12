"""Where the store of a session's project lies, found without the workspace's imports.

Follows `files.locate`; a test holds the two together. A project with settings of its own is left to that module.
"""

from __future__ import annotations

import os

from tenure.files import DATABASE, FOUND, project_root


def database(folder: str) -> tuple[str, str, bool]:
    """Return the database of a project, the path its trust is recorded under, and whether the user named it."""
    named = os.environ.get("TENURE_STORE", "")
    if named.startswith("sqlite:"):
        path = os.path.abspath(os.path.join(folder, os.path.expanduser(named[7:])))
        return path, path, True
    project = project_root(folder)
    default = os.path.join(project, DATABASE)
    if named or os.path.exists(os.path.join(project, ".tenure", "config.toml")):
        return _located(folder)
    if not os.path.exists(default):
        for scheme, name in FOUND:
            found = os.path.join(project, name)
            if os.path.isdir(found):
                return _companion(scheme, found, project), found, False
    return default, default, False


def _companion(scheme: str, found: str, project: str) -> str:
    import hashlib

    name = hashlib.sha256(os.path.realpath(found).encode()).hexdigest()[:8]
    return os.path.join(project, ".tenure", f"{scheme}-{name}.db")


def _located(folder: str) -> tuple[str, str, bool]:
    from pathlib import Path

    from tenure.files import locate

    place = locate.locate(None, Path(folder))
    path = place.path if place.native else locate.companion(place)
    return str(path), str(place.path), place.origin in ("--store", "TENURE_STORE")
