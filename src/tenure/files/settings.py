"""Settings files, ours and a project's: TOML of bounded size and depth.

A clone may bring such a file, so a link, a device, and a file that is too large or too deep are errors. In the user's
own folder a link is followed, because people keep their settings elsewhere.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tenure.files import durable
from tenure.files.trust import home
from tenure.model.errors import InvalidInput, Refused

MOST_BYTES = 1024 * 1024
MOST_LEVELS = 16
# In the user's folder: the policies that a person agreed to (`usecases.agreed_policy`).
AGREED = "policies.json"
# The key of a policy that `[capture] off` is the short form of.
UNCAPTURED = "uncaptured_kinds"


def read(path: Path) -> dict[str, Any]:
    """Return what a settings file says, empty when there is none."""
    try:
        # Within: a link that is swapped for something else between two looks at it counts as no file.
        if os.path.realpath(path.parent) == os.path.realpath(home()):
            path = Path(os.path.realpath(path))  # which ends at a loop of links, where `resolve` raises
        table = tomllib.loads(durable.read_bytes(path, limit=MOST_BYTES).decode("utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except OSError as error:
        raise InvalidInput(f"{path}: cannot be read: {error.strerror}.") from None
    except Refused as error:
        raise InvalidInput(f"{path}: cannot be read: {error.message}") from None
    except RecursionError:
        raise _too_deep(path) from None
    except ValueError as error:
        raise InvalidInput(f"{path}: not valid TOML: {error}.", hint="Correct it or move it away.") from None
    level: list[Any] = [table]
    for _ in range(MOST_LEVELS):
        inside = [each.values() if isinstance(each, dict) else each for each in level]
        level = [item for items in inside for item in items if isinstance(item, dict | list)]
    if level:
        raise _too_deep(path)
    return table


def policy_overlay(path: Path) -> Mapping[str, Any]:
    """Return the [policy] table of a settings file, with what [capture] switches off; empty when there is neither."""
    settings = read(path)
    table = settings.get("policy", {})
    if not isinstance(table, dict):
        raise InvalidInput(f"{path}: [policy] must be a table, found {table!r:.60}.")
    return _without_kinds(path, table, settings["capture"]) if "capture" in settings else table


def _without_kinds(path: Path, table: dict[str, Any], capture: Any) -> dict[str, Any]:
    """Return the policy in which the kinds under `[capture] off` are not captured."""
    off = capture.get("off", []) if isinstance(capture, dict) else None
    if off is None or set(capture) - {"off"} or not isinstance(off, list) or not all(isinstance(k, str) for k in off):
        # A word that is misspelt here would let be stored what nobody wants to have stored.
        raise InvalidInput(f'{path}: [capture] takes off = ["kind", …], found {capture!r:.60}.', field="capture.off")
    write = table.get("write", {})
    listed = write.get(UNCAPTURED, []) if isinstance(write, dict) else None
    if not isinstance(listed, list):
        return table  # the policy's own check names what is wrong
    return {**table, "write": {**write, UNCAPTURED: [*listed, *(kind for kind in off if kind not in listed)]}}


def _too_deep(path: Path) -> InvalidInput:
    said = f"{path}: nested more than {MOST_LEVELS} levels deep."
    return InvalidInput(said, hint="Correct it or move it away.")
