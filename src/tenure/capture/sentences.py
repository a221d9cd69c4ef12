"""What was said in a session, sentence by sentence: prose only, with who said it and where.

Code, quotes, tables and headings are left out; they are material, not statements.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from tenure.capture.transcripts import Turn

SHORTEST, LONGEST = 12, 400
# A longer message is a pasted document, not somebody speaking.
MAX_MESSAGE_CHARACTERS = 6000

_MARKER = re.compile(r"(?:[-*+•]|\d{1,3}[.)])\s+")
_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z0-9\"'`(\[*])")
_NOT_PROSE = ("|", ">", "#", "\t", "    ", "$ ", "+ ", "- [", "<")


class Sentence(NamedTuple):
    """One sentence, its speaker, and the number of the message it stands in."""

    text: str
    role: str
    turn: int
    pasted: bool = False


def sentences(turns: Iterable[Turn]) -> list[Sentence]:
    """Return everything said as prose, in order."""
    return [sentence for number, turn in enumerate(turns) if turn.text for sentence in _of(turn, number)]


def _of(turn: Turn, number: int) -> Iterator[Sentence]:
    pasted = len(turn.text) > MAX_MESSAGE_CHARACTERS
    for paragraph in _paragraphs(turn.text):
        for text in _END.split(paragraph):
            text = text.replace("**", "").strip()
            if SHORTEST <= len(text) <= LONGEST:
                yield Sentence(text, turn.role, number, pasted)


def _paragraphs(text: str) -> Iterator[str]:
    """Yield list items and paragraphs, lines that were merely wrapped joined again."""
    current: list[str] = []
    for line in _without_blocks(text).split("\n"):
        item = _MARKER.match(line.strip())
        prose = line.strip() and not line.startswith(_NOT_PROSE)
        if (item or not prose) and current:
            yield " ".join(current)
            current = []
        if item:
            current = [line.strip()[item.end() :]]
        elif prose:
            current.append(line.strip())
    if current:
        yield " ".join(current)


def _without_blocks(text: str) -> str:
    """Return the text without fenced code; an unclosed block reaches to the end."""
    return "\n".join(text.split("```")[::2])
