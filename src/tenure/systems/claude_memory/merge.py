"""What an update may change: facts grow, history is only added to, identity and status stay.

The caller validates the new record first, and asks for the hash before this: a record that somebody else
changed would otherwise fail here for reasons that are not the caller's.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, NamedTuple

from tenure.systems.claude_memory.records import MOST_CHANGES, MOST_TAGS, Record, change, changes_of, status_of
from tenure.systems.claude_memory.refusal import Refusal
from tenure.systems.claude_memory.slug import slugify

IDENTITY = ("created_at", "schema_version", "category", "id")
STAMPS = ("retired_at", "retired_reason", "archived_at", "archived_reason")
# A title that differs in more than this share of its words is another title, and the file follows it.
RENAME_ABOVE = 0.5


class Merged(NamedTuple):
    """The record to write, and what its author should know."""

    record: Record
    warnings: list[str]


def keep_identity(old: Record, new: Record) -> Record:
    """Return the new record with everything an update may not change taken from the old one."""
    kept = dict(new)
    kept.update({field: old[field] for field in IDENTITY if old.get(field) is not None})
    kept["record_status"] = status_of(old)
    for field in STAMPS:
        kept.pop(field, None)
        if field in old:
            kept[field] = old[field]
    return kept


def merge(old: Record, new: Record, *, stamp: str, exists: Callable[[str], bool]) -> Merged:
    """Return the update as it is written; raise `Refusal` where a protection forbids it."""
    evictions = _tags(old, new, stamp)
    _related_files(old, new, exists)
    before = changes_of(old)
    _history(before, changes_of(new))
    changes = [*changes_of(new), *evictions, *_scalar_changes(old, new, stamp)]
    if len(changes) <= len(before):
        raise Refusal(
            "MERGE_ERROR",
            "At least one new change entry is required per UPDATE",
            field="changes",
            rule="append-only (new entry required)",
            old_count=len(before),
            total_count=len(changes),
        )
    record = dict(new)
    record["changes"] = changes[-MOST_CHANGES:]
    updates = old.get("times_updated")
    record["times_updated"] = (updates if isinstance(updates, int) else 0) + 1
    record["updated_at"] = stamp
    return Merged(record, _shrunk(old, new))


def renamed(old_title: object, new_title: object, slug: str) -> str | None:
    """Return the slug the file should move to, or nothing when the title says much the same as before."""
    if not (isinstance(old_title, str) and isinstance(new_title, str) and old_title and new_title):
        return None
    before, after = set(old_title.lower().split()), set(new_title.lower().split())
    union = before | after
    if not union or len(before ^ after) / len(union) <= RENAME_ABOVE:
        return None
    wanted = slugify(new_title)
    return wanted if wanted and wanted != slug else None


def _tags(old: Record, new: Record, stamp: str) -> list[Record]:
    before, after = _texts(old.get("tags")), _texts(new.get("tags"))
    removed, added = sorted(before - after), sorted(after - before)
    if not removed:
        return []
    if len(before) < MOST_TAGS:
        raise Refusal(
            "MERGE_ERROR",
            f"Tags can only be added, not removed (current count {len(before)} < cap {MOST_TAGS})",
            field="tags",
            rule=f"grow-only (below cap of {MOST_TAGS})",
            removed=json.dumps(removed),
        )
    if not added:
        raise Refusal(
            "MERGE_ERROR",
            f"Can only evict tags when adding new ones at cap ({MOST_TAGS})",
            field="tags",
            rule="no net shrink without addition",
            removed=json.dumps(removed),
        )
    if len(after) > MOST_TAGS:
        raise Refusal(
            "MERGE_ERROR",
            f"Keep tags at or below {MOST_TAGS}",
            field="tags",
            rule="cap exceeded",
            count=len(after),
        )
    summary = f"Tags evicted at cap: removed {removed}, added {added}"
    return [change(stamp, summary, "tags", removed, added)]


def _related_files(old: Record, new: Record, exists: Callable[[str], bool]) -> None:
    for path in sorted(_texts(old.get("related_files")) - _texts(new.get("related_files"))):
        if exists(path):
            raise Refusal(
                "MERGE_ERROR",
                "Only non-existent (dangling) file references can be removed",
                field="related_files",
                rule="grow-only (cannot remove existing file reference)",
                removed=path,
            )


def _history(before: list[Record], after: list[Record]) -> None:
    counts = {"old_count": len(before), "new_count": len(after)}
    if len(after) < len(before):
        fix = "changes[] must grow; do not remove entries"
        raise Refusal("MERGE_ERROR", fix, field="changes", rule="append-only", **counts)
    for number, (entry, repeated) in enumerate(zip(before, after, strict=False)):
        if _facts(entry) != _facts(repeated):
            fix = "changes[] is a history: repeat the old entries as they are and add the new one at the end"
            raise Refusal("MERGE_ERROR", fix, field="changes", rule="append-only", rewritten=number, **counts)


def _scalar_changes(old: Record, new: Record, stamp: str) -> list[Record]:
    before, after = _content(old), _content(new)
    return [
        change(stamp, f"content.{key} changed", f"content.{key}", before.get(key), after.get(key))
        for key in dict.fromkeys([*before, *after])
        if before.get(key) != after.get(key) and isinstance(before.get(key), (str, int, float, bool, type(None)))
    ]


def _shrunk(old: Record, new: Record) -> list[str]:
    before, after = _content(old), _content(new)
    return [
        f"content.{key}: list shrank from {len(before[key])} to {len(value)} items"
        for key, value in after.items()
        if isinstance(value, list) and isinstance(before.get(key), list) and len(value) < len(before[key])
    ]


def _content(record: Record) -> Record:
    content = record.get("content")
    return content if isinstance(content, dict) else {}


def _texts(values: Any) -> set[str]:
    return {value for value in values if isinstance(value, str)} if isinstance(values, list) else set()


def _facts(entry: Record) -> Record:
    return {key: value for key, value in entry.items() if value is not None}
