"""Moves a drop-in's notes into the ledger when they have grown long, so that they do not pile up for ever."""

from __future__ import annotations

import os

from tenure.spool import dropin


def take_in_notes(scheme: str, folder: str | os.PathLike[str]) -> None:
    """Take a folder's notes into the ledger when there are many; only without the folder's lock."""
    if not dropin.is_long(folder):
        return
    from pathlib import Path  # start-up: once in several hundred changes

    from tenure.files import locate
    from tenure.systems import api

    try:
        project, _ = api.opened(locate.named(f"{scheme}:{os.path.abspath(folder)}", Path.cwd()))
        project.store.close()
    except Exception:
        # The change itself is safe in its files; the notes wait for the next command that can take them.
        return
