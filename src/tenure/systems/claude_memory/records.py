"""Bytes to record and back, and the names every record uses.

A record is the JSON object as it stands in its file: unknown keys survive, order is kept. Decoding is
strict: what JSON does not define (NaN, a key given twice, half a surrogate pair) is refused instead of
guessed.
"""

from __future__ import annotations

import json
from typing import Any, TypeAlias

from tenure.files import CATEGORY_FOLDERS, strict_json
from tenure.model.errors import InvalidInput
from tenure.systems import thresholds

Record: TypeAlias = dict[str, Any]

FOLDERS = CATEGORY_FOLDERS
CATEGORY_OF_FOLDER = {folder: category for category, folder in FOLDERS.items()}

STATUSES = ("active", "retired", "archived")
# The record's own limits; the policy file states them.
_LIMITS = thresholds.packaged("claude_memory")["write"]
MOST_TAGS: int = _LIMITS["tags_cap"]
MOST_CHANGES: int = _LIMITS["changes_cap"]
MAX_SUMMARY = 300


def encode(record: Record) -> bytes:
    """Return the record as its file holds it; the MD5 of these bytes is what `--hash` names."""
    return (json.dumps(record, indent=2, ensure_ascii=False) + "\n").encode("utf-8")


def decode(data: bytes) -> Record:
    """Return the record the bytes hold; raise `InvalidInput` saying what is wrong with them."""
    value = decode_json(data)
    if not isinstance(value, dict):
        raise InvalidInput(f"found {_kind(value)}, expected a JSON object")
    return value


def decode_json(data: bytes) -> Any:
    """Return the JSON value the bytes hold; raise `InvalidInput` for anything JSON does not define."""
    try:
        return strict_json.decode(data, max_bytes=len(data))
    except InvalidInput as error:
        raise InvalidInput(f"Invalid JSON: {error.message}") from None


def status_of(record: Record) -> str:
    """Return the record's status; a record from before the field existed is active."""
    status = record.get("record_status")
    return status if isinstance(status, str) and status else "active"


def is_active(record: Record) -> bool:
    """Return whether the record belongs in the index."""
    return status_of(record) == "active"


def changes_of(record: Record) -> list[Record]:
    """Return the record's change entries, leaving out what is not one."""
    changes = record.get("changes")
    return [entry for entry in changes if isinstance(entry, dict)] if isinstance(changes, list) else []


def change(date: str, summary: str, field: str, old: Any, new: Any) -> Record:
    """Return a change entry, its summary cut to what the schema allows."""
    return {
        "date": date,
        "summary": summary[:MAX_SUMMARY],
        "field": field,
        "old_value": old,
        "new_value": new,
    }


def _kind(value: Any) -> str:
    names = {list: "a list", str: "a text", bool: "true or false", type(None): "null"}
    return names.get(type(value), "a number")
