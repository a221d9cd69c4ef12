"""What the hooks need to know of a memory folder, read leniently: index lines and records.

Nothing here raises for what it finds on disk: a line or record that makes no sense is passed over,
because a hook must never stop the session. Paths are followed only inside the memory folder.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from tenure.files import CATEGORY_INDEX, CLAUDE_MEMORY
from tenure.systems.claude_memory.records import FOLDERS
from tenure.text.words import clean

MAX_INDEX_BYTES = 16 * 1024 * 1024
MAX_RECORD_BYTES = 4 * 1024 * 1024
MAX_TITLE_CHARACTERS, SHOWN_TITLE_CHARACTERS = 1000, 120

_HEAD = re.compile(r"-\s+\[([A-Z_]+)\]\s+(?=\S)")
_ARROW = re.compile(r"\s->\s+")
_TARGET = re.compile(r"(\S+)(?:\s+#tags:(.+))?$")


class IndexLine(NamedTuple):
    """One line of `index.md`; the category as it is written there, in capitals."""

    category: str
    title: str
    path: str
    tags: tuple[str, ...] = ()
    status: str = "active"


def parse_line(line: str) -> IndexLine | None:
    """Return the entry an index line holds, or None for any other line."""
    line = line.strip()
    head = _HEAD.match(line)
    if not head:
        return None
    # A title may hold an arrow itself: the first one that leads to a path and nothing but tags counts.
    for arrow in _ARROW.finditer(line, head.end()):
        target = _TARGET.match(line, arrow.end())
        title = line[head.end() : arrow.start()].strip()
        if target and title:
            tags = (tag.strip() for tag in (target[2] or "").split(","))
            return IndexLine(head[1], title, target[1], tuple(tag for tag in tags if tag))
    return None


def read_index(root: str) -> list[IndexLine] | None:
    """Return the index of the memory folder, building a missing one; None when there is no memory folder."""
    if not os.path.isdir(root):
        return None
    path = os.path.join(root, CATEGORY_INDEX)
    if not os.path.exists(path):
        _rebuild(root)
    raw = _read(path, MAX_INDEX_BYTES)
    if raw is None:
        return list(record_entries(root))
    entries = (parse_line(line) for line in raw.decode("utf-8", "replace").split("\n"))
    return [entry for entry in entries if entry]


def record_entries(root: str, statuses: tuple[str, ...] = ("active",)) -> Iterator[IndexLine]:
    """Yield what the index would say of the records with one of these statuses, in a stable order."""
    usual = os.path.realpath(root).endswith(os.path.join(os.sep, ".claude", "memory"))
    for category, folder in FOLDERS.items():
        try:
            names = sorted(os.listdir(os.path.join(root, folder)))
        except OSError:
            continue
        for name in names:
            path = os.path.join(CLAUDE_MEMORY if usual else root, folder, name)
            record = read_record(root, path) if name.endswith(".json") else None
            if record is None or record_status(record) not in statuses:
                continue
            title, tags = record.get("title"), record.get("tags")
            shown = tuple(tag for tag in tags if isinstance(tag, str)) if isinstance(tags, list) else ()
            if isinstance(title, str) and title.strip():
                yield IndexLine(category.upper(), title, path, shown, record_status(record))


def locate(root: str, path: str) -> str | None:
    """Return where an index path leads, or None when that is outside the memory folder.

    Index paths are written as the writer was given them: relative to the project, or absolute.
    """
    top = os.path.realpath(root)
    for base in (os.path.dirname(os.path.dirname(top)), os.getcwd()):
        try:
            place = os.path.realpath(os.path.join(base, path))
        except (OSError, ValueError):
            return None
        if place.startswith(top + os.sep):
            return place
    return None


def read_record(root: str, path: str) -> dict[str, Any] | None:
    """Return the record at an index path, or None when it is outside, gone or not a JSON object."""
    place = locate(root, path)
    raw = _read(place, MAX_RECORD_BYTES) if place else None
    try:
        record = json.loads(raw) if raw is not None else None
    except (ValueError, RecursionError):
        return None
    return record if isinstance(record, dict) else None


def record_status(record: dict[str, Any]) -> str:
    """Return the record's status; one without is active."""
    status = record.get("record_status")
    return status if isinstance(status, str) and status else "active"


def visible(text: str) -> str:
    """Return the text on one line, without control and invisible characters."""
    return clean(text).replace("\n", " ").replace("\t", " ")


def escaped(text: str, limit: int) -> str:
    """Return visible text, cut and then escaped, that cannot leave its element or attribute."""
    text = visible(text).strip()[:limit]
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")


def safe_title(title: str) -> str:
    """Return a title as it may appear in a prompt: no markers of the index format, no markup."""
    text = visible(title[:MAX_TITLE_CHARACTERS])
    # Repeated, because taking one marker out may put another together.
    while " -> " in text or "#tags:" in text:
        text = text.replace(" -> ", " - ").replace("#tags:", "")
    return escaped(text, SHOWN_TITLE_CHARACTERS)


def _read(path: str, limit: int) -> bytes | None:
    # Imported here because half of the hooks never read a file.
    from pathlib import Path

    from tenure.files.durable import read_bytes
    from tenure.model.errors import TenureError

    try:
        return read_bytes(Path(path), limit=limit)
    except (OSError, ValueError, TenureError):
        return None


def _rebuild(root: str) -> None:
    """Have the index command write a missing index; without it the records themselves are read."""
    import contextlib
    import io

    with contextlib.suppress(Exception):
        from tenure.systems.claude_memory.index_command import main as index_main

        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            index_main(["--rebuild", "--root", root])
