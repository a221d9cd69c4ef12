"""Claims of many texts, remembered in the cache folder under the text's own hash."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

import msgspec

from tenure.audit import claims
from tenure.dialects import files

# Raise this whenever extraction changes, so that no older answer is served.
VERSION = 1


class _Kept(msgspec.Struct):
    version: int
    texts: dict[str, list[claims.Claim]]


def of_texts(texts: Sequence[str], cache: Path | None) -> list[list[claims.Claim]]:
    """Return the claims of each text."""
    if cache is None:
        return [claims.extract(text) for text in texts]
    file = cache / "claims.msgpack"
    known = _load(file)
    marks = [hashlib.sha256(text.encode("utf-8", errors="replace")).hexdigest()[:32] for text in texts]
    found = [known.get(mark) for mark in marks]
    result = [
        claims.extract(text) if answer is None else answer for text, answer in zip(texts, found, strict=True)
    ]
    if any(answer is None for answer in found):
        cache.mkdir(parents=True, exist_ok=True)
        kept = _Kept(VERSION, dict(zip(marks, result, strict=True)))
        files.replace(file, msgspec.msgpack.encode(kept), mode=0o600)
    return result


def _load(file: Path) -> dict[str, list[claims.Claim]]:
    try:
        kept = msgspec.msgpack.decode(file.read_bytes(), type=_Kept)
    except (OSError, msgspec.DecodeError):
        return {}
    return kept.texts if kept.version == VERSION else {}
