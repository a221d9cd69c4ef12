"""A system's thresholds for its drop-in: the same policy file, settings and order as in the generic commands.

The drop-in starts in a blink, so it only reads numbers and checks nothing: `tenure policy` reports what is wrong with
a setting, and here such a setting is ignored.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tenure.files import at_once, plain_toml, trust

Table = dict[str, Any]
SETTINGS = "config.toml"
MOST_CHARS = 1 << 20


def packaged(system: str) -> Table:
    """Return what a system's policy file says."""
    return plain_toml.loads((Path(__file__).parent / system / "policy.toml").read_text(encoding="utf-8"))


def load(system: str, folder: Path | None, own: Mapping[str, Any] | None = None) -> Table:
    """Return the thresholds in force for a folder, or anywhere; `own` is what the system's own settings file says."""
    scheme = system.replace("_", "-")
    tree = packaged(system)
    overlays = [_settings(Path(trust.home()) / SETTINGS), own or {}]
    if folder is not None and _in_force(scheme, folder):
        project = folder.parent if system == "archeflow" else folder.parent.parent
        overlays.append(_settings(project / ".tenure" / SETTINGS))
    for overlay in overlays:
        # A dialect's own tables stand under its name in its file, and under "own" in settings.
        _lay_over(tree, {scheme if name == "own" else name: table for name, table in overlay.items()})
    return tree


def _in_force(scheme: str, folder: Path) -> bool:
    """Tell whether a project's settings count: its memory is trusted, or named by a variable and nobody's clone."""
    if trust.known(os.path.abspath(folder)) is not None:
        return True
    named = os.environ.get("TENURE_STORE", "").partition(":")
    if named[0] != scheme or os.path.abspath(named[2]) != os.path.abspath(folder):
        return False
    from tenure.files.git_index import keeper  # start-up: few people set the variable

    return not keeper(folder)


def _settings(path: Path) -> Mapping[str, Any]:
    try:
        with open(path, encoding="utf-8", opener=at_once) as file:
            text = file.read(MOST_CHARS)
    except (OSError, ValueError):
        return {}
    import tomllib  # start-up: few people have settings

    try:
        found = tomllib.loads(text).get("policy")
    except (ValueError, RecursionError):
        return {}
    return _agreed(path, found if isinstance(found, dict) else {})


def _agreed(path: Path, table: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return what counts of a settings file: as it was agreed to, where a person agreed to one, else as it is."""
    import json  # start-up: few people have settings

    from tenure.files import homes
    from tenure.files.settings import AGREED

    kept = Path(trust.home()) / AGREED
    if not kept.exists():
        return table
    try:
        agreed = json.loads(kept.read_bytes()).get(str(path.absolute()))
    except (OSError, ValueError, AttributeError):
        agreed = {}  # nobody knows what was agreed to, so nothing counts
    return agreed if isinstance(agreed, dict) and not homes.known().unattended else table


def _lay_over(tree: Table, overlay: Mapping[str, Any]) -> None:
    for name, value in overlay.items():
        there = tree.get(name)
        if isinstance(there, dict) and isinstance(value, Mapping):
            _lay_over(there, value)
        elif there is None or (type(there) is type(value) and not (isinstance(value, int) and value < 0)):
            tree[name] = value
