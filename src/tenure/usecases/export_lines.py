"""Lines of an export: a memory with its history, under a seal made with the user's own key.

A line with the seal was written by this user's Tenure, so its parts are stored as they are. Each is still parsed,
because an older or newer Tenure may have written something this one does not know.
"""

from __future__ import annotations

import contextlib
import hmac
import secrets
from datetime import datetime
from functools import lru_cache
from typing import Any

import msgspec

from tenure.files import durable, locate
from tenure.files.lock import exclusive
from tenure.model import clock, memory
from tenure.model.decoding import convert, decoder
from tenure.model.errors import InvalidInput, StoreUnusable
from tenure.model.events import Event, EventType, LedgerEntry, Life
from tenure.model.events import encoded as as_written
from tenure.model.evolve import born
from tenure.model.memory import Memory

FORMAT = "tenure/1"
KEY_BYTES = 32
_SEAL = b',"seal":"'
_SEALED = len(_SEAL) + 64 + len(b'"}')
_ABSENT = msgspec.Raw()


class ExportLine(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One memory of an export."""

    format: str
    memory: Memory
    events: list[Event]
    seal: str = ""


class _Parts(msgspec.Struct, frozen=True, gc=False):
    """A line as it is written: its parts are not read yet."""

    format: str
    memory: msgspec.Raw
    events: list[msgspec.Raw]
    seal: str = ""


class _Head(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, gc=False):
    """An event of which only those fields are read that the ledger has columns for."""

    type: str
    memory_id: str
    at: str
    actor: str = ""
    reason: str = ""
    run: str = ""
    task: str = ""
    set: msgspec.Raw = _ABSENT
    before: msgspec.Raw = _ABSENT
    add: msgspec.Raw = _ABSENT
    detail: msgspec.Raw = _ABSENT


_encode = msgspec.json.Encoder().encode
_decode_line = decoder(ExportLine)
_decode_parts = decoder(_Parts)
_decode_memory = decoder(Memory)
_decode_head = decoder(_Head)
_decode_event = decoder(Event)
_decode_detail = decoder(dict[str, Any])


class Seal:
    """The user's seal, for many lines."""

    def __init__(self, key: bytes) -> None:
        self._key = key

    def sealed(self, line: msgspec.Struct) -> bytes:
        """Return the line as it is written: its seal, over all that stands before it, comes last."""
        body = _encode(line)[:-1]
        return body + _SEAL + self._mark(body) + b'"}\n'

    def is_on(self, raw: bytes) -> bool:
        """Tell whether a line bears this seal."""
        return raw.endswith(b'"}') and raw[-_SEALED:-2] == _SEAL + self._mark(raw[:-_SEALED])

    def _mark(self, body: bytes) -> bytes:
        return hmac.digest(self._key, body, "sha256").hex().encode()


def life(raw: bytes) -> Life:
    """Return what a sealed line holds; raise `InvalidInput` for one that this version does not know."""
    try:
        parts = _decode_parts(raw)
        if parts.format == FORMAT and parts.events:
            record = bytes(parts.memory)
            entries = [_entry(bytes(event), record) for event in parts.events]
            return Life(_decode_memory(record), record.decode(), tuple(entries))
    except msgspec.DecodeError:
        pass  # told below, with the path of the wrong field in the whole line
    return encoded(decoded(raw))


def _entry(event: bytes, record: bytes) -> LedgerEntry:
    head = _decode_head(event)
    # What sets the very memory of the line is read with it, so that only who did it is left to read.
    if head.before or head.add or bytes(head.set) != record:
        _decode_event(event)
    elif head.detail:
        _decode_detail(head.detail)
    return LedgerEntry(head.memory_id, head.type, _stamp(head.at), head.actor, event)


@lru_cache(maxsize=256)
def _stamp(at: str) -> str:
    return clock.stamp(convert(at, datetime))


def decoded(raw: bytes) -> ExportLine:
    """Return a line; raise `InvalidInput` for one that this version does not know."""
    try:
        line = _decode_line(raw)
    except msgspec.DecodeError as error:
        raise InvalidInput(f"not a line of an export: {error}") from None
    if line.format != FORMAT:
        raise InvalidInput(f"format {line.format!r} is not {FORMAT!r}; a newer Tenure wrote it")
    return line


def encoded(line: ExportLine) -> Life:
    """Return a line's memory and history; one without a history begins with its import."""
    events = line.events or (born(line.memory, type=EventType.IMPORTED),)
    return Life(line.memory, memory.encode(line.memory).decode(), tuple(map(as_written, events)))


def seal_key() -> bytes:
    """Return the user's key for sealing exports, made on first use and readable only by them."""
    path = locate.home() / "seal.key"
    with contextlib.suppress(OSError):
        if len(key := durable.read_bytes(path)) >= KEY_BYTES:
            return key
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with exclusive(path.with_name("seal.key.lock")):
            # A key that was never completely written seals nothing.
            if not path.exists() or path.stat().st_size < KEY_BYTES:
                durable.replace(path, secrets.token_bytes(KEY_BYTES), mode=0o600)
            return durable.read_bytes(path)
    except OSError as error:
        raise StoreUnusable(
            f"The folder {str(path.parent)!r} cannot be used ({error.strerror}).",
            hint="Set TENURE_HOME to a folder of yours.",
        ) from None
