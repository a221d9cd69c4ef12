"""The lines of `index.md`: reading them, writing them, keeping one per memory.

    - [CATEGORY] title -> path #tags:a,b

Relative paths start at the project. Two paths are the same when they name the same file, however written.
Lines that are not entries belong to whoever wrote them and stay.
"""

from __future__ import annotations

import os.path
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from tenure.files import CATEGORY_INDEX_MARK
from tenure.files.json_values import as_texts
from tenure.systems.claude_memory import sanitize
from tenure.systems.claude_memory.records import Record
from tenure.systems.claude_memory.schema import MAX_TITLE

HEADER = f"# Memory Index\n\n{CATEGORY_INDEX_MARK}\n"
ENTRY = "- ["
ARROW = " -> "
TAGS = " #tags:"


class ParsedLine(NamedTuple):
    """One line of the index, taken apart."""

    category: str
    title: str
    path: str
    tags: tuple[str, ...]


def line(record: Record, path: str, *, category: str = "", stem: str = "") -> str:
    """Return the record's line; hostile titles and tags cannot reach beyond their place in it."""
    title = record.get("title")
    shown = sanitize.title(title[:MAX_TITLE]) if isinstance(title, str) else stem
    tags = [sanitize.listed_tag(tag[:MAX_TITLE]) for tag in as_texts(record.get("tags"))]
    text = f"{ENTRY}{display(record, category)}] {shown}{ARROW}{path}"
    kept = ",".join(tag for tag in tags if tag)
    return f"{text}{TAGS}{kept}" if kept else text


def display(record: Record, category: str = "") -> str:
    """Return the category as lines and reports show it."""
    name = record.get("category")
    name = name if isinstance(name, str) and name else category
    return sanitize.title(name[:MAX_TITLE]).replace("]", "").upper()


def parse(text: str) -> ParsedLine | None:
    """Return the entry a line holds, or nothing when it is not one."""
    text = text.strip()
    if not text.startswith(ENTRY) or ARROW not in text:
        return None
    # Paths and tags never hold an arrow, while a title written by hand may.
    head, _, tail = text.rpartition(ARROW)
    category, _, title = head[len(ENTRY) :].partition("]")
    path, _, tags = tail.partition(TAGS)
    return ParsedLine(category, title.strip(), path.strip(), tuple(tag for tag in tags.split(",") if tag))


def entries(text: str) -> list[ParsedLine]:
    """Return every entry of the index, in its order."""
    return [entry for entry in map(parse, text.split("\n")) if entry is not None]


def located(path: str, project: str) -> str:
    """Return the file a path in the index names."""
    return os.path.normpath(os.path.join(project, path))


def revised(text: str, wanted: Mapping[str, str | None], *, project: str) -> str:
    """Return the index with the wanted line for each file, or none for those it should not list.

    A line is replaced where it stands. A new one is sorted in with all others, upper and lower case alike.
    """
    missing = {path: new for path, new in wanted.items() if new is not None}
    lines: list[str] = []
    for old in text.split("\n"):
        entry = parse(old)
        place = located(entry.path, project) if entry else None
        if place is None or place not in wanted:
            lines.append(old)
        elif place in missing:
            lines.append(missing.pop(place))
    if missing:
        listed = sorted([*(old for old in lines if old.startswith(ENTRY)), *missing.values()], key=str.lower)
        lines = [*(old for old in lines if not old.startswith(ENTRY)), *listed]
    return text if lines == text.split("\n") else _joined(lines)


def rebuilt(lines: Iterable[tuple[str, str, str]]) -> str:
    """Return a whole index from (category, title, line), by category and then title."""
    ordered = sorted(lines, key=lambda row: (row[0], row[1].lower()))
    return _joined([HEADER, *(text for _, _, text in ordered)])


def _joined(lines: list[str]) -> str:
    rest = "\n".join(old for old in lines if not old.startswith(ENTRY)).rstrip("\n")
    listed = [old for old in lines if old.startswith(ENTRY)]
    text = (rest or HEADER.rstrip("\n")) + "\n"
    return text + "\n" + "\n".join(listed) + "\n" if listed else text
