"""What `tenure install` did to each file, kept in the user's own folder, with a copy of the file as it was."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from pathlib import Path
from typing import NamedTuple

from tenure.files import durable
from tenure.files.trust import home


class Receipt(NamedTuple):
    """The bytes before (None for no file) and the fingerprint after."""

    before: bytes | None
    after: str


def write(agent: str, path: Path, before: bytes | None, after: bytes) -> Path:
    """Keep a file as it was before the first installation; return where."""
    folder = _folder()
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    copy = folder / f"{_name(agent, path)}.before"
    earlier = read(agent, path)
    if earlier is None or earlier.after != durable.fingerprint(before or b""):
        durable.replace(copy, before or b"", mode=0o600)
        known = before is not None
        made: object = [str(folder) for folder in _missing(path.parent)]
    else:
        # Installed again over our own work: what counts is the file before all of it.
        known, made = earlier.before is not None, _facts(agent, path).get("made", [])
    facts = {"path": str(path), "existed": known, "after": durable.fingerprint(after), "made": made}
    durable.replace(folder / f"{_name(agent, path)}.json", json.dumps(facts).encode(), mode=0o600)
    return copy


def read(agent: str, path: Path) -> Receipt | None:
    """Return the receipt for a file, None when there is none that can be read."""
    facts = _facts(agent, path)
    try:
        before = durable.read_bytes(_folder() / f"{_name(agent, path)}.before")
        return Receipt(before if facts["existed"] else None, str(facts["after"]))
    except (OSError, KeyError):
        return None


def drop(agent: str, path: Path) -> None:
    """Forget a file; the copy of it as it was stays."""
    (_folder() / f"{_name(agent, path)}.json").unlink(missing_ok=True)


def drop_folders(agent: str, path: Path) -> None:
    """Remove the folders that installing made, as far as they are empty."""
    made = _facts(agent, path).get("made", [])
    for folder in made if isinstance(made, list) else []:
        with contextlib.suppress(OSError):
            os.rmdir(str(folder))


def _missing(folder: Path) -> list[Path]:
    """Return the folders that do not exist yet, innermost first."""
    found = []
    while not folder.exists():
        found.append(folder)
        folder = folder.parent
    return found


def _facts(agent: str, path: Path) -> dict[str, object]:
    try:
        found = json.loads(durable.read_bytes(_folder() / f"{_name(agent, path)}.json"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _folder() -> Path:
    return Path(home()) / "agents"


def _name(agent: str, path: Path) -> str:
    return f"{agent}-{hashlib.sha256(str(path).encode('utf-8', 'surrogateescape')).hexdigest()[:12]}"
