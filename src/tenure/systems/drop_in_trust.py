"""Whether a drop-in command line may show what is in its folder: what a repository brought waits for `tenure trust`.

A folder that no repository tracks is the person's own work and shown as always, which costs a look for `.git`. In one
that git tracks nothing is shown before it is trusted, and after that nothing that a later commit brought.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, NamedTuple

from tenure.files import around_repository

if TYPE_CHECKING:
    from pathlib import Path

NOT_TRUSTED = "This memory came with the repository and is not trusted, so nothing of it is shown."
LOOK = "Look with `tenure list`, then: tenure trust"


class Showable(NamedTuple):
    """What may be shown: everything, or of the memories only these, by id or place, each with its text."""

    everything: bool
    texts: dict[str, str]

    def has(self, path: str) -> bool:
        """Tell whether the record at a path may be shown; an id is its name, or with the folder in front."""
        folder, name = os.path.split(path.removesuffix(".json"))
        return self.everything or name in self.texts or f"{os.path.basename(folder)}/{name}" in self.texts

    def says(self, id: str, text: str) -> bool:
        """Tell whether a memory may be shown with this text; a second one of the same id may say something else."""
        return self.everything or self.texts.get(id) == text


EVERYTHING, NOTHING = Showable(True, {}), Showable(False, {})


def shown(scheme: str, folder: str | os.PathLike[str]) -> Showable:
    """Return what of a folder may be shown; what is held back is said in one line on standard error."""
    if not around_repository(os.fspath(folder)):
        return EVERYTHING
    from pathlib import Path  # start-up: only inside a repository

    from tenure.files import git_index, trust

    path = Path(os.path.abspath(folder))
    if not git_index.keeper(path):
        return EVERYTHING
    if trust.known(str(path)) is None:
        print(f"tenure: {NOT_TRUSTED} {LOOK}", file=sys.stderr)
        return NOTHING
    return _agreed(scheme, path)


def _agreed(scheme: str, path: Path) -> Showable:
    """Return what of a trusted folder a person agreed to; a store that cannot be asked shows nothing."""
    from tenure.files import locate
    from tenure.model.errors import TenureError
    from tenure.systems import api

    try:
        project, _ = api.opened(locate.named(f"{scheme}:{path}", path.parent))
    except (TenureError, OSError) as error:
        print(f"tenure: {error}", file=sys.stderr)
        return NOTHING
    try:
        if not project.trusted:
            print(f"tenure: {NOT_TRUSTED} {LOOK}", file=sys.stderr)
            return NOTHING
        if waits := len(project.waiting):
            print(
                f"tenure: {waits} came with a commit and {'is' if waits == 1 else 'are'} not shown."
                " Look and agree with: tenure trust",
                file=sys.stderr,
            )
        rows = project.store.find(phases=("pending", "live", "held", "gone"))
        return Showable(False, {row.memory.id: row.memory.text for row in rows if row.memory.id not in project.waiting})
    finally:
        project.store.close()
