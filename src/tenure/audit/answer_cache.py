"""Answers kept in a cache folder, each under a hash of everything it was made from.

Without a folder nothing is kept. A cache that cannot be read is as good as none.
"""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar

import msgspec

from tenure.audit import claims, duplicates, removed_names, renamed_names
from tenure.audit.claim import Claim
from tenure.audit.findings import FileProblem, Source
from tenure.files import durable
from tenure.files.git import Git
from tenure.model.decoding import unpack
from tenure.model.errors import Refused

# Raise this whenever an answer changes for the same question, so that no older one is served.
VERSION = 20

Answer = TypeVar("Answer")


def claims_of(texts: Sequence[str], folder: Path | None) -> list[list[Claim]]:
    """Return the claims of each text."""
    if folder is None:
        return [claims.extract(text) for text in texts]
    known = _load(folder, "claims", dict[str, list[Claim]]) or {}
    marks = [_mark(text) for text in texts]
    result = [
        claims.extract(text) if mark not in known else known[mark] for mark, text in zip(marks, texts, strict=True)
    ]
    if any(mark not in known for mark in marks):
        _save(folder, "claims", dict(zip(marks, result, strict=True)))
    return result


def removals(
    git: Git, wanted: removed_names.Wanted, pages: removed_names.Pages, folder: Path | None, newer: removed_names.Newer
) -> renamed_names.RenamedNames:
    """Return what history knows about names that are gone, as of the commit checked out."""
    head = git.text("rev-parse", "--verify", "-q", "HEAD") if folder else None
    if folder is None or head is None:
        return renamed_names.removals(git, wanted, pages, newer)
    mark = f"{head} {_mark(*sorted(wanted.absent), '', *sorted(wanted.called))}"
    known = _load(folder, "removals", dict[str, dict[str, renamed_names.Removal]]) or {}
    if mark in known:
        return renamed_names.RenamedNames(known[mark])
    answer = renamed_names.removals(git, wanted, pages, newer)
    if not answer.cut:
        # One commit's answers only: those of an older one are never asked for again.
        known = {key: value for key, value in known.items() if key.startswith(head)}
        _save(folder, "removals", known | {mark: answer.removals})
    return answer


def repeats(sources: Sequence[Source], folder: Path | None) -> list[FileProblem]:
    """Return the duplicates and contradictions among the sources."""
    if folder is None:
        return duplicates.duplicates(sources) + duplicates.contradictions(sources)
    mark = _mark(*(part for source in sources for part in (source.path, source.id, source.text)))
    known = _load(folder, "repeats", dict[str, list[FileProblem]]) or {}
    if mark not in known:
        known = {mark: duplicates.duplicates(sources) + duplicates.contradictions(sources)}
        _save(folder, "repeats", known)
    return known[mark]


def _mark(*parts: str) -> str:
    found = hashlib.sha256(str(VERSION).encode())
    for part in parts:
        data = part.encode("utf-8", errors="replace")
        found.update(len(data).to_bytes(8, "big") + data)
    return found.hexdigest()[:32]


def _load(folder: Path, name: str, kind: type[Answer]) -> Answer | None:
    try:
        return unpack((folder / f"{name}.msgpack").read_bytes(), kind)
    except (OSError, msgspec.DecodeError):
        return None


def _save(folder: Path, name: str, answer: object) -> None:
    # A cache that cannot be kept costs time, nothing else; the name of a file need not be text.
    with contextlib.suppress(OSError, Refused, UnicodeEncodeError):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        durable.replace(folder / f"{name}.msgpack", msgspec.msgpack.encode(answer), mode=0o600)
