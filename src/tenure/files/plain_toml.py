"""The policy files of systems with a drop-in, read without `tomllib`, whose import would be a fifth of its start.

They keep to tables, comments on lines of their own, and values on one line that are JSON too; a test compares what
this returns with `tomllib` for each of them. What a user writes is read by `tomllib`.
"""

from __future__ import annotations

import json
from typing import Any


def loads(text: str) -> dict[str, Any]:
    """Return the tables of a packaged policy file."""
    tree: dict[str, Any] = {}
    table = tree
    for line in text.splitlines():
        if not line or line.startswith("#"):
            continue
        if line.startswith("["):
            *path, last = line.strip("[]").split(".")
            parent = tree
            for name in path:
                parent = parent.setdefault(name, {})
            if line.startswith("[["):
                table = {}
                parent.setdefault(last, []).append(table)
            else:
                table = parent.setdefault(last, {})
        else:
            key, _, value = line.partition(" = ")
            table[key.strip('"')] = json.loads(value)
    return tree
