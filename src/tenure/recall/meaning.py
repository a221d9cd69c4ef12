"""Meaning beside words: neighbours by vector, when the extra is there and the store has vectors."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tenure.store.sqlite import Row, SqliteStore


def with_neighbours(
    store: SqliteStore, query: str, rows: list[Row], limit: int, where: str
) -> tuple[list[Row], dict[int, float]]:
    """Return the rows and those near in meaning, with row number -> closeness; nothing is added without vectors."""
    return rows, {}
