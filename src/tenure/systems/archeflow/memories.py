"""A lesson as a memory and back.

The file a lesson stands in, its type and its frequency say what state it is in. Writing starts from the lesson that
is there: only what differs is set, so that unknown fields, odd values and the order of keys survive.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any, NamedTuple

import msgspec

from tenure.model import clock
from tenure.model.errors import InvalidInput
from tenure.model.memory import Memory, Phase, Signals
from tenure.systems.archeflow.events import NO_RUN
from tenure.systems.archeflow.lessons import Lesson, count, description, frequency, text
from tenure.systems.archeflow.rules import Rules

CANDIDATE, ACTIVE, ARCHIVED = "candidate", "active", "archived"
PHASES: dict[str, Phase] = {CANDIDATE: "pending", ACTIVE: "live", ARCHIVED: "gone"}
KINDS = ("pattern", "preference", "archetype_hint", "anti_pattern")
DEFAULT_KIND = "pattern"
USER = "user_feedback"
BY_HAND = "manual"

# The fields of a memory, or of its signals, that a line can hold.
OWNED = frozenset(
    {
        "kind", "title", "text", "state", "previous_state", "domain", "agent", "tags", "source", "extra",
        "frequency", "evidence_count", "runs_unseen",
    }
)  # fmt: skip
# The keys of a new line in the script's order; those in `extra` have no field of their own in a memory.
_ORDER = (
    "id", "ts", "run_id", "type", "source", "description", "frequency", "severity", "domain", "tags", "archetype",
    "last_seen_run", "runs_since_last_seen",
)  # fmt: skip
_IN_EXTRA = frozenset({"ts", "run_id", "severity", "last_seen_run"})
_MAPPED = frozenset(_ORDER) - _IN_EXTRA


class Codec(NamedTuple):
    """What lessons and memories are turned into each other by."""

    rules: Rules
    confidence: int
    # Returns the title of a text.
    title: Callable[[str], str]


def problem(lesson: Lesson) -> str:
    """Return why a lesson cannot be a memory; nothing when it can."""
    identity = lesson.get("id")
    if not isinstance(identity, str) or not identity.strip():
        return "has no id, so no command can name it"
    return "" if _whole(identity) == identity else "has an id that is not Unicode text"


def decode(lesson: Lesson, codec: Codec, *, archived: bool) -> Memory:
    """Return the memory a lesson is; `archived` when it is in archive.jsonl."""
    told = _values(lesson)
    said, kind, seen = told["description"], told["type"], told["frequency"]
    standing = state_of(kind, seen, codec.rules)
    state = ARCHIVED if archived else standing
    written = _moment(lesson.get("ts"))
    runs = _runs(lesson)
    return Memory(
        id=lesson["id"],
        kind=kind,
        title=codec.title(said) or lesson["id"],
        text=said,
        state=state,
        phase=PHASES[state],
        previous_state=standing if archived else None,
        domain=told["domain"],
        agent=told["archetype"] or "",
        tags=tuple(told["tags"]),
        evidence=runs,
        runs=runs,
        signals=Signals(
            confidence=codec.confidence,
            evidence_count=seen,
            frequency=seen,
            runs_unseen=told["runs_since_last_seen"],
        ),
        created_at=written,
        updated_at=written,
        # The documents: preferences are the user's, added by hand.
        trust="user" if told["source"] == USER or kind in codec.rules.immediate_types else "model",
        source=told["source"],
        extra=_extra(lesson),
    )


def encode(memory: Memory, base: Lesson | None, rules: Rules) -> Lesson:
    """Return the lesson a memory is, starting from the one that is there; the same object when nothing differs."""
    wanted = {**_defaults(memory), **memory.extra, **_fields(memory, rules)}
    if base is None:
        first = {key: wanted[key] for key in _ORDER}
        return first | {key: value for key, value in wanted.items() if key not in first}
    told = {**_extra(base), **_values(base)}
    # What only a default would add is not missing.
    known = [key for key in wanted if key in memory.extra or key in _MAPPED]
    changed = {key: wanted[key] for key in known if key not in told or told[key] != wanted[key]}
    dropped = _extra(base).keys() - memory.extra.keys() - _IN_EXTRA
    if not changed and not dropped:
        return base
    return {key: value for key, value in (base | changed).items() if key not in dropped}


def is_put_aside(memory: Memory) -> bool:
    """Tell whether the memory's line belongs into the archive: what is gone, and what waits for a reviewer."""
    return memory.phase in ("gone", "held")


