"""The rolling window over sessions: which are too many, and what would be lost from sight with each.

The guard compares the words of a session's items with every index entry and every session that stays. An
item is captured when one of them holds most of its words. The guard informs; it never stops a retirement.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

from tenure.model import clock
from tenure.model.errors import InvalidInput
from tenure.systems.claude_memory import sanitize
from tenure.systems.claude_memory.records import Record
from tenure.systems.claude_memory.words import ITEM_WORDS, SMALL_WORDS
from tenure.text.words import coverage

REASON = "Session rolling window: exceeded max_retained limit"
GUARDED = ("completed", "blockers", "next_actions")
COMPARED = (*GUARDED, "in_progress", "key_changes")

# Retirements per run: a limit against a configuration typed wrong, wide enough for a real backlog.
LEAST_PER_RUN = 10
PER_RUN_FACTOR = 10

# An item is captured when another text holds this share of its words.
CAPTURED_FROM = 0.6
MAX_ITEMS_SHOWN = 5
MAX_ITEM_SHOWN = 120


def oldest_first(sessions: Iterable[tuple[str, Record]]) -> list[tuple[str, Record]]:
    """Return (file name, record) pairs by age, then name; one without a readable time is oldest."""
    return sorted(sessions, key=lambda pair: (*_age_key(pair[1].get("created_at")), pair[0]))


def excess(active: int, max_retained: int, max_retire: int | None = None) -> int:
    """Return how many of `active` memories the window retires in one run."""
    limit = max(LEAST_PER_RUN, PER_RUN_FACTOR * max_retained) if max_retire is None else max(1, max_retire)
    return min(max(0, active - max_retained), limit)


def items(session: Record) -> list[str]:
    """Return what the session says was done, is in the way, and comes next."""
    return _listed(session, GUARDED)


def unique_items(session: Record, others: Iterable[Record], entries: Iterable[str]) -> list[str]:
    """Return the session's items that no other session and no index entry captures."""
    known = [words(text) for text in entries]
    for other in others:
        known.extend(words(text) for text in _listed(other, COMPARED))
        goal = _content(other).get("goal")
        known.append(words(goal) if isinstance(goal, str) else set())
    return [item for item in items(session) if not _captured(words(item), known)]


def warning(slug: str, unique: Sequence[str]) -> str:
    """Return the guard's warning, in the seed's words."""
    shown = [sanitize.title(item[:MAX_ITEM_SHOWN]) for item in unique[:MAX_ITEMS_SHOWN]]
    if len(unique) > MAX_ITEMS_SHOWN:
        shown.append(f"and {len(unique) - MAX_ITEMS_SHOWN} more")
    return (
        f"WARNING: Session {slug} contains unique content not captured elsewhere: {'; '.join(shown)}. "
        "Consider saving these before retirement."
    )


def words(text: str) -> set[str]:
    """Return the words a text is compared by."""
    found = set(ITEM_WORDS(text))
    return (found - SMALL_WORDS) or found


def _captured(item: set[str], known: list[set[str]]) -> bool:
    return not item or any(coverage(item, other) >= CAPTURED_FROM for other in known)


def _listed(session: Record, fields: Iterable[str]) -> list[str]:
    content = _content(session)
    lists = [content.get(field) for field in fields]
    return [text for values in lists if isinstance(values, list) for text in values if isinstance(text, str)]


def _content(record: Record) -> Record:
    content = record.get("content")
    return content if isinstance(content, dict) else {}


def _age_key(created_at: object) -> tuple[datetime, str]:
    text = created_at if isinstance(created_at, str) else ""
    try:
        return clock.parse(text), ""
    except InvalidInput:
        return datetime.min.replace(tzinfo=UTC), text
