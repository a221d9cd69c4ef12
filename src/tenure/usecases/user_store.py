"""The user's own store: habits of a person that hold in every project, kept in the user's folder.

It is a store like any other (`--store user`), so forgetting, trust and review hold there too. What a session teaches
with the scope `global` is written there instead of the project's store.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext

from tenure.files import locate
from tenure.model.actor import Kind
from tenure.systems.api import System, opened
from tenure.usecases.project import Project

SCOPE = "global"


@contextmanager
def target(project: Project, system: System, scope: str) -> Iterator[tuple[Project, System]]:
    """Hand out where something of this scope is written: the project, or the user's store, which is closed again."""
    if scope != SCOPE or project.place.path == locate.users().path:
        yield project, system
        return
    users, ways = opened(locate.users(), agent=project.agent, surface=project.surface)
    learning = project.actor.kind is Kind.PROCESS
    try:
        with users.as_process() if learning else nullcontext():
            yield users, ways
    finally:
        users.store.close()
