"""Which stores there are, and how one is opened. A new kind of store is one line in `_MAKERS`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tenure.store.api import Store


def _sqlite(path: Path | None) -> Store:
    from tenure.store.sqlite.store import SqliteStore  # start-up: only when this one is used

    return SqliteStore(path)


# The scheme of a store's address -> what opens it.
_MAKERS: dict[str, Callable[[Path | None], Store]] = {"sqlite": _sqlite}
SCHEMES = tuple(_MAKERS)
# The store a project gets without asking, and the one that accompanies another system's files.
DEFAULT = "sqlite"


def engine() -> str:
    """Return what the default store runs on, with its version."""
    from tenure.store.sqlite import checking  # start-up: only the doctor asks

    return f"SQLite {checking.engine()}"


def open_store(path: Path | None, scheme: str = DEFAULT) -> Store:
    """Return the store at a path; None opens an empty one that is thrown away when it is closed."""
    return _MAKERS[scheme](path)
