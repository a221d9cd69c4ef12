"""A team's database while it cannot be reached: the last copy pulled, plus what the outbox will change.

Reading works on the copy. A command that the outbox keeps is tried on a second copy first, so that its mistakes show
at once and the next command sees what it did; that second copy is thrown away at the next pull, and hooks never read
it. Every other change is refused, because it would be lost.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from tenure.model.decoding import decode
from tenure.model.errors import TenureError
from tenure.store.records import Team
from tenure.store.sqlite.migrate import back_up
from tenure.store.sqlite.store import SqliteStore

# In a copy: who acted there when it was pulled.
TEAM = "team"


class OfflineCopy(SqliteStore):
    """What this machine knows of a store elsewhere."""

    def __init__(self, copy: Path, why: TenureError) -> None:
        super().__init__(scratch(copy) if scratch(copy).exists() else copy)
        # Why the store itself cannot be used.
        self.why = why
        self._copy = copy
        self._keeps = False

    @property
    def team(self) -> Team | None:  # type: ignore[override]
        """Who acted when the copy was pulled."""
        kept = self.setting(TEAM)
        return decode(kept, Team) if kept else None

    @contextlib.contextmanager
    def keeping(self) -> Iterator[None]:
        """Let one command be tried, on a copy of the copy."""
        if self.path == self._copy:
            target = scratch(self._copy)
            if not target.exists():
                # Under another name first: half a copy, left by a kill, must not be taken for one.
                made = target.with_suffix(".new")
                back_up(self.connection, made)
                os.replace(made, target)
            self.close()
            self.path = target
        self._keeps = True
        try:
            yield
        finally:
            self._keeps = False

    @contextlib.contextmanager
    def writing(self, *, makes: bool = True, many: bool = False) -> Iterator[None]:
        """Hold the second copy for a command that the outbox keeps; refuse every other change."""
        if not self._keeps:
            raise self.why
        with super().writing(makes=makes, many=many):
            yield


def scratch(copy: Path) -> Path:
    """Return where commands are tried while a database is away."""
    return copy.with_suffix(".offline.db")


def discard(copy: Path) -> None:
    """Throw away what commands made of a copy."""
    for ending in ("", "-wal", "-shm", ".lock", ".reserve"):
        scratch(copy).with_name(scratch(copy).name + ending).unlink(missing_ok=True)
