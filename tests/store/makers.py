"""The stores that must keep the contract. Another implementation is one more line here."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tenure.store import open_store
from tenure.store.api import Store

MAKERS: dict[str, Callable[[Path], Store]] = {
    "sqlite": lambda folder: open_store(folder / "store.db", "sqlite"),
    "sqlite in memory": lambda folder: open_store(None, "sqlite"),
}
