"""Kage's packets: `.agent_memory/packets`, one Markdown file each, or JSON as versions before the third wrote them.

A packet is a concept of the Open Knowledge Format that carries the whole record in a fenced block; a concept that
somebody wrote by hand has none and is read as it stands.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from tenure.files import strict_json
from tenure.files.json_values import as_object, as_text, as_texts
from tenure.formats import ForeignRecord, Unread, files, okf, yaml_subset
from tenure.model.errors import TenureError
from tenure.text.words import one_line, slug

PACKETS = ".agent_memory/packets"
_OPEN, _CLOSE = "```json kage-state\n", "\n```"
# Kage's type -> our kind; anything else is a lesson.
_KINDS = {
    "decision": "decision",
    "rationale": "decision",
    "convention": "preference",
    "constraint": "constraint",
    "policy": "constraint",
    "reference": "reference",
    "code_explanation": "reference",
}
_MAP = "repo_map"
_GONE = ("deprecated", "superseded", "rejected")


def read(path: Path) -> Iterator[ForeignRecord | Unread]:
    """Yield the packets of a file, a folder of packets, or a project that has one."""
    packets = path / PACKETS
    path = packets if packets.is_dir() else path
    for each in files.texts(path, (".md", ".json"), reserved=okf.RESERVED):
        if isinstance(each, Unread):
            yield each
            continue
        where, text = each
        try:
            yield (
                _packet(where, text)
                if where.endswith(".json") or _OPEN in text
                else okf.found(where, *yaml_subset.split(text))
            )
        except (TenureError, ValueError) as error:
            yield Unread(where, str(error))


def _packet(where: str, text: str) -> ForeignRecord | Unread:
    state = text if where.endswith(".json") else text.partition(_OPEN)[2].partition(_CLOSE)[0]
    packet = as_object(strict_json.decode(state.encode(), max_bytes=files.MOST_BYTES))
    said = (as_text(packet.get("body")) or as_text(packet.get("summary"))).strip()
    if not said:
        return Unread(where, "it has no packet with a `body`")
    if packet.get("status") in _GONE:
        return Unread(where, f"its status is {packet['status']}")
    sort = as_text(packet.get("type"))
    if sort == _MAP:
        return Unread(where, "Kage rebuilds it from the project's files")
    tags = [slug(tag) for tag in (sort, *as_texts(packet.get("tags"))) if tag]
    title = one_line(as_text(packet.get("title")) or said, 200)
    says = {"text": said, "title": title, "kind": _KINDS.get(sort, "lesson"), "tags": tags}
    return ForeignRecord(where, {**says, "files": as_texts(packet.get("paths"))})
