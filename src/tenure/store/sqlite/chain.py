"""Hashes that make tampering visible: one per row, one per ledger entry, each entry chained to the one before."""

from __future__ import annotations

import hashlib

from tenure.store.sqlite import hashed

START = b"\0" * 32


def digest(payload: bytes) -> bytes:
    """Return the hash of an entry's payload, which stays when the payload is erased."""
    return hashlib.sha256(payload).digest()


def link(
    previous: bytes,
    seq: int,
    batch: int,
    memory_id: str,
    version: int,
    type: str,
    at: str,
    actor: str,
    payload_digest: bytes,
) -> bytes:
    """Return the chain value of an entry."""
    head = f"{seq}\0{batch}\0{memory_id}\0{version}\0{type}\0{at}\0{actor}\0".encode()
    return hashlib.sha256(previous + head + payload_digest).digest()


def row_hash(*columns: object) -> bytes:
    """Return the hash of a row."""
    return hashlib.sha256(hashed(*columns)).digest()


def mark(key: bytes, text: str) -> bytes:
    """Return the keyed hash by which a forgotten text is recognised and from which it cannot be read."""
    import hmac  # not for the prompt hook, which only checks rows

    return hmac.digest(key, text.encode(), "sha256")
