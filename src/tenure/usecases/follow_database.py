"""A running server follows a team's database: it hears of changes as they happen, and sends what the outbox keeps.

One thread with its own connection. While the database is away it retries at growing intervals; whatever goes wrong
here, commands and hooks carry on without it.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from pathlib import Path

from tenure.files import locate
from tenure.files.locate import Place
from tenure.model.errors import StoreUnusable, TenureError
from tenure.spool import log
from tenure.spool.outbox import Outbox
from tenure.systems.api import opened
from tenure.usecases import outbox, team_database_copy

# How long it listens before it looks whether it should end or send, and how long it waits for a dead database.
LISTEN_SECONDS, FIRST_SECONDS, LONGEST_SECONDS = 0.5, 1.0, 60.0


class Follower:
    """Keeps the copy of one place in step until it is stopped."""

    def __init__(self, place: Place) -> None:
        self._place = place
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="tenure-team", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def stop(self) -> None:
        """End; a copy that is being written is finished first."""
        self._stop.set()
        self._thread.join(timeout=5)

    def _run(self) -> None:
        wait = FIRST_SECONDS
        while not self._stop.is_set():
            try:
                self._follow()
                wait = FIRST_SECONDS
            except StoreUnusable:
                wait = min(2 * wait, LONGEST_SECONDS)
            except Exception as error:
                log.write("team", f"{type(error).__name__}: {error}")
                wait = LONGEST_SECONDS
            self._stop.wait(wait)

    def _follow(self) -> None:
        """Stay connected: pull at once, then whenever the database says that something changed."""
        project, _ = opened(self._place, surface="mcp")
        with contextlib.closing(project):
            if project.offline is not None:
                raise project.offline.why
            store = outbox.shared(project)
            # First, so that nothing is missed between the pull and the first wait.
            heard = store.heard(0)
            team_database_copy.pull(project)
            while not self._stop.is_set():
                if Outbox(self._place.path).unsent():
                    outbox.send(self._place)
                    heard = True
                if heard:
                    with contextlib.suppress(TenureError):
                        team_database_copy.pull(project)
                heard = store.heard(LISTEN_SECONDS)


@contextlib.contextmanager
def following(store: str | None, folder: str | None = None) -> Iterator[None]:
    """Follow a team's database while a server runs; do nothing where the memory is on this machine."""
    place = locate.locate(store, Path(folder or ".").absolute())
    if not place.address:
        yield
        return
    follower = Follower(place)
    follower.start()
    try:
        yield
    finally:
        follower.stop()
