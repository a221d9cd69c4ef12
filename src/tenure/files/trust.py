"""Which projects' memory agents may see: those whose store was made here, and those the person approved.

A cloned repository can bring a memory folder, a store and settings. Until it is trusted, agents are shown nothing of
it and nothing is captured into it. This module is on the hooks' path and imports the standard library only.
"""

from __future__ import annotations

import os
import sys

from tenure.files import around_repository, at_once, sha256

# One line per store: its mark, a blank, its path.
FILE = "trusted"
NO_MARK = "-"
# Below it lies how far each store had come; `usecases.store_progress` writes it.
HEADS = "heads"
# What became of other stores of a project; `usecases.other_store` writes it.
OTHER_STORES = "other_stores.json"
# Below it lies how long prompt hooks took, one file for each store; `spool.hook_times` reads it.
TIMES = "times"
SOCKETS = "sockets"
# Shorter than what any system takes as the address of a socket (104 bytes on macOS, 108 on Linux).
LONGEST_SOCKET = 100
# Below the user's folder: the store of what holds in all their projects, and what `--store` calls it.
USERS = "user"
# Below the user's folder: replicas of what teams share, one for each worktree, and what was agreed to of it.
OURS = "ours"

# What was found of a home, for this process: a command asks for its home many times.
_roots: dict[str, str] = {}


def home() -> str:
    """Return the user-level folder: `TENURE_HOME`, or the platform's place for data.

    Keys, trust and journals lie there, so a folder that others may write is refused, and so is one that came with a
    repository: a clone's settings for an agent can set the variable.
    """
    found = os.environ.get("TENURE_HOME") or default_home()
    try:
        facts = os.stat(found)
    except OSError:
        return found  # made when it is needed, for its owner only
    if root := _repository_of(found):
        from tenure.model.errors import StoreUnusable  # start-up: hooks come here on every prompt

        raise StoreUnusable(
            f"The folder {found!r} holds your keys and what you trust, and git keeps files of it in {root!r}.",
            hint="Set TENURE_HOME to a folder outside the repository, or unset it.",
        )
    if hasattr(os, "geteuid") and (why := open_to_others(facts, os.geteuid())):
        # start-up: hooks come here on every prompt
        import shlex

        from tenure.model.errors import StoreUnusable

        mend = f"sudo chown $(id -u) {shlex.quote(found)}" if "belongs" in why else f"chmod go-w {shlex.quote(found)}"
        raise StoreUnusable(f"The folder {found!r} {why}.", hint=f"Mend it with: {mend}")
    return found


def _repository_of(folder: str) -> str:
    """Return the root of the repository with files in a folder; empty when git keeps nothing there."""
    if folder not in _roots:
        _roots[folder] = ""
        if around_repository(folder):
            from tenure.files.git_index import keeper  # start-up: only a home inside a repository gets here

            _roots[folder] = keeper(folder)
    return _roots[folder]


def open_to_others(facts: os.stat_result, user: int) -> str:
    """Say why others could put their own keys and trust into a folder; empty when they cannot."""
    if facts.st_mode & 0o002:
        return "may be written by everybody"
    # A group with the number of its user is that user's own; such systems let it write by default.
    if facts.st_mode & 0o020 and facts.st_gid != facts.st_uid:
        return "may be written by its group"
    if user and facts.st_uid not in (user, 0):
        return "belongs to somebody else"
    return ""


def default_home() -> str:
    """Return the platform's place for a person's data."""
    if sys.platform == "win32":
        return os.path.join(os.environ.get("LOCALAPPDATA") or os.path.expanduser("~"), "tenure")
    if sys.platform == "darwin":
        return os.path.join(os.path.expanduser("~"), "Library", "Application Support", "tenure")
    data = os.environ.get("XDG_DATA_HOME") or os.path.join(os.path.expanduser("~"), ".local", "share")
    return os.path.join(data, "tenure")


def replica(tree: str) -> str:
    """Return where the replica of what a team shares lies for the worktree at a path.

    It is kept in the user's folder, so that no repository can bring one along.
    """
    return os.path.join(home(), OURS, f"{sha256(os.path.realpath(tree).encode()).hexdigest()[:24]}.db")


def times_of(database: str) -> str:
    """Return where prompt hooks write down how long they took on a store."""
    name = sha256(os.path.realpath(database).encode("utf-8", "surrogateescape")).hexdigest()[:24]
    return os.path.join(home(), TIMES, name)


def socket_of(database: str) -> str:
    """Return where the server of a store listens."""
    name = sha256(f"{home()}\0{os.path.realpath(database)}".encode("utf-8", "surrogateescape")).hexdigest()[:24]
    found = os.path.join(home(), SOCKETS, f"{name}.sock")
    if len(os.fsencode(found)) > LONGEST_SOCKET:
        found = f"/tmp/tenure-{os.getuid()}/{name}.sock"
    return found


def keeps_heads() -> bool:
    """Tell whether it was ever written down how far a store had come."""
    return os.path.isdir(os.path.join(home(), HEADS))


def trusted(path: str, mark: str) -> bool:
    """Tell whether the store at `path` that carries `mark` is trusted; another store at the same place is not.

    Another system's folder carries the mark of the companion beside it. Before that was so, it carried none.
    """
    entry = known(path)
    return entry is not None and (entry == mark or (not entry and os.path.isdir(path)))


def known(path: str) -> str | None:
    """Return the mark under which the store at a path was trusted, None when it was not."""
    return _known().get(os.path.realpath(path))


def stores() -> list[str]:
    """Return the paths of the stores that are trusted."""
    return list(_known())


def other_stores(path: str) -> tuple[list[str], list[str]]:
    """Return the other stores that a person knows of beside the one at a path, and the marks of those it replaced."""
    from tenure.files import quick_json

    try:
        with open(os.path.join(home(), OTHER_STORES), "rb", opener=at_once) as file:
            kept = quick_json.loads(file.read(1 << 24))
        return list(kept["accepted"].get(path, [])), list(kept["replaced"].get(path, []))
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return [], []


def with_trust(path: str, mark: str) -> bytes:
    """Return the file of trusted stores with one more."""
    return _written({**_known(), os.path.realpath(path): mark})


def without_trust(path: str) -> bytes:
    """Return the file of trusted stores without one."""
    known = _known()
    known.pop(os.path.realpath(path), None)
    return _written(known)


def mark_of(key: object) -> str:
    """Return the mark of a store: a hash of the secret key it was made with, which a copy made elsewhere lacks."""
    if not isinstance(key, bytes):
        return ""
    return sha256(key).hexdigest()[:32]


def _known() -> dict[str, str]:
    try:
        with open(os.path.join(home(), FILE), encoding="utf-8", errors="surrogateescape", opener=at_once) as file:
            lines = file.read(1 << 24).split("\n")
    except OSError:
        return {}
    parts = (line.partition(" ") for line in lines)
    return {path: "" if mark == NO_MARK else mark for mark, _, path in parts if path}


def _written(known: dict[str, str]) -> bytes:
    lines = [f"{mark or NO_MARK} {path}\n" for path, mark in sorted(known.items()) if "\n" not in path]
    return "".join(lines).encode("utf-8", "surrogateescape")
