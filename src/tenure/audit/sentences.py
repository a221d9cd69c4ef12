"""The sentences of one line, and how each means what it names: as a fact, an example, or something gone."""

from __future__ import annotations

import re
from bisect import bisect_right

import msgspec

from tenure.audit import words

_END = re.compile(r"(?<!e\.g)(?<!i\.e)[.;!?](?=\s|$)")
_GONE = re.compile(rf"\b(?:{words.GONE_WORDS})\b", re.I)
_HEDGED = re.compile(rf"(?<!\w)(?:{words.HEDGE_WORDS})(?!\w)", re.I)
# Names say nothing about the sentence they stand in: `never.py`, docs/old/example.md.
_NAME = re.compile(r"`[^`\n]{0,300}`|\S{0,200}[/_]\S{0,200}")


class Mood(msgspec.Struct, frozen=True):
    """Whether a sentence says its things are gone or planned, or are examples."""

    gone: bool
    hedged: bool


class Sentences:
    """The sentences of a line; each is read once, however many claims it makes."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._ends = [match.end() for match in _END.finditer(text)]
        self._moods: dict[int, Mood] = {}

    def mood(self, at: int) -> Mood:
        """Return the mood of the sentence that holds the character `at`."""
        number = bisect_right(self._ends, at)
        if number not in self._moods:
            start = self._ends[number - 1] if number else 0
            end = self._ends[number] if number < len(self._ends) else len(self._text)
            said = _NAME.sub("it", self._text[start:end])
            self._moods[number] = Mood(bool(_GONE.search(said)), bool(_HEDGED.search(said)))
        return self._moods[number]
