"""A drop-in whose notes for the ledger grew long has them taken in, so that they never gather without end."""

from __future__ import annotations

import os

from tenure.spool import dropin


def settle(scheme: str, folder: str | os.PathLike[str]) -> None:
    """Take a folder's notes into the ledger when there are many; only without the folder's lock."""
    if not dropin.is_long(folder):
        return
    from tenure import workspace  # start-up: once in several hundred changes

    try:
        workspace.open(f"{scheme}:{os.path.abspath(folder)}").close()
    except Exception:
        # The change itself is safe in its files; the notes wait for the next command that can take them.
        return
