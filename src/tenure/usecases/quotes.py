"""The person's words that a memory was taken from, as `learn` and `remember` keep them beside it."""

from __future__ import annotations

from tenure.store.api import Store


def of(store: Store, id: str) -> str:
    """Return the words kept with a memory, empty when there are none; erasing the memory erases them."""
    found = store.setting(f"quote:{id}")
    return found if isinstance(found, str) else ""
