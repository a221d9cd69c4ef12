"""Where geas keeps each artifact, and which names may become part of a path.

Ids come from documents that agents write. One that could leave its folder, hide, or be mistaken for another
artifact is refused before it is joined to anything.
"""

from __future__ import annotations

import unicodedata
from pathlib import PurePath

from tenure.model.errors import InvalidInput

# Two ids and a suffix must fit one file name of 255 bytes, beside the suffix of a temporary file.
MAX_ID_BYTES = 100
# Separators of any system, and what Windows refuses in names.
FORBIDDEN = frozenset('/\\:*?"<>|')
REVIEW_SUFFIX = "-review"


def safe_id(text: object, *, field: str = "memory_id") -> str:
    """Return the id when it may be part of a file name; raise `InvalidInput` when it may not."""
    if not isinstance(text, str) or not text:
        raise InvalidInput(f"{field}: found {text!r}, expected a name.", field=field)
    shown = repr(text[:80])
    if ".." in text or text.startswith((".", "-", " ")) or text.endswith((".", " ")):
        raise InvalidInput(f"{field}: {shown} cannot be a file name here.", field=field)
    if any(char in FORBIDDEN or unicodedata.category(char)[0] in "CZ" for char in text):
        raise InvalidInput(f"{field}: {shown} has a separator, space or control character.", field=field)
    if len(text.encode("utf-8")) > MAX_ID_BYTES:
        raise InvalidInput(f"{field}: {shown} is longer than {MAX_ID_BYTES} bytes.", field=field)
    if text.endswith(REVIEW_SUFFIX):
        raise InvalidInput(f"{field}: {shown} would be taken for a review.", field=field)
    return text


def is_artifact(name: str) -> bool:
    """Tell whether a file name may be that of an artifact."""
    return name.endswith(".json") and not name.startswith(".")


def is_review(name: str) -> bool:
    """Tell whether a file name is that of a review."""
    return name.endswith(f"{REVIEW_SUFFIX}.json")


def candidate(memory_id: str) -> PurePath:
    """Return where a candidate lies, below the `.geas` folder."""
    return PurePath("memory", "candidates", f"{safe_id(memory_id)}.json")


def entry(memory_id: str) -> PurePath:
    """Return where an entry lies."""
    return PurePath("memory", "entries", f"{safe_id(memory_id)}.json")


def log(task_id: str, memory_id: str, number: int = 1) -> PurePath:
    """Return where a log lies; the second of a task and memory gets a suffix (contradiction 14)."""
    name = f"{safe_id(task_id, field='task_id')}-{safe_id(memory_id)}"
    return PurePath("memory", "logs", f"{name}.json" if number == 1 else f"{name}.{number}.json")


def review(memory_id: str, number: int = 1) -> PurePath:
    """Return where a review lies; every name ends in `-review.json`, by which scans of candidates skip it."""
    name = safe_id(memory_id) if number == 1 else f"{safe_id(memory_id)}.{number}"
    return PurePath("memory", "candidates", f"{name}{REVIEW_SUFFIX}.json")


def packet(mission_id: str, task_id: str) -> PurePath:
    """Return where the memory packet of a task lies."""
    mission = safe_id(mission_id, field="mission_id")
    return PurePath("missions", mission, "packets", safe_id(task_id, field="task_id"), "memory-packet.json")


def agent_notes(agent: str) -> tuple[PurePath, ...]:
    """Return where an agent's own file may lie: geas has two spellings of its name (contradiction 20)."""
    name = safe_id(agent, field="agent")
    spellings = dict.fromkeys((name, name.replace("_", "-"), name.replace("-", "_")))
    return tuple(PurePath("memory", "agents", f"{spelling}.md") for spelling in spellings)


INDEX = PurePath("state", "memory-index.json")
EVENTS = PurePath("ledger", "events.jsonl")
RULES = PurePath("rules.md")
