"""The ids forgotten in a store, as the user's folder keeps them, for hooks that show memories.

`usecases.store_progress` writes the file; this reads the one thing a hook must know. Standard library only.
"""

from __future__ import annotations

import os

from tenure.files import quick_json, sha256
from tenure.files.trust import HEADS, home


def place(identity: str, database: str) -> str:
    """Return where the head of a store is kept."""
    name = sha256(f"{identity}\0{os.path.realpath(database)}".encode("utf-8", "surrogateescape")).hexdigest()[:32]
    return os.path.join(home(), HEADS, f"{name}.json")


def read(identity: str, database: str) -> frozenset[str]:
    """Return the ids that were forgotten in the store of this identity at this place."""
    try:
        with open(place(identity, database), "rb") as file:
            kept = quick_json.loads(file.read(1 << 24))
        return frozenset(str(entry[1]) for entry in kept["forgotten"])
    except (OSError, ValueError, KeyError, TypeError, IndexError, RecursionError):
        return frozenset()
