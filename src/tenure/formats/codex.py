"""Codex's memories: `~/.codex/memories`, or `memories_v2` since its second pipeline.

Notes that a person asked for (`extensions/ad_hoc/notes`) and the items of the summary and the handbook are taken. What
only leads to a session (tasks, keywords, routes, recaps, raw memories) and skills are left out. Codex's sessions are
read by `capture.session_formats`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tenure.formats import ForeignRecord, Unread, files, markdown
from tenure.text.words import one_line, slug

PAGES = ("MEMORY.md", "memory_summary.md")
NOTES = "extensions/ad_hoc/notes/"
# The last heading above an item, as a tag -> our kind; items below any other heading lead to sessions.
_KINDS = {
    "user-profile": "preference",
    "user-preferences": "preference",
    "general-tips": "lesson",
    "reusable-knowledge": "lesson",
    "failures-and-how-to-do-differently": "lesson",
}
_TASKS = re.compile(r"(?:\s*\[(?:Task \d+|ad-hoc note)\])+\s*$")
_GROUP = re.compile(r"^#\s+Task Group:\s*(.+?)\s*$")
_DATED = re.compile(r"^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-")


def read(path: Path) -> Iterator[ForeignRecord | Unread]:
    """Yield the notes and items of a folder of memories, or of one of its files."""
    for each in files.texts(path, ".md"):
        if isinstance(each, Unread):
            yield each
            continue
        where, text = each
        name = Path(where).name
        if where in PAGES:
            yield from _page(where, text)
        elif where.startswith(NOTES) or _DATED.match(name):
            yield from _note(where, text)


def _page(where: str, text: str) -> Iterator[ForeignRecord]:
    groups = [(number, match[1]) for number, line in enumerate(text.splitlines(), 1) if (match := _GROUP.match(line))]
    for number, says in markdown.bullets(text):
        below = says["tags"]
        kind = next((_KINDS[tag] for tag in below if tag in _KINDS), "") if isinstance(below, list) else ""
        if kind:
            said = _TASKS.sub("", str(says["text"]))
            group = [slug(name) for start, name in groups if start < number][-1:]
            yield ForeignRecord(
                f"{where}:{number}", {"text": said, "title": one_line(said, 100), "kind": kind, "tags": group}
            )


def _note(where: str, text: str) -> Iterator[ForeignRecord | Unread]:
    """Yield the items of a note that is a list, else the note as a whole."""
    items = list(markdown.bullets(text))
    for number, says in items:
        yield ForeignRecord(f"{where}:{number}", dict[str, Any](says))
    if items:
        return
    if said := text.strip():
        yield ForeignRecord(where, {"text": said, "title": one_line(said, 100)})
    else:
        yield Unread(where, "it says nothing")
