"""Whether the drafter in the user's settings may run: only a command that a person agreed to.

The settings are a file that an agent can write, and the command runs with the user's rights on what they typed. So it
waits for `tenure trust`, and again after every change. An unattended home that made the store agrees by itself.
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from tenure.capture import drafter
from tenure.capture.drafter import Drafter
from tenure.files import durable, homes, locate
from tenure.model.errors import InvalidInput, TenureError
from tenure.store.api import Store
from tenure.usecases import project_trust

FILE = "drafter.json"
WAITS = "the drafter in {} waits until you agree to it: tenure trust"


def in_force(store: Store) -> Drafter | None:
    """Return the drafter that may run, None without one; raise `InvalidInput` when it makes no sense or waits."""
    settings = locate.read_settings(_file())
    found = drafter.configured(settings)
    if found is not None and not _is_agreed(store, settings["drafter"]):
        raise InvalidInput(WAITS.format(_file()), field="drafter.command")
    return found


def description(store: Store) -> str:
    """Say which command is configured and whether it runs; empty without one."""
    try:
        settings = locate.read_settings(_file())
        found = drafter.configured(settings)
    except InvalidInput as error:
        return f"The drafter in {_file()} does not run: {error.message}"
    if found is None:
        return ""
    runs = _is_agreed(store, settings["drafter"])
    said = "runs on what you say in sessions" if runs else "waits until you agree to it: tenure trust"
    return f"The drafter `{settings['drafter']['command']}` in {_file()} {said}"


def waits(store: Store) -> bool:
    """Tell whether a command is configured that nobody agreed to."""
    table = _table().get("drafter")
    return isinstance(table, Mapping) and not _is_agreed(store, table)


def agree() -> None:
    """Keep that a person agreed to the drafter as it is configured."""
    table = _table().get("drafter")
    if table is not None or (locate.home() / FILE).exists():
        with contextlib.suppress(OSError):  # then it waits again
            durable.replace(locate.home() / FILE, msgspec.json.encode(table), mode=0o600)


def _is_agreed(store: Store, table: Mapping[str, Any]) -> bool:
    here, known = homes.known(), project_trust.unattended_homes(store)
    if here.unattended and (not known or here.id in known):
        return True
    with contextlib.suppress(OSError, TenureError, msgspec.DecodeError):
        return bool(msgspec.json.decode(durable.read_bytes(locate.home() / FILE)) == table)
    return False


def _table() -> Mapping[str, Any]:
    with contextlib.suppress(InvalidInput):
        return locate.read_settings(_file())
    return {}


def _file() -> Path:
    return locate.home() / "config.toml"
