"""Which store a command works on, and where Tenure keeps its own things.

The order: `--store`, `TENURE_STORE`, the project's `.tenure/config.toml`, what is found in the project, the default.
All worktrees of a repository share the store at the root of the main one. Outside a repository a folder is a project
of its own: memory in a folder above is named and not used.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Any

import msgspec

from tenure.files import (
    DATABASE,
    ELSEWHERE,
    FOUND,
    around_repository,
    is_brought,
    is_kept_by,
    project_root,
    trust,
    worktree_root,
)
from tenure.files import settings as settings_file
from tenure.model.errors import BadRequest, InvalidInput, StoreUnusable

# Stores of our own, which `tenure.store` opens; the first is what a project gets without asking.
OWN_SCHEMES = ("sqlite", "postgresql")
DEFAULT = OWN_SCHEMES[0]
# Addresses that work: stores of our own, then the folders of other systems.
SCHEMES = (*OWN_SCHEMES, "geas", "claude-memory", "archeflow", "claude-code")
# Addresses that are spoken for and do not work yet.
PLANNED = ("okf",)


class Place(msgspec.Struct, frozen=True, kw_only=True):
    """A store's address, the project it belongs to, and why this one was chosen."""

    scheme: str
    path: Path
    project: Path
    origin: str
    # The worktree the command runs in, whose team files count; the project's folder unless it is another one.
    worktree: Path | None = None
    # As the driver takes it, where the store is elsewhere. It may hold a password, so nothing ever prints it.
    address: str = ""

    @property
    def url(self) -> str:
        """The address as it is shown."""
        if self.address:
            from tenure.files.database_address import parse  # start-up: most stores are files

            return parse(self.address, self.project.name).shown
        return f"{self.scheme}:{self.path}"

    def __repr__(self) -> str:
        return f"Place({self.url!r}, project={str(self.project)!r}, origin={self.origin!r})"

    @property
    def tree(self) -> Path:
        """The root of the worktree whose files count here."""
        return self.worktree or self.project

    @property
    def is_projects(self) -> bool:
        """Whether a repository can bring the store along, or the database beside another system's files."""
        if self.address or self.path == users().path:
            return False
        return not self.native or is_brought(str(self.path), (str(self.project), str(self.tree)))

    @property
    def native(self) -> bool:
        """Whether it is a store of our own, not another system's folder."""
        return self.scheme in OWN_SCHEMES


def locate(store: str | None, folder: Path) -> Place:
    """Return the place of the store a command should use when run in `folder`."""
    place = _located(store, folder)
    tree = Path(worktree_root(str(folder)))
    # The user's own store belongs to no worktree, and neither does a folder outside the project.
    if tree == place.project or place.path == users().path or project_of(folder) != place.project:
        return place
    return msgspec.structs.replace(place, worktree=tree)


def _located(store: str | None, folder: Path) -> Place:
    project = project_of(folder)
    if store:
        return _parse(store, folder, project, "--store")
    if named := os.environ.get("TENURE_STORE"):
        return _parse(named, folder, project, "TENURE_STORE")
    settings = project / ".tenure" / "config.toml"
    if configured := read_settings(settings).get("store"):
        place = _parse(str(configured), project, project, str(settings))
        if place.address or not place.path.resolve().is_relative_to(project.resolve()):
            raise InvalidInput(
                f"{settings}: store {place.url if place.address else configured!r} lies outside the project.",
                hint="A project may only name a store inside itself; use --store or TENURE_STORE instead.",
                field="store",
            )
        return place
    default = project / DATABASE
    if not default.exists():
        for scheme, name in FOUND:
            if is_kept_by(scheme, str(project / name)):
                return Place(scheme=scheme, path=project / name, project=project, origin="found in the project")
    return Place(scheme=DEFAULT, path=default, project=project, origin="default")


def named(url: str, folder: Path) -> Place:
    """Return the place a URL names, as seen from `folder`."""
    return _parse(url, folder, project_of(folder), url)


def users(origin: str = "the user's folder") -> Place:
    """Return the place of what holds for a person in every project."""
    folder = home() / trust.USERS
    return Place(scheme=DEFAULT, path=folder / DATABASE, project=folder, origin=origin)


