"""Whom a repository's CODEOWNERS names for a file: the domain it belongs to, as the repository itself claims."""

from __future__ import annotations

from pathlib import Path

from tenure.files import durable
from tenure.guards import globs
from tenure.model.errors import TenureError

PLACES = (".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS", ".gitlab/CODEOWNERS")
MOST_BYTES = 256 * 1024
MOST_OWNERS = 10


def rules(tree: Path) -> list[tuple[str, tuple[str, ...]]]:
    """Return (pattern, owners) of the file that counts, in its order; nothing where there is none."""
    for place in PLACES:
        try:
            text = durable.read_bytes(tree / place, limit=MOST_BYTES).decode("utf-8", errors="replace")
        except (OSError, TenureError):
            continue
        lines = (line.partition("#")[0].split() for line in text.splitlines() if not line.startswith("["))
        return [(words[0], tuple(words[1:])) for words in lines if words]
    return []


def owners(listed: list[tuple[str, tuple[str, ...]]], path: str) -> tuple[str, ...]:
    """Return who owns a path: the last line that means it decides, and it may name nobody."""
    found = next((names for pattern, names in reversed(listed) if globs.one(path, pattern)), ())
    return found[:MOST_OWNERS]
