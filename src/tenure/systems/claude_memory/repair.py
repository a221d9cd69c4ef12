"""What is put right without asking before a record is validated, each repair with a note saying so.

The order of the repairs is the order of the notes, and both are the original's.
"""

from __future__ import annotations

from tenure.systems.claude_memory import sanitize
from tenure.systems.claude_memory.records import MOST_CHANGES, MOST_TAGS, Record
from tenure.systems.claude_memory.slug import slugify

SCHEMA_VERSION = "1.0"
NO_TAGS = "untagged"
SHOWN = 80


def repair(record: Record, *, creating: bool, stamp: str) -> tuple[Record, list[str]]:
    """Return the record put right, and a note for each thing changed; `stamp` is the time of the write."""
    fixed = dict(record)
    notes: list[str] = []
    if not fixed.get("schema_version"):
        fixed["schema_version"] = SCHEMA_VERSION
        notes.append(f"schema_version: set to '{SCHEMA_VERSION}'")
    for field in ("updated_at", "created_at") if creating else ("updated_at",):
        if not fixed.get(field):
            fixed[field] = stamp
            notes.append(f"{field}: set to current UTC")
    if isinstance(fixed.get("tags"), str):
        fixed["tags"] = [fixed["tags"]]
        notes.append("tags: wrapped string in array")
    _repair_id(fixed, notes)
    _repair_confidence(fixed, notes)
    _repair_title(fixed, notes)
    _repair_tags(fixed, notes)
    _take_out_secrets(fixed, notes)
    return fixed, notes


def new_record(record: Record, category: str) -> tuple[Record, list[str]]:
    """Return the record as a new memory starts: active, of the category asked for, with a bounded history."""
    fixed = dict(record)
    notes: list[str] = []
    fixed["record_status"] = "active"
    for field in ("retired_at", "retired_reason", "archived_at", "archived_reason"):
        fixed.pop(field, None)
    if fixed.get("category") != category:
        fixed["category"] = category
        notes.append(f"category: set to '{category}'")
    changes = fixed.get("changes")
    if isinstance(changes, list) and len(changes) > MOST_CHANGES:
        fixed["changes"] = changes[-MOST_CHANGES:]
        notes.append(f"changes: kept the last {MOST_CHANGES} entries")
    return fixed, notes


def _take_out_secrets(record: Record, notes: list[str]) -> None:
    from tenure.text.redact import redact_value  # start-up: most commands write nothing

    for field in ("title", "content", "related_files", "tags"):
        if field in record:
            safe = redact_value(record[field])
            if safe != record[field]:
                record[field] = safe
                notes.append(f"{field}: redacted what looks like a secret")


def safe_entries(before: Record, record: Record) -> Record:
    """Return the record without secrets in the change entries it adds; those it repeats keep their words."""
    from tenure.text.redact import redact_value

    changes, old = record.get("changes"), before.get("changes")
    if not isinstance(changes, list):
        return record
    known = len(old) if isinstance(old, list) else 0
    return {**record, "changes": [*changes[:known], *(redact_value(entry) for entry in changes[known:])]}


def _repair_id(record: Record, notes: list[str]) -> None:
    original = record.get("id")
    if isinstance(original, str) and original:
        slug = slugify(original)
        if slug != original:
            record["id"] = slug
            notes.append(f"id: slugified '{original[:SHOWN]}' -> '{slug}'")


def _repair_confidence(record: Record, notes: list[str]) -> None:
    confidence = record.get("confidence")
    if isinstance(confidence, bool) or not isinstance(confidence, (int, float, str)):
        return
    try:
        number = float(confidence)
    except (ValueError, OverflowError):
        return
    if number != number:  # a text that says NaN: left for validation to refuse
        return
    clamped = min(max(number, 0.0), 1.0)
    if clamped != number:
        record["confidence"] = clamped
        notes.append(f"confidence: clamped to {clamped}")
    elif isinstance(confidence, str):
        record["confidence"] = number
        notes.append("confidence: read as a number")


def _repair_title(record: Record, notes: list[str]) -> None:
    if not isinstance(record.get("title"), str):
        return
    stripped = record["title"].strip()
    if stripped != record["title"]:
        notes.append("title: stripped whitespace")
    record["title"] = sanitize.title(stripped)
    if record["title"] != stripped:
        notes.append("title: stripped control chars/index-injection markers")


def _repair_tags(record: Record, notes: list[str]) -> None:
    if not isinstance(record.get("tags"), list):
        return
    tags = {sanitize.tag(tag) for tag in record["tags"] if isinstance(tag, str)} - {""}
    record["tags"] = sorted(tags)
    if not tags:
        record["tags"] = [NO_TAGS]
        notes.append(f"tags: empty after dedup, set to ['{NO_TAGS}']")
    elif len(tags) > MOST_TAGS:
        record["tags"] = record["tags"][:MOST_TAGS]
        notes.append(f"tags: truncated to TAG_CAP ({MOST_TAGS})")
