"""The user-level folder as an identity: which home this is, and whether a person uses it.

A home made for CI and tests is unattended: verdicts from it count without a person and are marked so in the ledger.
The one rule: a home becomes unattended only at its very first use, when it is empty, and then stays so. Nobody can
turn a person's home into one.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from tenure.files import durable, locate, trust
from tenure.model.errors import InvalidInput, Refused

FILE = "home.toml"
MOST_BYTES = 65_536
VARIABLE = "TENURE_UNATTENDED"


class Home(NamedTuple):
    """A user-level folder: its name for stores, empty before its first use, and whether it is unattended."""

    id: str
    unattended: bool


def current() -> Home:
    """Return the home in use, named at its first use."""
    return claim() or Home("", False)


def known() -> Home:
    """Return the home in use as far as it has a name; looking makes none."""
    return _read(locate.home()) or Home("", False)


def claim() -> Home | None:
    """Return the home in use; name it when nobody has. None when the folder cannot be written."""
    folder = locate.home()
    if (known := _read(folder)) is not None:
        return known
    named = os.environ.get("TENURE_HOME")
    # The platform's own place is a person's, whoever comes first.
    asked = bool(os.environ.get(VARIABLE)) and bool(named) and not _is_default(folder)
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        unattended = asked and not any(folder.iterdir())
        made = Home(secrets.token_hex(8), unattended)
        handle = os.open(folder / FILE, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0), 0o600)
    except FileExistsError:
        return _read(folder)  # another process was first
    except OSError:
        return None
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(_text(made))
    return made


def unattended(folder: Path) -> Home | None:
    """Return the unattended home in a folder, made there when the folder is empty or missing; None for any other."""
    if (known := _read(folder)) is not None:
        return known if known.unattended else None
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if any(folder.iterdir()) or _is_default(folder):
        return None
    made = Home(secrets.token_hex(8), unattended=True)
    durable.replace(folder / FILE, _text(made).encode(), mode=0o600)
    return made


@contextlib.contextmanager
def thrown_away(folder: Path) -> Iterator[None]:
    """Work from an unattended home in a temporary folder: for the demo and the doctor, whose store goes with it."""
    before = {name: os.environ.get(name) for name in ("TENURE_HOME", VARIABLE)}
    os.environ.update({"TENURE_HOME": str(folder), VARIABLE: "1"})
    try:
        claim()
        yield
    finally:
        for name, value in before.items():
            os.environ.pop(name, None)
            if value is not None:
                os.environ[name] = value


def _text(home: Home) -> str:
    lines = ["# Written by Tenure at the first use of this folder. Stores remember the id of the homes they trust.\n"]
    lines.append(f'id = "{home.id}"\n')
    if home.unattended:
        lines.append(
            "# For CI and tests: verdicts count without a person, and the ledger says so.\nunattended = true\n"
        )
    return "".join(lines)


def _read(folder: Path) -> Home | None:
    # A pipe would be waited for, and a device read until memory ends.
    with contextlib.suppress(OSError, ValueError, Refused, InvalidInput, RecursionError):
        found = tomllib.loads(
            durable.read_bytes(Path(os.path.realpath(folder / FILE)), limit=MOST_BYTES).decode("utf-8")
        )
        if isinstance(found.get("id"), str) and found["id"]:
            return Home(found["id"], found.get("unattended") is True)
    return None


def _is_default(folder: Path) -> bool:
    return os.path.realpath(folder) == os.path.realpath(trust.default_home())