def state_of(kind: str, seen: int, rules: Rules) -> str:
    """Return the state of a lesson in lessons.jsonl."""
    return ACTIVE if kind in rules.immediate_types or seen >= rules.least_frequency else CANDIDATE


def least_frequency(memory: Memory, state: str, rules: Rules) -> int:
    """Return the frequency by which a lesson shows that it is in this state."""
    confirmed = state == ACTIVE and memory.kind not in rules.immediate_types
    return rules.least_frequency if confirmed else 1


def _fields(memory: Memory, rules: Rules) -> dict[str, Any]:
    seen = memory.signals.frequency
    if not is_put_aside(memory):
        # The frequency is all a line has to say whether a lesson is active.
        seen = max(seen, least_frequency(memory, memory.state if memory.state in PHASES else ACTIVE, rules))
        if memory.phase == "pending" and memory.kind not in rules.immediate_types:
            seen = min(seen, rules.least_frequency - 1)
    return {
        "id": memory.id,
        "type": memory.kind,
        "source": memory.source,
        "description": memory.text,
        "frequency": seen,
        "domain": memory.domain,
        "tags": list(memory.tags),
        "archetype": memory.agent or None,
        "runs_since_last_seen": memory.signals.runs_unseen or 0,
    }


def _defaults(memory: Memory) -> dict[str, Any]:
    runs = memory.runs or ("",)
    return {
        "ts": clock.stamp(memory.updated_at),
        "run_id": runs[0] or BY_HAND,
        "severity": "info",
        "last_seen_run": runs[-1],
    }


def _values(lesson: Lesson) -> dict[str, Any]:
    """Return the mapped keys of a lesson as a memory can hold them, whatever the file has there."""
    tags, archetype = lesson.get("tags"), lesson.get("archetype")
    kind = lesson.get("type")
    return {
        "id": lesson.get("id"),
        "type": _whole(kind) if isinstance(kind, str) and kind else DEFAULT_KIND,
        "source": _text(lesson.get("source")),
        "description": _whole(description(lesson)),
        "frequency": max(0, frequency(lesson)),
        "domain": _text(lesson.get("domain")),
        "tags": [_whole(tag) for tag in tags if isinstance(tag, str)] if isinstance(tags, list) else [],
        "archetype": _whole(archetype) if isinstance(archetype, str) and archetype else None,
        "runs_since_last_seen": max(0, count(lesson.get("runs_since_last_seen"))),
    }


def _extra(lesson: Lesson) -> dict[str, Any]:
    return {key: value for key, value in lesson.items() if key not in _MAPPED and _can_be_kept(key, value)}


def _can_be_kept(key: str, value: object) -> bool:
    """Tell whether the companion can hold a value without loss; if not, only the file has it."""
    try:
        return bool(msgspec.json.decode(msgspec.json.encode({key: value})) == {key: value})
    except (msgspec.MsgspecError, UnicodeError, OverflowError, RecursionError):
        return False


def _runs(lesson: Lesson) -> tuple[str, ...]:
    named = (_text(lesson.get(key)) for key in ("run_id", "last_seen_run"))
    return tuple(dict.fromkeys(run for run in named if run not in ("", NO_RUN, BY_HAND)))


def _text(value: object) -> str:
    return "" if value is None else _whole(text(value))


def _whole(words: str) -> str:
    """Return the text with halves of surrogate pairs joined or replaced: no database takes them."""
    try:
        words.encode()
    except UnicodeEncodeError:
        return words.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return words


def _moment(value: object) -> datetime:
    try:
        return clock.parse(value if isinstance(value, str) else "")
    except InvalidInput:
        return clock.now()
