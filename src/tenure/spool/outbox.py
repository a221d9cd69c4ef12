"""Commands that wait for a team's database: one durable file each, in the order in which they were given.

A command is sent up, not what it would change: the rule runs on what the database holds then. Its key makes sure that
it counts once, however often it is sent. One that the database refused stays here as `waits`, for the person to see.
Every text in it went through redaction before it was written.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Collection
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import msgspec

from tenure.files import durable
from tenure.files.lock import exclusive
from tenure.model.actor import Actor
from tenure.model.decoding import decode

_ENDING = ".json"
MAX_BYTES = 1 << 22


class Command(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A command as it was given: which one, by whom, and what was known of the memory then."""

    key: str
    name: str
    arguments: dict[str, Any]
    at: str
    actor: Actor
    agent: str = ""
    surface: str = ""
    # The memory it is about, and the id that a new one was promised.
    memory: str = ""
    # What the memory said where the command depends on that: another edit must not be written over unseen.
    seen: dict[str, Any] = {}
    # Why the database did not take it; empty while it was not asked.
    refused: str = ""


class Outbox:
    """The commands of one store; its folder is made with the first."""

    def __init__(self, copy: Path) -> None:
        """Take the outbox that lies beside a copy."""
        self.folder = copy.with_suffix(".outbox")

    def put(self, command: Command) -> None:
        """Keep a command durably, after all others."""
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        durable.flush_folder(self.folder.parent)
        with exclusive(self.folder):
            for left in self.folder.glob(".*.tmp"):
                # Of a process that was killed while it wrote.
                left.unlink(missing_ok=True)
            last = max((int(path.name.partition("-")[0]) for path in self._paths()), default=0)
            self._write(self.folder / f"{last + 1:012d}-{command.key}{_ENDING}", command)

    def all(self) -> list[Command]:
        """Return every command, oldest first; one that cannot be read is left as it is."""
        return [command for _, command in self._read()]

    def unsent(self) -> list[Command]:
        """Return the commands that the database was not asked about yet."""
        return [command for command in self.all() if not command.refused]

    def refused(self) -> list[Command]:
        """Return the commands that the database did not take."""
        return [command for command in self.all() if command.refused]

    def remove(self, key: str) -> None:
        """Drop a command that is done."""
        for path in self._paths(key):
            durable.remove(path)

    def refuse(self, command: Command, why: str) -> None:
        """Keep a command as one that the database did not take."""
        self.change(msgspec.structs.replace(command, refused=why or "it was refused"))

    def change(self, command: Command) -> None:
        """Keep a command in its place as it is now."""
        for path in self._paths(command.key):
            with exclusive(self.folder):
                self._write(path, command)

    def erase(self, ids: Collection[str]) -> None:
        """Blank the commands about memories that were forgotten."""
        for command in self.all():
            if command.memory in ids:
                blank = msgspec.structs.replace(command, arguments={}, seen={})
                self.refuse(blank, "it was forgotten on request")

    def sending(self) -> AbstractContextManager[None]:
        """Hold the outbox for one sender; raise `StoreBusy` at once when another one is at it."""
        return exclusive(self.folder / "sending.lock", wait_seconds=0)

    def _paths(self, key: str = "") -> list[Path]:
        try:
            names = sorted(os.listdir(self.folder))
        except FileNotFoundError:
            return []
        return [self.folder / name for name in names if name.endswith(f"{key}{_ENDING}")]

    def _read(self) -> list[tuple[Path, Command]]:
        found = []
        for path in self._paths():
            try:
                found.append((path, decode(durable.read_bytes(path, limit=MAX_BYTES), Command)))
            except (OSError, msgspec.DecodeError):
                continue
        return found

    def _write(self, path: Path, command: Command) -> None:
        durable.replace(path, msgspec.json.encode(command), mode=0o600)


def new_key() -> str:
    """Return the key of a command that nobody has."""
    return secrets.token_hex(16)
