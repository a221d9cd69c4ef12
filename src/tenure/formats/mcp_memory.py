"""The MCP reference memory server's file: one entity or relation a line, as JSON.

An observation is a memory about its entity; a relation is a sentence. Neither says who it came from.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tenure.files import strict_json
from tenure.formats import ForeignRecord, Unread, files
from tenure.model.errors import TenureError
from tenure.text.words import one_line, slug


def read(path: Path) -> Iterator[ForeignRecord | Unread]:
    """Yield the observations and relations of a memory file."""
    for number, raw in files.lines(path):
        if not raw.strip():
            continue
        where = f"line {number}"
        try:
            record: Any = strict_json.decode(raw, max_bytes=files.MOST_BYTES)
        except TenureError as error:
            yield Unread(where, error.message)
            continue
        kind = record.get("type") if isinstance(record, dict) else None
        if kind == "entity":
            yield from _entity(where, record)
        elif kind == "relation":
            verb = str(record.get("relationType") or "").replace("_", " ")
            said = " ".join((str(record.get("from") or ""), verb, str(record.get("to") or ""))).strip()
            yield ForeignRecord(where, {"text": said, "kind": "reference"})
        else:
            yield Unread(where, "it is neither an entity nor a relation")


def _entity(where: str, record: dict[str, Any]) -> Iterator[ForeignRecord | Unread]:
    name, sort = str(record.get("name") or ""), str(record.get("entityType") or "")
    given = record.get("observations")
    observations = [text for each in (given if isinstance(given, list) else []) if (text := str(each).strip())]
    if not observations:
        yield Unread(where, f"{one_line(name, 60)!r} has no observations")
    for text in observations:
        # An observation often leaves out what it is about.
        said = text if name.lower() in text.lower() else f"{name}: {text}"
        tags = [slug(part) for part in (sort, name) if part.strip()]
        yield ForeignRecord(where, {"text": said, "title": one_line(said, 100), "tags": tags})
