"""What came with a commit and waits for `tenure trust`: each memory with its difference from what counted."""

from __future__ import annotations

import difflib
from typing import Any

from tenure.model.memory import Memory
from tenure.usecases.answers.shared import Brought
from tenure.usecases.project import Project

# What a person reads before agreeing: what a memory says, and what decides whether it is shown.
_FIELDS = ("title", "text", "content", "state", "kind", "tags", "files")


def brought(project: Project) -> list[Brought]:
    """Return the memories that wait, in order of their ids."""
    found = []
    for id in sorted(project.waiting):
        row = project.row(id)
        if row is not None:
            known = project.accepted(id)
            found.append(
                Brought(id=id, title=row.memory.title, new=known is None, difference=_difference(known, row.memory))
            )
    return found


def _difference(before: Memory | None, after: Memory) -> str:
    """Return a memory as lines, with those marked that a commit took away or added."""
    old, new = _lines(before), _lines(after)
    compared = difflib.unified_diff(old, new, lineterm="", n=0)
    return "\n".join(line for line in compared if not line.startswith(("---", "+++", "@@")))


def _lines(memory: Memory | None) -> list[str]:
    if memory is None:
        return []
    rows = [(name, getattr(memory, name)) for name in _FIELDS]
    return [f"{name}: {line}" for name, value in rows if value for line in _text(value).splitlines()]


def _text(value: Any) -> str:
    if isinstance(value, dict):
        return "\n".join(f"{name}: {item}" for name, item in sorted(value.items()))
    return ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)
