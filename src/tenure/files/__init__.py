"""Files and what is beside them: durable writes, locks, JSON, sockets, the list of trusted stores.

Where stores lie, which project a folder belongs to and SHA-256 stand here because hooks need them and pay for every
module. The hash is the interpreter's
own: `hashlib` would load OpenSSL on every prompt.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from hashlib import sha256
else:
    try:
        from _sha2 import sha256
    except ImportError:
        try:
            from _sha256 import sha256  # Python 3.11
        except ImportError:
            from hashlib import sha256

# Where the native store lies in a project, and the folders of other systems by their scheme, in the order to look.
DATABASE = ".tenure/memory.db"
# Below the root of a worktree: the memories a team shares, one file each.
TEAM = ".tenure/team"
# What the ids of the team's and the user's memories begin with; the project's own are plain.
OURS_LAYER, USER_LAYER = "ours/", "user/"
GEAS, CLAUDE_MEMORY, ARCHEFLOW = ".geas", ".claude/memory", ".archeflow"
FOUND = (("geas", GEAS), ("claude-memory", CLAUDE_MEMORY), ("archeflow", ARCHEFLOW))

# A path in a file of git.
MOST_LINK_BYTES = 8192

__all__ = [
    "ARCHEFLOW",
    "CLAUDE_MEMORY",
    "DATABASE",
    "FOUND",
    "GEAS",
    "OURS_LAYER",
    "TEAM",
    "USER_LAYER",
    "around_repository",
    "is_brought",
    "lies_inside",
    "project_root",
    "sha256",
    "worktree_root",
]


def project_root(folder: str) -> str:
    """Return the root of the main worktree that `folder` is in, or `folder` itself outside a repository."""
    here = folder
    while True:
        marker = os.path.join(here, ".git")
        if os.path.isdir(marker):
            return here
        if os.path.isfile(marker):
            return _main_worktree(marker) or here
        above = os.path.dirname(here)
        if above == here:
            return folder
        here = above


def lies_inside(path: str, folder: str) -> bool:
    """Tell whether a path is below a folder, as it is written or where its links lead."""
    inside = os.path.join(os.path.realpath(folder), "")
    written = os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path))
    as_named = os.path.abspath(path).startswith(os.path.join(os.path.abspath(folder), ""))
    return as_named or written.startswith(inside) or os.path.realpath(path).startswith(inside)


def is_brought(path: str, roots: Iterable[str]) -> bool:
    """Tell whether a repository can bring a store along: it lies in the one at hand, or another one keeps it."""
    if any(lies_inside(path, root) for root in roots):
        return True
    if not around_repository(path):
        return False
    from tenure.files.git_index import keeper  # start-up: few people name a store in another repository

    return bool(keeper(path))


def worktree_root(folder: str) -> str:
    """Return the root of the worktree that `folder` is in, or `folder` itself outside a repository."""
    here = folder
    while not os.path.exists(os.path.join(here, ".git")):
        above = os.path.dirname(here)
        if above == here:
            return folder
        here = above
    return here


def around_repository(path: str) -> bool:
    """Tell whether a path lies in a repository, as it is written or where its links lead."""
    return any(
        os.path.lexists(os.path.join(worktree_root(folder), ".git"))
        for folder in (os.path.abspath(path), os.path.realpath(path))
    )


def worktrees(root: str) -> list[str]:
    """Return the other worktrees that the repository at `root` says it has."""
    folder = os.path.join(root, ".git", "worktrees")
    found = []
    try:
        names = os.listdir(folder)
    except OSError:
        return []
    for name in names:
        try:
            found.append(os.path.dirname(_line(os.path.join(folder, name, "gitdir"))))
        except (OSError, ValueError):
            continue
    return found


def _main_worktree(marker: str) -> str | None:
    """Follow a linked worktree's `.git` file to the repository it belongs to; None for a submodule.

    The repository must name this worktree in turn: an archive can bring a `.git` file that points at any repository of
    the user, and would be given that one's memory.
    """
    try:
        link = _line(marker).removeprefix("gitdir:").strip()
        folder = os.path.realpath(os.path.join(os.path.dirname(marker), link))
        common = os.path.realpath(os.path.join(folder, _line(os.path.join(folder, "commondir"))))
        named = os.path.realpath(os.path.join(folder, _line(os.path.join(folder, "gitdir"))))
    except (OSError, ValueError):
        return None
    if named != os.path.realpath(marker) or os.path.dirname(folder) != os.path.join(common, "worktrees"):
        return None
    return os.path.dirname(common) if os.path.basename(common) == ".git" else None


def _line(path: str) -> str:
    # No link is followed, and a pipe put in the file's place keeps nobody waiting.
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    try:
        data = os.read(handle, MOST_LINK_BYTES + 1)
    finally:
        os.close(handle)
    if len(data) > MOST_LINK_BYTES:
        raise ValueError(path)
    return data.decode("utf-8").strip()
