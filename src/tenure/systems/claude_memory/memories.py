"""Record and memory: what a file says as the engine sees it, and back.

The content object owns what a memory says; its text is made from it and never written. A record is changed field by
field, so whatever nobody changed keeps its bytes: the order of its keys, exact confidences, keys we do not know.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import msgspec

from tenure.files.json_values import as_list, as_texts
from tenure.model import clock
from tenure.model.errors import InvalidInput
from tenure.model.memory import Change, Memory, Phase, Signals
from tenure.systems.claude_memory import sanitize
from tenure.systems.claude_memory.lifecycle import NO_REASON
from tenure.systems.claude_memory.records import MAX_SUMMARY, MOST_CHANGES, MOST_TAGS, Record, status_of
from tenure.systems.claude_memory.repair import NO_TAGS, SCHEMA_VERSION
from tenure.systems.claude_memory.schema import MAX_TAG, MAX_TITLE
from tenure.systems.claude_memory.wording import in_words

PHASES: dict[str, Phase] = {"active": "live", "retired": "gone", "archived": "gone"}
# What the file holds; scope, evidence, counters and dates of use are the companion's.
OWNED = frozenset(
    ("kind", "title", "text", "content", "state", "tags", "files", "confidence", "created_at", "retired_at", "changes")
)
# A record without a confidence: "0.7-0.9 for most".
USUAL_CONFIDENCE = 70
# Where a memory that left for another store keeps what no other field holds.
EXTRA = "claude-memory"

_KNOWN = (
    "schema_version", "category", "id", "title", "record_status", "created_at", "updated_at", "tags",
    "related_files", "confidence", "content", "changes", "times_updated", "retired_at", "retired_reason",
    "archived_at", "archived_reason",
)  # fmt: skip
# Facts of a record that a memory has no field for.
_FACTS = ("times_updated", "retired_reason", "archived_at", "archived_reason")
_NEVER = datetime(1970, 1, 1, tzinfo=UTC)


def decode(record: Record, *, id: str, category: str) -> Memory:
    """Return the memory a record holds, whatever is wrong with it; its folder says what kind it is."""
    state = status_of(record)
    content = record.get("content")
    content = content if isinstance(content, dict) else {}
    title = record.get("title")
    title = title if isinstance(title, str) and title.strip() else id
    times = [_time(record.get(name)) for name in ("created_at", "updated_at", "retired_at")]
    created = times[0] or times[1] or _NEVER
    return Memory(
        id=id,
        kind=category,
        title=title,
        text=in_words(category, content, title) or title,
        content=content,
        state=state,
        phase=PHASES.get(state, "held"),
        tags=tuple(as_texts(record.get("tags"))),
        files=tuple(as_texts(record.get("related_files"))),
        signals=Signals(confidence=_hundredths(record.get("confidence")), evidence_count=1, frequency=1),
        created_at=created,
        updated_at=times[1] or created,
        retired_at=times[2] if state == "retired" else None,
        changes=tuple(entry for raw in as_list(record.get("changes")) if (entry := _entry(raw))),
        trust="model",
        extra={EXTRA: strange} if (strange := _strange(record)) else {},
    )


def new_record(memory: Memory) -> Record:
    """Return the record of a memory that has no file yet."""
    kept = memory.extra.get(EXTRA)
    kept = kept if isinstance(kept, dict) else {}
    record: Record = {
        "schema_version": SCHEMA_VERSION,
        "category": memory.kind,
        "id": stem(memory.id),
        "title": memory.title,
        "record_status": memory.state,
        "created_at": clock.stamp(memory.created_at),
        "updated_at": clock.stamp(memory.updated_at),
        "tags": list(memory.tags),
        "related_files": list(memory.files),
        "confidence": memory.signals.confidence / 100,
        "content": memory.content,
        "changes": [_raw(entry) for entry in memory.changes],
        "times_updated": 0,
    }
    if memory.retired_at and memory.state == "retired":
        record["retired_at"] = clock.stamp(memory.retired_at)
    if memory.state == "archived":
        record["archived_at"] = clock.stamp(memory.updated_at)
    return {**record, **kept}


def changed(record: Record, memory: Memory, *, reason: str = "") -> Record:
    """Return the record as the memory now is; the very same object when nothing it holds has changed."""
    before = decode(record, id=memory.id, category=memory.kind)
    after = dict(record)
    for name, field in (("title", "title"), ("tags", "tags"), ("files", "related_files"), ("content", "content")):
        value = getattr(memory, name)
        if value != getattr(before, name):
            after[field] = list(value) if isinstance(value, tuple) else value
    if memory.signals.confidence != before.signals.confidence:
        after["confidence"] = memory.signals.confidence / 100
    updated = after != record
    if memory.state != before.state or memory.retired_at != before.retired_at:
        _move(after, memory, reason)
    if memory.changes != before.changes:
        after["changes"] = _history(record, memory)
    if after == record:
        return record
    if updated:
        times = record.get("times_updated")
        after["times_updated"] = (times if isinstance(times, int) else 0) + 1
    after["updated_at"] = clock.stamp(memory.updated_at)
    return after


def facts(record: Record) -> dict[str, Any]:
    """Return what a record says that a memory has no field for, for a store that must give it back."""
    return {name: record[name] for name in _FACTS if record.get(name)} | _strange(record)


def fitted(memory: Memory, content: Callable[[Memory], dict[str, Any]]) -> Memory:
    """Return the memory as a record can hold it: title, tags, state, and the text its content makes."""
    title = sanitize.title(memory.title[:MAX_TITLE]) or memory.kind
    tags = list(dict.fromkeys(name for tag in memory.tags if (name := sanitize.tag(tag[:MAX_TAG]))))[:MOST_TAGS]
    whole = content(memory)
    return msgspec.structs.replace(
        memory,
        title=title,
        tags=tuple(tags or (NO_TAGS,)),
        content=whole,
        text=in_words(memory.kind, whole, title) or title,
        changes=memory.changes[-MOST_CHANGES:],
    )


def stem(id: str) -> str:
    """Return the file name an id stands for; an id shared by two categories has its folder in front."""
    return id.rpartition("/")[2]


def _move(record: Record, memory: Memory, reason: str) -> None:
    for name in ("retired", "archived"):
        record.pop(f"{name}_at", None)
        record.pop(f"{name}_reason", None)
    record["record_status"] = memory.state
    if memory.state in ("retired", "archived"):
        at = memory.retired_at if memory.state == "retired" else memory.updated_at
        if at is not None:
            record[f"{memory.state}_at"] = clock.stamp(at)
        record[f"{memory.state}_reason"] = (reason or NO_REASON)[:MAX_SUMMARY]


def _history(record: Record, memory: Memory) -> list[Any]:
    """Return the entries, those the file has unchanged."""
    known = {entry: raw for raw in as_list(record.get("changes")) if (entry := _key(_entry(raw)))}
    return [known.get(_key(entry)) or _raw(entry) for entry in memory.changes][-MOST_CHANGES:]


def _entry(raw: Any) -> Change | None:
    if not isinstance(raw, dict):
        return None
    date, summary, field = raw.get("date"), raw.get("summary"), raw.get("field")
    return Change(
        date=date if isinstance(date, str) else "",
        summary=summary if isinstance(summary, str) else "",
        field=field if isinstance(field, str) else None,
        old_value=raw.get("old_value"),
        new_value=raw.get("new_value"),
    )


def _raw(entry: Change) -> Record:
    raw: Record = msgspec.to_builtins(entry)
    return {**raw, "summary": entry.summary[:MAX_SUMMARY]}


def _key(entry: Change | None) -> bytes:
    return msgspec.json.encode(entry, order="sorted") if entry else b""


def _strange(record: Record) -> dict[str, Any]:
    """Return the keys nobody knows, and known ones whose exact value a memory cannot hold."""
    found = {name: value for name, value in record.items() if name not in _KNOWN}
    for name in ("created_at", "retired_at"):
        raw = record.get(name)
        if raw is not None and ((moment := _time(raw)) is None or clock.stamp(moment) != raw):
            found[name] = raw
    confidence = record.get("confidence")
    if isinstance(confidence, float) and confidence != _hundredths(confidence) / 100:
        found["confidence"] = confidence
    return found


def _time(value: Any) -> datetime | None:
    try:
        return clock.parse(value) if isinstance(value, str) and value else None
    except InvalidInput:
        return None


def _hundredths(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return USUAL_CONFIDENCE
    return round(100 * min(max(value, 0), 1))