def memory_above(place: Place) -> str:
    """Say which folder above has memory and how to use it; empty where this one has its own or none is above.

    Only outside every repository, where nothing says what belongs together. What lies in the home folder, in a folder
    that others may write, or above either belongs to nobody's project.
    """
    if place.origin != "default" or os.path.lexists(place.path) or around_repository(str(place.path)):
        return ""
    found = _nearest(os.path.realpath(place.project))
    if not found:
        return ""
    import shlex  # start-up: almost nobody works below such a folder

    return f"A folder above has memory, which is not used here: {found}. To use it: cd {shlex.quote(found)}"


def companion(place: Place) -> Path:
    """Return the database that accompanies a dialect's folder: beside it in the project, never inside it."""
    import hashlib

    name = hashlib.sha256(str(place.path.resolve()).encode()).hexdigest()[:8]
    return place.project / ".tenure" / f"{place.scheme}-{name}.db"


def project_of(folder: Path) -> Path:
    """Return the root of the main worktree that `folder` is in, or `folder` itself outside a repository."""
    return Path(project_root(str(folder)))


def home() -> Path:
    """Return the user-level folder: `TENURE_HOME`, or the platform's place for data."""
    return Path(trust.home())


def read_settings(path: Path) -> dict[str, Any]:
    """Return a settings file's values, empty when there is none."""
    return settings_file.read(path)


def _parse(url: str, base: Path, project: Path, origin: str) -> Place:
    if url == trust.USERS:
        return users(origin)
    scheme, separator, rest = url.partition(":")
    works = ", ".join([*(f"{known}:PATH" for known in SCHEMES), trust.USERS])
    if separator and scheme in PLANNED:
        raise StoreUnusable(
            f"{origin}: this version of Tenure cannot work on {scheme} stores yet.", hint=f"These work: {works}."
        )
    if not separator or scheme not in SCHEMES or not rest:
        hint = f"A file of Tenure's own is named so: sqlite:{url}" if not separator and url else ""
        raise BadRequest(f"{origin}: {_without_password(url)!r} is not a store; expected one of {works}.", hint=hint)
    if scheme in ELSEWHERE:
        return _elsewhere(url, project, origin)
    path = (base / os.path.expanduser(rest)).absolute()
    if rest.startswith("~") and os.path.expanduser(rest) == rest:
        user = rest.partition("/")[0][1:]
        raise BadRequest(f"{origin}: there is no user {user!r:.60} here.", hint="Write the whole path.")
    if "\0" in rest or not path.name:
        raise BadRequest(f"{origin}: {url!r:.200} names no file.", hint=f"Write it as {scheme}:PATH")
    if scheme not in OWN_SCHEMES:
        project = project_of(path.parent)
    return Place(scheme=scheme, path=path, project=project, origin=origin)


def _without_password(url: str) -> str:
    """Return an address without what stands between the user's name and the host."""
    head, separator, rest = url.partition("://")
    user, at, host = rest.rpartition("@")
    return f"{head}{separator}{user.partition(':')[0]}{at}{host}" if separator and at else url


def _elsewhere(url: str, project: Path, origin: str) -> Place:
    """Return the place of a store on a server; its path is where the copy on this machine lies."""
    import hashlib

    from tenure.files.database_address import parse  # start-up: most stores are files

    shown = parse(url, project.name).shown
    name = hashlib.sha256(shown.encode()).hexdigest()[:16]
    path = home() / "teams" / f"{name}.db"
    return Place(scheme=url.partition(":")[0], path=path, project=project, origin=origin, address=url)


def _nearest(folder: str) -> str:
    """Return the nearest folder above with memory of ours; empty when there is none."""
    home, above = os.path.realpath(os.path.expanduser("~")), os.path.dirname(folder)
    while folder not in (home, above) and above != home and not _is_open(above):
        database = os.path.join(above, DATABASE)
        if _is_file(database) and not _is_open(os.path.dirname(database)):
            return above
        folder, above = above, os.path.dirname(above)
    return ""


def _is_open(folder: str) -> bool:
    """Tell whether somebody else may write to a folder, it is a link, or it is not there."""
    try:
        facts = os.lstat(folder)
    except OSError:
        return True
    return not stat.S_ISDIR(facts.st_mode) or bool(hasattr(os, "geteuid") and trust.open_to_others(facts, os.geteuid()))


def _is_file(path: str) -> bool:
    try:
        return stat.S_ISREG(os.lstat(path).st_mode)
    except OSError:
        return False
