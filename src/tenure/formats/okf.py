"""Open Knowledge Format v0.2: a folder of Markdown files with front matter, one memory each, one fact per line.

`status` says how far others may rely on it; what OKF has no key for stands under `tenure`, and unknown keys are no
error. A quote, an event, a run or a counter is never written: they are the person's own.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from tenure.files import durable
from tenure.formats import ForeignRecord, Unread, files, inert, yaml_subset
from tenure.model import clock
from tenure.model.errors import StoreUnusable, TenureError
from tenure.model.kinds import KINDS
from tenure.model.memory import Memory
from tenure.text.redact import redact, redact_value
from tenure.text.words import slug

RESERVED = ("index.md", "log.md")
# Our state -> the lifecycle others understand; the state itself stands beside it.
STATUS = {
    "candidate": "draft",
    "provisional": "draft",
    "stable": "stable",
    "canonical": "stable",
    "under_review": "stable",
}
GONE = "deprecated"
OWN, DIGEST = "tenure", "digest"
_DIGEST_LINE = re.compile(rf"^  {DIGEST}: .*\n", re.MULTILINE)
# Of what stands under our own key, what another store may take as said.
SAID = ("scope", "domain", "agent", "files", "content")


def read(path: Path) -> Iterator[ForeignRecord | Unread]:
    """Yield what the concepts of a bundle say; deprecated ones are left out by name."""
    for each in files.notes(path, ".md", reserved=RESERVED):
        if isinstance(each, Unread):
            yield each
            continue
        yield found(*each)


def found(where: str, head: dict[str, Any], body: str) -> ForeignRecord | Unread:
    """Return a concept as it is taken, or why it is not."""
    if not isinstance(head.get("type"), str) or not head["type"].strip():
        return Unread(where, "it has no `type`, the one key every concept needs")
    if head.get("status") == GONE:
        return Unread(where, "its status is deprecated")
    return ForeignRecord(where, says(where, head, body))


def write(path: Path, memories: Sequence[Memory]) -> int:
    """Write each memory as a concept named after its id, over an earlier one of that name; return how many."""
    try:
        path.mkdir(parents=True, exist_ok=True)
        for memory in memories:
            durable.replace(path / f"{slug(memory.id)}.md", concept(memory).encode())
    except OSError as error:
        raise StoreUnusable(f"{str(path)!r} cannot be written: {error.strerror}.") from None
    return len(memories)


def remove(path: Path, memories: Sequence[Memory], used_ids: Callable[[list[str]], set[str]]) -> int:
    """Remove the concepts of memories of ours that are no longer in use; return how many.

    Only a file that we wrote and nobody changed since, under the name of an id of this store, is ours to remove.
    """
    kept = {f"{slug(memory.id)}.md" for memory in memories}
    ours = {}
    for file in sorted(path.glob("*.md")):
        if file.name not in (*kept, *RESERVED) and (id := _written_by_us(file)):
            ours[id] = file
    known = used_ids(list(ours))
    try:
        for id in known:
            ours[id].unlink(missing_ok=True)
    except OSError as error:
        raise StoreUnusable(f"A file in {str(path)!r} cannot be removed: {error.strerror}.") from None
    return len(known)


def _written_by_us(file: Path) -> str:
    """Return the id of the memory that an unchanged file of ours was written for, empty for any other file."""
    if file.is_symlink() or not file.is_file():
        return ""
    try:
        text = durable.read_bytes(file, limit=files.MOST_BYTES).decode("utf-8")
        own = yaml_subset.split(text)[0].get(OWN)
    except (OSError, ValueError, TenureError):
        return ""
    if not isinstance(own, dict) or f"{slug(str(own.get('id')))}.md" != file.name:
        return ""
    return str(own["id"]) if own.get(DIGEST) == _digest(_DIGEST_LINE.sub("", text, count=1)) else ""


def concept(memory: Memory) -> str:
    """Return a memory as an OKF document, with a digest by which a later export knows its own file."""
    head: dict[str, Any] = {
        "type": memory.kind,
        "title": memory.title,
        "tags": list(memory.tags),
        "timestamp": clock.stamp(memory.updated_at),
        "status": STATUS.get(memory.state, GONE),
        "stale_after": clock.stamp(memory.review_after) if memory.review_after else None,
        "generated": {"by": "tenure", "at": clock.stamp(memory.created_at)},
        "verified": [{"by": f"human:{each.by}", "at": clock.stamp(each.at)} for each in memory.approvals],
        OWN: {
            "id": memory.id,
            "state": memory.state,
            **{name: _plain(getattr(memory, name)) for name in SAID if getattr(memory, name)},
        },
    }
    safe = redact_value({key: value for key, value in head.items() if value not in (None, [], "")})
    assert isinstance(safe, dict)
    text = inert.inert(redact(memory.text)[0])
    safe[OWN][DIGEST] = _digest(_document(safe, text))
    return _document(safe, text)


def _document(head: dict[str, Any], text: str) -> str:
    return f"{yaml_subset.FENCE}\n{yaml_subset.dump(head)}{yaml_subset.FENCE}\n\n{text}\n"


def _digest(document: str) -> str:
    # The letter keeps it a text in YAML.
    return "d" + hashlib.sha256(document.encode()).hexdigest()[:31]


def says(where: str, head: dict[str, Any], body: str) -> dict[str, Any]:
    """Return what a concept says as a proposal."""
    own = head.get(OWN)
    own = own if isinstance(own, dict) else {}
    kind = str(head["type"]).strip()
    tags = [str(tag) for tag in _list(head.get("tags"))]
    described = head.get("description")
    # What we wrote ourselves has backslashes before what would be a link or an element.
    text = (inert.read(body) if DIGEST in own else body).strip() or (described if isinstance(described, str) else "")
    said: dict[str, Any] = {name: own[name] for name in SAID if own.get(name)}
    said |= {
        "kind": kind if kind in KINDS else "reference",
        "title": str(head.get("title") or Path(where).stem),
        "text": text or str(head.get("title") or Path(where).stem),
        # A type we have no kind for stays findable.
        "tags": tags if kind in KINDS else [*tags, slug(kind)],
    }
    if isinstance(resource := head.get("resource"), str) and resource not in said["text"]:
        said["text"] += f"\n\n{resource}"
    return said


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [] if value is None else [value]


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else clock.stamp(value) if isinstance(value, datetime) else value
