"""Lessons as people and agents see them: the Markdown block, the table, messages.

A lesson's text comes from agents and repositories, so it stays inside its own line, cannot imitate the
`[seen …]` mark behind it, and brings no invisible characters or terminal sequences. Ordinary text is shown
exactly.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from tenure.systems.archeflow.lessons import Lesson, description, frequency, text

HEADER = "## Known Issues (from past runs)"
TABLE = "{:<8} {:<5} {:<15} {:<8} {}"
COLUMNS = ("ID", "Freq", "Type", "Domain", "Description")

_BREAKS = re.compile("[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]+")
# Colours and cursor moves, then titles: ESC or its one-byte form, up to the end of the sequence.
_TERMINAL = re.compile("(?:\x1b\\[|\x9b)[0-?]{0,32}[ -/]{0,8}[@-~]|\x1b\\][^\x07\x1b\n]{0,512}(?:\x07|\x1b\\\\)?")
# Controls, direction marks, zero-width and filler characters, tags, halves of surrogate pairs, code points
# that are no characters. The joiners that emoji and Persian or Indic words need are not among them, and the
# tags that make a flag are kept by the group in front.
_INVISIBLE = re.compile(
    "(\U0001f3f4[\U000e0030-\U000e0039\U000e0061-\U000e007a]{1,6}\U000e007f)|"
    "[\x00-\x08\x0e-\x1b\x1f\x7f-\x84\x86-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b\u200e\u200f"
    "\u202a-\u202e\u2060-\u206f\u2800\u3164\ufdd0-\ufdef\ufeff\uffa0\ufff0-\ufffb\U000e0000-\U000e0fff\ud800-\udfff"
    + "".join(chr(plane * 0x10000 + 0xFFFE) + chr(plane * 0x10000 + 0xFFFF) for plane in range(17))
    + "]"
)
_IMITATED_MARK = re.compile(r"\[(\s*seen\b[^\[\]]*)(\]?)", re.IGNORECASE)
# The marks of our own blocks, and what Markdown takes for a heading inside a list.
_OUR_MARK = re.compile(r"<(?=/?(?:memory-|tenure|system-reminder))", re.IGNORECASE)
_HEADING = re.compile(r"^(\s*)(#{1,6}(?:\s|$))")
_PARENTHESES = str.maketrans("[]", "()")
_ESCAPES = str.maketrans({"\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"})


def visible(words: str) -> str:
    """Return the text without terminal sequences and invisible characters, its lines kept."""
    return _INVISIBLE.sub(r"\1", _TERMINAL.sub("", words))


def one_line(words: str) -> str:
    """Return the text as part of a line that it cannot end."""
    return visible(_BREAKS.sub(" ", words))


def issue(lesson: Lesson) -> str:
    """Return the lesson's line in the block."""
    said = _IMITATED_MARK.sub(_disarmed, one_line(description(lesson)))
    said = _HEADING.sub(r"\1\\\2", _OUR_MARK.sub("&lt;", said))
    source = one_line(text(lesson.get("source"))).translate(_PARENTHESES)
    return f"- {said} [seen {frequency(lesson)}x, {source}]"


def block(lessons: Iterable[Lesson]) -> str:
    """Return the section for an agent's prompt, nothing at all when there are no lessons."""
    lines = [issue(lesson) for lesson in lessons]
    return "\n".join([HEADER, *lines, ""]) if lines else ""


def table(lessons: Iterable[Lesson]) -> str:
    """Return the list for people, line breaks in a text shown as escapes."""
    fields = ("id", "frequency", "type", "domain", "description")
    rows = (tuple(_cell(lesson.get(field)) for field in fields) for lesson in lessons)
    return "".join(TABLE.format(*row) + "\n" for row in (COLUMNS, *rows))


def _cell(value: object) -> str:
    shown = "" if value is None else text(value)
    return one_line(shown.translate(_ESCAPES))


def _disarmed(found: re.Match[str]) -> str:
    return f"({found[1]}{')' if found[2] else ''}"
