"""A memory file as a memory and back.

The header holds name (the title), description (in `content`), type (the kind) and whatever else its writer put there
(in `extra`); the folder a file lies in says whether it is active or archived. Writing starts from the file that is
there: `difference` names what must change, and nothing else is touched.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime

import msgspec

from tenure.model import clock
from tenure.model.errors import InvalidInput
from tenure.model.memory import Memory, Signals
from tenure.systems.claude_code import frontmatter, index, layout

ACTIVE, ARCHIVED = "active", "archived"
# The fields of a memory that a file can hold.
OWNED = frozenset({"kind", "title", "text", "content", "state", "extra"})
DESCRIPTION = "description"
# What the client writes into the header of its nested layout.
NODE_TYPE = {"node_type": "memory"}

# The time stamp is the file's own affair: it follows from writing and is never written back.
_MAPPED = frozenset({"name", DESCRIPTION, "type", "modified"})
_WRITABLE_KEY = re.compile(r"[A-Za-z_][\w.-]*")


def decode(
    data: bytes, id: str, *, archived: bool, on_disk: datetime, confidence: int = 0
) -> tuple[Memory, tuple[str, ...]]:
    """Return the memory a file is, and what is wrong with the file; `on_disk` is its time there."""
    document = frontmatter.parse(data)
    fields = document.fields
    text = document.text.replace("\r\n", "\n")
    if id == index.NAME:
        text = layout.standalone_text(data).replace("\r\n", "\n").strip("\n")
    description = fields.get(DESCRIPTION, "").strip()
    written = _moment(fields.get("modified", "")) or on_disk
    memory = Memory(
        id=id,
        kind=document.kind,
        title=frontmatter.one_line(fields.get("name", "")) or description or _first_words(text) or id,
        text=text,
        content={DESCRIPTION: description} if description else {},
        state=ARCHIVED if archived else ACTIVE,
        phase="gone" if archived else "live",
        signals=Signals(confidence=confidence, evidence_count=1, frequency=1),
        created_at=written,
        updated_at=written,
        source="claude-code",
        extra={key: value for key, value in fields.items() if key not in _MAPPED},
    )
    return memory, document.problems


def told(memory: Memory) -> Memory:
    """Return the memory as its file tells it: in the folder or put aside, without the reasons."""
    gone = memory.phase == "gone"
    return msgspec.structs.replace(memory, state=ARCHIVED if gone else ACTIVE, phase="gone" if gone else "live")


def header(memory: Memory, *, nested: bool) -> dict[str, str]:
    """Return the header of a new file: name, description, type, and what else the memory carries."""
    own = {"name": memory.title, DESCRIPTION: _description(memory)}
    if memory.kind != frontmatter.UNKNOWN:
        own["type"] = memory.kind
    kept = {
        key: value for key, value in memory.extra.items() if isinstance(value, str) and _WRITABLE_KEY.fullmatch(key)
    }
    return {**own, **(NODE_TYPE if nested else {}), **kept}


def difference(memory: Memory, known: Memory, *, stamped: bool) -> tuple[dict[str, str | None], str | None]:
    """Return the header fields to change (None removes one) and the new body, None when it stays.

    `known` is the file as it is; `stamped` says that its header carries the time of its last change.
    """
    changes: dict[str, str | None] = {}
    if memory.title != known.title:
        changes["name"] = memory.title
    if memory.kind != known.kind:
        changes["type"] = memory.kind
    description = memory.content.get(DESCRIPTION)
    if description != known.content.get(DESCRIPTION):
        changes[DESCRIPTION] = description if isinstance(description, str) and description else None
    changes |= _extra_difference(memory.extra, known.extra)
    body = memory.text if memory.text != known.text else None
    if stamped and (changes or body is not None):
        changes["modified"] = clock.stamp(memory.updated_at)
    return changes, body


def says_the_same(one: Memory, other: Memory) -> bool:
    """Tell whether two memories agree in everything a file's header and body hold."""
    names = ("kind", "title", "text")
    same = all(getattr(one, name) == getattr(other, name) for name in names)
    return same and one.content.get(DESCRIPTION) == other.content.get(DESCRIPTION)


def _extra_difference(wanted: Mapping[str, object], known: Mapping[str, object]) -> dict[str, str | None]:
    changed: dict[str, str | None] = {key: None for key in known if key not in wanted}
    for key, value in wanted.items():
        if isinstance(value, str) and known.get(key) != value and _WRITABLE_KEY.fullmatch(key):
            changed[key] = value
    return changed


def _first_words(text: str) -> str:
    return layout.first_words(text.encode("utf-8")) if text.strip() else ""


def _description(memory: Memory) -> str:
    described = memory.content.get(DESCRIPTION)
    return described if isinstance(described, str) and described else memory.title


def _moment(text: str) -> datetime | None:
    try:
        return clock.parse(text) if text else None
    except InvalidInput:
        return None
