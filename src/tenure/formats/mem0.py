"""mem0's memories: its history database, or as JSON what `get_all` returns, a list of them, or one a line.

`get_all` may return a part only; the history has all of them, without their metadata.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tenure.files import durable, strict_json
from tenure.formats import ForeignRecord, Unread, files
from tenure.model.errors import InvalidInput, TenureError
from tenure.store import mem0_history

MOST_BYTES = 256 * 1024 * 1024


def read(path: Path) -> Iterator[ForeignRecord | Unread]:
    """Yield the memories of a file."""
    if mem0_history.is_database(str(path)):
        yield from (ForeignRecord(id, {"text": text}) for id, text in mem0_history.latest(str(path)))
        return
    for where, record in _records(path):
        text = record.get("memory") or record.get("text") if isinstance(record, dict) else None
        if not isinstance(record, dict) or not isinstance(text, str) or not text.strip():
            yield Unread(where, "it has no text under `memory`")
            continue
        metadata = record.get("metadata")
        given = (metadata.get("category") if isinstance(metadata, dict) else None) or record.get("categories") or []
        tags = [str(tag) for tag in (given if isinstance(given, list) else [given])]
        yield ForeignRecord(str(record.get("id") or where), {"text": text.strip(), "tags": tags})


def _records(path: Path) -> Iterator[tuple[str, Any]]:
    try:
        whole: Any = strict_json.decode(durable.read_bytes(path, limit=MOST_BYTES), max_bytes=MOST_BYTES)
    except OSError as error:
        raise InvalidInput(f"{str(path)!r} cannot be read: {error.strerror}.") from None
    except TenureError:
        for number, raw in files.lines(path):
            if raw.strip():
                yield f"line {number}", strict_json.decode(raw, max_bytes=files.MOST_BYTES)
        return
    listed = whole.get("results", whole.get("memories", [whole])) if isinstance(whole, dict) else whole
    yield from ((f"record {number}", each) for number, each in enumerate(listed if isinstance(listed, list) else [], 1))
