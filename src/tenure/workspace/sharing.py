"""How memory reaches other stores, machines and people, and how what came from them is let in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tenure import usecases
from tenure.files import OURS_LAYER

if TYPE_CHECKING:
    from pathlib import Path

    from tenure.systems.api import System
    from tenure.usecases.answers import Progress
    from tenure.usecases.answers.changed import Moved
    from tenure.usecases.answers.shared import (
        Brought,
        PulledCopy,
        Reviewed,
        SentCommands,
        SharedFiles,
        SharedMemory,
        Sharing,
        Synced,
        TeamCheck,
        TeamStats,
        WaitingCommand,
    )
    from tenure.usecases.project import Project


class SharingMethods:
    """The methods of a workspace that exchange memories with others."""

    project: Project
    system: System

    # To and from files

    def export(
        self, target: str, progress: Progress | None = None, *, source: str = "", replace: bool = False
    ) -> Moved:
        """Write every memory with its history, without loss; with `source`, those that one person or session gave.

        `replace` writes over a file that is no export.
        """
        return usecases.import_export.export(
            self.project, self.system, target, progress, source=source, replace=replace
        )

    def import_(
        self, source: str, *, trusted: bool = False, dry_run: bool = False, progress: Progress | None = None
    ) -> Moved:
        """Read memories that `export` wrote; what this user did not export arrives as candidates unless trusted."""
        return usecases.import_export.import_(
            self.project, self.system, source, trusted=trusted, dry_run=dry_run, progress=progress
        )

    # Among machines and people

    def sync(self, address: str, *, name: str = "", join: bool = False) -> Synced:
        """Bring this machine's memory together with that of the person's other machines, in a folder or `git:URL`.

        Another project's files there are refused; `join` says that they are this project's, synced apart before.
        """
        return usecases.sync.sync(self.project, address, name=name, join=join)

    def share(
        self, ids: Sequence[str], *, commit: str = "", replace: bool = False, dry_run: bool = False
    ) -> SharedFiles:
        """Write memories as files of the team for the next commit; needs a person.

        `commit` names the commit that made them true; `replace` writes over what somebody edited since.
        """
        return usecases.share.share(self.project, ids, commit=commit, replace=replace, dry_run=dry_run)

    def sharing(self) -> Sharing:
        """Return the team's files and which of them count here, what waits for trust, machines and the outbox."""
        return usecases.sharing_status.overview(self.project)

    def team_check(self, *, base: str = "") -> TeamCheck:
        """Return what is wrong with the team's files, for a pull request; with `base`, with those that differ."""
        return usecases.team_check.check(self.project, base=base)

    def team_memories(self) -> list[SharedMemory]:
        """Return what the team shares in this worktree, with who let each file in, as its last commit claims."""
        if not self.project.has_ours:
            return []
        return usecases.team_review.memories(self.project)

    def reviewed(self, id: str) -> list[Reviewed]:
        """Return the commits that changed a team memory's file, newest first, with whose signature each has."""
        if not id.startswith(OURS_LAYER):
            return []
        return usecases.team_review.of_file(self.project, id)

    def team_stats(self) -> TeamStats:
        """Return figures of a project in a team's database, and how far each copy has come."""
        return usecases.team_stats.stats(self.project)

    def refresh(self) -> None:
        """Bring what the team shares in files or a database in step on this machine; hooks read what comes of it."""
        self.project.refresh_ours()
        self.pull()

    def pull(self) -> PulledCopy | None:
        """Bring this machine's copy of a database in step; None where the memory is on this machine anyway."""
        if self.project.place.address and self.project.offline is None:
            usecases.outbox.send(self.project.place)
        return usecases.team_database_copy.pull(self.project)

    # A database that is away

    @property
    def offline(self) -> str:
        """Why a team's database cannot be reached, so that this machine's copy answers; empty when it can."""
        return self.project.offline.why.message if self.project.offline is not None else ""

    @property
    def unsent(self) -> int:
        """How many commands wait for a team's database and were not sent yet."""
        if not self.project.place.address:
            return 0
        return sum(not command.refused for command in self.outbox())

    def outbox(self) -> list[WaitingCommand]:
        """Return the commands that wait for a team's database, and those that it refused."""
        return usecases.outbox.commands(self.project.place)

    def send(self) -> SentCommands:
        """Send the commands that wait for a team's database."""
        return usecases.outbox.send(self.project.place)

    def send_again(self, key: str) -> SentCommands:
        """Send a command that was refused once more, whatever its memory says by now."""
        return usecases.outbox.again(self.project.place, key)

    def drop_command(self, key: str) -> WaitingCommand:
        """Take a command out of the outbox without sending it."""
        return usecases.outbox.drop(self.project.place, key)

    # Letting agents in

    @property
    def trusted(self) -> bool:
        """Whether agents may see this memory: it was made here, named by the user, or allowed with `trust`."""
        return self.project.trusted

    def trust(self) -> None:
        """Let agents see this memory and its project's settings count, although they may have come with a clone."""
        usecases.trust.trust(self.project)

    def brought(self) -> list[Brought]:
        """Return what came with a commit and waits for `trust`, each with its difference from what counted."""
        return usecases.came_with_commit.brought(self.project)

    def let_in(self, home: str | Path, *, revoke: bool = False) -> None:
        """Let decisions from an unattended home, for a script or CI, count here, or no longer; a person must say so."""
        usecases.trust.let_in(self.project, home, revoke=revoke)

    def distrust(self) -> None:
        """Take the trust back; only somebody who is there may, because guards rest then."""
        usecases.trust.distrust(self.project)
