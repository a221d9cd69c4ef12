"""What a person agreed to in the team's files, and what they shared themselves; kept in the user's folder by project.

A file counts when a person on this machine agreed to what it says: by sharing it, or by `tenure trust`. Agreement is
by content, so switching back to a branch, or using another worktree, does not ask again.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable
from pathlib import Path

import msgspec

from tenure.files import durable, locate, trust
from tenure.files.lock import exclusive
from tenure.model.decoding import decode
from tenure.model.errors import StoreUnusable


class Own(msgspec.Struct, frozen=True):
    """A memory of the project's store that was shared: its id in *ours*, and the mark of what was written."""

    id: str
    mark: str


class Agreed(msgspec.Struct, frozen=True, kw_only=True):
    """What was agreed to: id in *ours* -> marks of what it said, and what this person shared, by its own id."""

    marks: dict[str, list[str]] = {}
    shared: dict[str, Own] = {}

    def knows(self, id: str, mark: str) -> bool:
        """Tell whether a person agreed to a file as it is."""
        return mark in self.marks.get(id, ())


def path(project: Path) -> Path:
    """Return where a project's agreements are kept."""
    return Path(trust.replica(str(project))).with_suffix(".json")


def read(project: Path) -> Agreed:
    """Return what was agreed to; nothing where nothing was, or where it cannot be read: then everything waits."""
    with contextlib.suppress(OSError, msgspec.DecodeError):
        return decode(durable.read_bytes(path(project)), Agreed)
    return Agreed()


def agree(project: Path, marks: Iterable[tuple[str, str]], shared: dict[str, Own] | None = None) -> None:
    """Keep that a person agreed to (id, mark)."""

    def more(known: Agreed) -> Agreed:
        merged = {id: list(listed) for id, listed in known.marks.items()}
        for id, mark in marks:
            listed = merged.setdefault(id, [])
            if mark not in listed:
                listed.append(mark)
        return Agreed(marks=merged, shared={**known.shared, **(shared or {})})

    _change(project, more)


def withdraw(project: Path) -> None:
    """Take every agreement back; what this person shared stays known as theirs."""
    _change(project, lambda known: Agreed(shared=known.shared))


def forget(project: Path, id: str) -> None:
    """Know no more that a memory was shared, nor as what: its id in *ours* is made of the words of its title."""

    def less(known: Agreed) -> Agreed:
        own = known.shared[id].id
        return Agreed(
            marks={name: listed for name, listed in known.marks.items() if name != own},
            shared={name: each for name, each in known.shared.items() if name != id},
        )

    _change(project, less)


def _change(project: Path, rule: Callable[[Agreed], Agreed]) -> None:
    target = path(project)
    try:
        locate.home().mkdir(mode=0o700, parents=True, exist_ok=True)
        target.parent.mkdir(mode=0o700, exist_ok=True)
        with exclusive(target.with_suffix(".lock")):
            durable.replace(target, msgspec.json.encode(rule(read(project))), mode=0o600)
    except OSError as error:
        raise StoreUnusable(
            f"The folder {str(target.parent)!r} cannot be used ({error.strerror}).",
            hint="Set TENURE_HOME to a folder of yours.",
        ) from None
