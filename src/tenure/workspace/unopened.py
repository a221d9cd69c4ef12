"""What can be done without opening a store; `tenure.workspace` offers it all, and loads it on first use."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from tenure import usecases
from tenure.files.locate import Place

if TYPE_CHECKING:
    from tenure.audit.findings import Fixed, Report
    from tenure.model.actor import Actor
    from tenure.usecases.answers import Progress
    from tenure.usecases.answers.effects import Pooled
    from tenure.usecases.answers.shared import (
        TeamMade,
        TeamRole,
    )
    from tenure.usecases.answers.start import FoundStore, Situation
    from tenure.usecases.effect_pool import Published
    from tenure.usecases.route import Route


def hand_ticket(surface: str, ticket: str) -> Actor:
    """Show a ticket on the person's own terminal, and return who acts through what it opens; only looks when nobody."""
    return usecases.person_gate.handed(usecases.person_gate.acting(surface), ticket)


def audit(
    store: str | None = None,
    path: str | None = None,
    *,
    deep: bool = False,
    fix: bool = False,
    dry_run: bool = False,
    online: bool = False,
    perhaps: bool = False,
    docs: bool = False,
    min_confidence: float | None = None,
    most_memories: int | None = None,
    progress: Progress | None = None,
) -> Report:
    """Return what is wrong with what agents read in a project, or with the memories of one store alone."""
    return usecases.audit.audit(
        store,
        path,
        deep=deep,
        fix=fix,
        dry_run=dry_run,
        online=online,
        perhaps=perhaps,
        docs=docs,
        min_confidence=min_confidence,
        most_memories=most_memories,
        progress=progress,
    )


def can_undo_audit(store: str | None = None, path: str | None = None) -> bool:
    """Tell whether an `audit` with `fix` changed something in this project that can be taken back."""
    return usecases.audit.can_undo(store, path)


def undo_audit(store: str | None = None, path: str | None = None) -> list[Fixed]:
    """Take back what the last `audit` with `fix` in this project changed; return the files it was changed in."""
    return usecases.audit.undo(store, path)


def route(text: str, *, store: str | None = None, session: str = "", write: bool = False) -> Route:
    """Return where something learned belongs in the project of a session, and write it there when asked to."""
    found = usecases.route.route(text, store=store, session=session)
    return usecases.route.apply(found, text) if write else found


def survey(folder: Path, store: str | None = None) -> tuple[Place, list[FoundStore]]:
    """Return the store that commands use in a folder, and every one that is there."""
    return usecases.init.survey(folder, store)


def projects(store: str | None = None, folder: str | Path | None = None) -> list[Place]:
    """Return the places of memory a person has: the one in use in a folder, those beside it, and those trusted."""
    return usecases.projects.projects(store, Path(folder or ".").absolute())


def situation(folder: Path, store: str | None = None, *, since: datetime) -> Situation:
    """Return the stores and coding agents of a folder, with the sessions each agent kept of it since a time."""
    return usecases.start.situation(folder, store, since)


def choose(url: str, folder: Path) -> Path:
    """Write down which store the project around a folder uses, and return the file that says so."""
    return usecases.init.choose(url, folder)


def effect_signer(written: Published) -> str | None:
    """Return the fingerprint of the key that signed published counts, or None when nothing did."""
    return usecases.effect_pool.fingerprint(written)


def merge_effects(paths: Sequence[Path], *, signers: Sequence[str] = (), unsigned: bool = False) -> Pooled:
    """Return what the published counts of several people prove together; only keys that are named decide.

    `signers` are fingerprints beside this home's own; `unsigned` lets every file count.
    """
    return usecases.effect_pool.merge(paths, signers=signers, unsigned=unsigned)


def team_init(store: str | None, *, approvals: int | None = None) -> TeamMade:
    """Make roles and schema of a team's database, or bring them up to date; the store's role must be its administrator.

    `approvals` says how many others must agree before a memory of a project made later is used.
    """
    return usecases.team.init(store, approvals=approvals)


def team_grant(
    store: str | None, role: str, groups: Sequence[str], *, project: str | None = None, domains: Sequence[str] = ()
) -> list[TeamRole]:
    """Put a role of the database into groups and let it into a project, or into all; return everybody who is in."""
    return usecases.team.grant(store, role, groups, project=project, domains=domains)


def team_revoke(store: str | None, role: str, *, project: str | None = None) -> list[TeamRole]:
    """Take a role out of a project, or out of everything; return everybody who is left."""
    return usecases.team.revoke(store, role, project=project)


def team_roles(store: str | None) -> list[TeamRole]:
    """Return everybody who reaches anything in a team's database."""
    return usecases.team.roles(store)


def listening(store: str | None) -> AbstractContextManager[None]:
    """Answer prompt hooks with meaning while a server runs."""
    return usecases.prompt_server.listening(store)


def following(store: str | None) -> AbstractContextManager[None]:
    """Keep the copy of a team's database in step, and send what waits for it, while a server runs."""
    return usecases.follow_database.following(store)


def engine() -> str:
    """Return the version of the database library the store uses."""
    return usecases.inspection.engine()
