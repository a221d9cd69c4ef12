"""Looks behind the store's protocol, for tests of what only the database knows."""

from __future__ import annotations

from tenure.store.sqlite.store import SqliteStore
from tenure.workspace import Workspace


def database(ws: Workspace) -> SqliteStore:
    """Return a workspace's store as the database it is, with its connection and its path."""
    store = ws.project.store
    assert isinstance(store, SqliteStore)
    return store
