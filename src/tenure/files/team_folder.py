"""The folder of what a team shares, as it is on disk: cheap enough to read at the start of every session.

Reads names, sizes and times, and which commit `.git` says is checked out; git is not run.
"""

from __future__ import annotations

import os

from tenure.files import TEAM, at_once, sha256

ENDING = ".md"
MOST_FILES = 20_000
MOST_LINK_BYTES = 8192


def names(tree: str) -> list[str]:
    """Return the names of the files a team's folder holds, sorted; nothing when it is a link or not there."""
    folder = os.path.join(tree, TEAM)
    if os.path.islink(folder) or os.path.islink(os.path.dirname(folder)):
        return []
    try:
        return sorted(name for name in os.listdir(folder) if name.endswith(ENDING))[:MOST_FILES]
    except OSError:
        return []


def mark(tree: str, *, head: bool) -> str:
    """Return what changes when a file does and, with `head`, when another commit is checked out."""
    seen = [checked_out(tree) if head else ""]
    for name in names(tree):
        try:
            facts = os.lstat(os.path.join(tree, TEAM, name))
            seen.append(f"{name}\0{facts.st_size}\0{facts.st_mtime_ns}\0{facts.st_ino}")
        except OSError:
            seen.append(name)
    return sha256("\n".join(seen).encode("utf-8", "surrogateescape")).hexdigest()


def checked_out(tree: str) -> str:
    """Return a text that changes when another commit is checked out in a worktree; empty outside a repository."""
    own = os.path.join(tree, ".git")
    if os.path.isfile(own):
        own = os.path.join(tree, _line(own).removeprefix("gitdir:").strip())
    head = _line(os.path.join(own, "HEAD"))
    name = head.removeprefix("ref:").strip()
    if not head.startswith("ref:") or os.path.isabs(name) or ".." in name:
        return head
    common = os.path.join(own, _line(os.path.join(own, "commondir")) or ".")
    try:
        packed = str(os.lstat(os.path.join(common, "packed-refs")).st_mtime_ns)
    except OSError:
        packed = ""
    return f"{head} {_line(os.path.join(common, name))} {packed}"


def _line(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="replace", opener=at_once) as file:
            return file.read(MOST_LINK_BYTES).strip()
    except OSError:
        return ""
