"""Which projects' memory agents may see: those whose store was made here, and those the person said yes to.

A cloned repository can bring a memory folder, a store and settings. Until it is trusted, agents are shown nothing of
it and nothing is captured into it. This module is on the hooks' path and imports the standard library only.
"""

from __future__ import annotations

import json
import os
import sys

FILE = "trusted.json"


def home() -> str:
    """Return the user-level folder: `TENURE_HOME`, or the platform's place for data."""
    if named := os.environ.get("TENURE_HOME"):
        return named
    if sys.platform == "win32":
        return os.path.join(os.environ.get("LOCALAPPDATA") or os.path.expanduser("~"), "tenure")
    if sys.platform == "darwin":
        return os.path.join(os.path.expanduser("~"), "Library", "Application Support", "tenure")
    data = os.environ.get("XDG_DATA_HOME") or os.path.join(os.path.expanduser("~"), ".local", "share")
    return os.path.join(data, "tenure")


def trusted(path: str, mark: str) -> bool:
    """Tell whether the store at `path` that carries `mark` is trusted; another store at the same place is not."""
    entry = _known().get(os.path.realpath(path))
    return entry is not None and entry == mark


def trust(path: str, mark: str) -> None:
    """Remember that agents may see the store at `path`."""
    _write({**_known(), os.path.realpath(path): mark})


def distrust(path: str) -> bool:
    """Take the trust back; tell whether there was any."""
    known = _known()
    found = known.pop(os.path.realpath(path), None) is not None
    if found:
        _write(known)
    return found


def mark_of(key: object) -> str:
    """Return the mark of a store: a hash of the secret key it was made with, which a copy made elsewhere lacks."""
    import hashlib

    return hashlib.sha256(key).hexdigest()[:32] if isinstance(key, bytes) else ""


def _known() -> dict[str, str]:
    try:
        with open(os.path.join(home(), FILE), "rb") as file:
            found = json.loads(file.read(1 << 24))
    except (OSError, ValueError, RecursionError):
        return {}
    if not isinstance(found, dict):
        return {}
    return {path: mark for path, mark in found.items() if isinstance(mark, str)}


def _write(known: dict[str, str]) -> None:
    from pathlib import Path  # not for hooks, which only read

    from tenure.dialects import files

    folder = Path(home())
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    files.replace(folder / FILE, json.dumps(known, indent=1, sort_keys=True).encode(), mode=0o600)
