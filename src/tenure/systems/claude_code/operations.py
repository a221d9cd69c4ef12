"""Changes to a memory folder: only files whose names are those of memories, and no empty archive left behind."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tenure.files import steps
from tenure.files.shared_folder import Folder
from tenure.files.steps import Move, Remove, Step, Write, take_back
from tenure.model.errors import Refused

__all__ = ["Move", "Remove", "Step", "Write", "apply", "take_back"]

_SAFE_NAME = re.compile(r"(?:archive/)?[^/\\\x00-\x1f.][^/\\\x00-\x1f]{0,200}")


def apply(folder: Folder, plan: Sequence[Step]) -> list[Step]:
    """Carry out a plan and return the steps that undo it; see `steps.apply`."""
    for step in plan:
        _check_names(step)
    undo = steps.apply(folder, plan)
    for left in {step.path.rpartition("/")[0] for step in plan if isinstance(step, Move)} - {""}:
        folder.remove_folder(left)
    return undo


def _check_names(step: Step) -> None:
    names = (step.path, step.to) if isinstance(step, Move) else (step.path,)
    for name in names:
        if not _SAFE_NAME.fullmatch(name) or not name.endswith(".md"):
            raise Refused(f"{name!r} is not the name of a file in a memory folder.")
