"""The codec of ArcheFlow's JSON-lines files: bytes <-> lines <-> records.

A line that is not touched keeps its bytes, whatever they are. A line that cannot be read has a `problem`,
no record, and stays where it is when the file is rewritten.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from typing import Any, NamedTuple

from tenure.files import strict_json
from tenure.model.errors import InvalidInput

# A lesson is its JSON object: fields we do not know and the order of keys are part of it.
Lesson = dict[str, Any]

MAX_LINE_BYTES = 4 * 1024 * 1024
# The script falls back to zero for numbers of more than 18 digits.
MAX_COUNT = 10**18


class LessonLine(NamedTuple):
    """One line of a file: its number from 1, its bytes with their newline, and the record in it."""

    number: int
    raw: bytes
    record: Lesson | None
    problem: str = ""

    @property
    def is_blank(self) -> bool:
        return self.record is None and not self.problem


def decode(data: bytes) -> list[LessonLine]:
    """Return the file's lines; `joined` gives the same bytes back."""
    *whole, rest = data.split(b"\n")
    pieces = [piece + b"\n" for piece in whole] + ([rest] if rest else [])
    return [_line(number, raw) for number, raw in enumerate(pieces, 1)]


def joined(pieces: Iterable[bytes]) -> bytes:
    """Return the pieces one after another, each on a line of its own."""
    parts: list[bytes] = []
    for piece in pieces:
        if parts and parts[-1] and not parts[-1].endswith(b"\n"):
            parts.append(b"\n")
        parts.append(piece)
    return b"".join(parts)


def compact(record: Lesson) -> bytes:
    """Return the record as the line the script would write: no spaces, keys in their order."""
    text = json.dumps(record, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    # What UTF-8 cannot hold, a lone surrogate, comes out as the JSON escape it came in as.
    return text.replace("\x7f", "\\u007f").encode("utf-8", "backslashreplace") + b"\n"


def records(lines: Iterable[LessonLine]) -> list[Lesson]:
    """Return the records of the lines that have one."""
    return [line.record for line in lines if line.record is not None]


def changed(line: LessonLine, record: Lesson) -> LessonLine:
    """Return the line with another record; the same record keeps its bytes."""
    return line if record is line.record else line._replace(raw=compact(record), record=record)


def problems(lines: Iterable[LessonLine]) -> list[LessonLine]:
    """Return the lines that could not be read."""
    return [line for line in lines if line.problem]


def text(value: object) -> str:
    """Return a field as the script prints it: text as it is, other JSON compactly, `null` when missing."""
    if not isinstance(value, str):
        value = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return value.rstrip("\n")


def count(value: object) -> int:
    """Return a counter field rounded down; text that is a number counts, anything else is 0."""
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) <= 9:
        return int(value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return 0
    whole = math.floor(value)
    return whole if abs(whole) < MAX_COUNT else 0


def description(lesson: Lesson) -> str:
    """Return the lesson's text, empty when it has none."""
    value = lesson.get("description")
    return value if isinstance(value, str) else ""


def frequency(lesson: Lesson) -> int:
    """Return how many times the lesson was triggered."""
    return count(lesson.get("frequency"))


def _line(number: int, raw: bytes) -> LessonLine:
    if not raw.strip():
        return LessonLine(number, raw, None)
    if len(raw) > MAX_LINE_BYTES:
        return LessonLine(number, raw, None, f"{len(raw):,} bytes, at most {MAX_LINE_BYTES:,} are read")
    try:
        value = strict_json.decode(raw, max_bytes=len(raw), half_characters=True)
    except InvalidInput as error:
        utf_8 = error.message.startswith("Not UTF-8")
        return LessonLine(number, raw, None, "not UTF-8" if utf_8 else f"not valid JSON: {error.message}")
    if not isinstance(value, dict):
        return LessonLine(number, raw, None, "not a JSON object")
    return LessonLine(number, raw, value)
