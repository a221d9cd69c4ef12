"""Hindsight's facts: the archive its export writes, or as JSON what its list of memories answers.

An archive has one document each in `documents/`, with the facts that were drawn from it, and what several facts say
together in `observations.json`. Only facts and observations are taken: the documents are conversations.
"""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tenure.files import durable, strict_json
from tenure.files.json_values import as_object, as_text, as_texts
from tenure.formats import ForeignRecord, Unread, files
from tenure.model.errors import InvalidInput, TenureError
from tenure.text.words import one_line, slug

MOST_BYTES = 256 * 1024 * 1024
COMPRESSED = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
# Whatever the standard library raises for an archive that is no whole one.
DAMAGED = (
    zipfile.BadZipFile,
    zipfile.LargeZipFile,
    zlib.error,
    UnicodeDecodeError,
    NotImplementedError,
    RuntimeError,
    EOFError,
    OSError,
)
# What a person or the program took out of use there; an archive keeps such facts apart.
INVALIDATED = "invalidated"


def read(path: Path) -> Iterator[ForeignRecord | Unread]:
    """Yield the facts and observations of a file."""
    if not path.is_file():
        raise InvalidInput(f"{str(path)!r} is no file.", hint="Name an archive that Hindsight exported.")
    if zipfile.is_zipfile(path):
        yield from _archive(path)
        return
    try:
        listed: Any = strict_json.decode(durable.read_bytes(path, limit=MOST_BYTES), max_bytes=MOST_BYTES)
    except OSError as error:
        raise InvalidInput(f"{str(path)!r} cannot be read: {error.strerror}.") from None
    yield from _facts(path.name, listed, "items")


def _archive(path: Path) -> Iterator[ForeignRecord | Unread]:
    """Yield what each member of an archive says; a member that claims to be too long is not unpacked."""
    try:
        with zipfile.ZipFile(path) as archive:
            members = [each for each in archive.infolist() if each.filename.endswith(".json")]
            for number, member in enumerate(members):
                name = member.filename
                if number >= files.MOST_FILES:
                    yield Unread(path.name, f"only the first {files.MOST_FILES:,} documents are read")
                    return
                if not name.startswith("documents/") and name != "observations.json":
                    continue
                if member.compress_type not in COMPRESSED:
                    yield Unread(name, "it is compressed in a way that Hindsight does not use")
                    continue
                with archive.open(member) as opened:
                    data = opened.read(files.MOST_BYTES + 1)
                try:
                    yield from _facts(name, strict_json.decode(data, max_bytes=files.MOST_BYTES), "facts")
                except TenureError as error:
                    yield Unread(name, str(error))
    except DAMAGED as error:
        raise InvalidInput(f"{str(path)!r} is no whole archive: {error}.") from None


def _facts(where: str, document: Any, key: str) -> Iterator[ForeignRecord | Unread]:
    found = document.get(key) if isinstance(document, dict) else document
    if not isinstance(found, list):
        yield Unread(where, f"it has no list under `{key}`")
        return
    shared = as_texts(as_object(document).get("tags"))
    for number, fact in enumerate(found, 1):
        text = as_text(as_object(fact).get("text")).strip()
        if not text:
            yield Unread(f"{where}:{number}", "it has no `text`")
            continue
        if fact.get("state") == INVALIDATED:
            reason = as_text(fact.get("invalidation_reason"))
            yield Unread(f"{where}:{number}", f"it was invalidated{f': {one_line(reason, 120)}' if reason else ''}")
            continue
        tags = dict.fromkeys(slug(tag) for tag in (*shared, *as_texts(fact.get("tags"))) if tag)
        yield ForeignRecord(f"{where}:{number}", {"text": text, "tags": list(tags)})
