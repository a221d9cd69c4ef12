"""The stores that must keep the contract. Another implementation is one more line here."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tenure.store import open_elsewhere, open_store
from tenure.store.api import Store
from tests import postgres


def _postgresql(folder: Path) -> Store:
    """Return a new project of a member in a team where members decide alone, as the person of a file does."""
    address = postgres.person("ana", "member")
    postgres.members_decide()
    return open_elsewhere("postgresql", address, postgres.project_name())


MAKERS: dict[str, Callable[[Path], Store]] = {
    "sqlite": lambda folder: open_store(folder / "store.db", "sqlite"),
    "sqlite in memory": lambda folder: open_store(None, "sqlite"),
    "postgresql": _postgresql,
}
