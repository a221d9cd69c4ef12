"""Stored text as text in Markdown (S12): no element, link or image of its own, and the same text when it is read again.

A backslash goes before what would begin an HTML element or comment, a link's address or its definition. Formatting,
such as a list or a word in bold, stays. Nothing can begin inside code, so what stands in it is left as it is; where a
backtick has no partner on its line, or one is escaped, nobody knows what is code, and all of it gets the backslash.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable

# Behind a closing bracket an address or a definition begins, behind `<` an element, a comment or an address.
_ACTIVE = re.compile(r"(?<=\])\\*(?=[(:])|(?<!\\)\\*(?=<[A-Za-z/!?])")
_TICKS = re.compile(r"`+")


def inert(text: str) -> str:
    """Return a text that a Markdown viewer shows without making an element or a link of it."""
    return _outside_code(text, lambda plain: _ACTIVE.sub(lambda found: "\\" * (2 * len(found[0]) + 1), plain))


def read(text: str) -> str:
    """Return what was made inert."""
    return _outside_code(text, lambda plain: _ACTIVE.sub(lambda found: "\\" * (len(found[0]) // 2), plain))


def _outside_code(text: str, change: Callable[[str], str]) -> str:
    pieces, position = [], 0
    for start, end in _code(text):
        pieces += [change(text[position:start]), text[start:end]]
        position = end
    return "".join([*pieces, change(text[position:])])


def _code(text: str) -> list[tuple[int, int]]:
    """Return where code is in a text; nothing where that is not certain."""
    if "`" not in text or "\\`" in text:
        return []
    spans, at = [], 0
    for line in text.splitlines(keepends=True):
        found = _pairs(line)
        if found is None:
            return []
        spans += [(at + start, at + end) for start, end in found]
        at += len(line)
    return spans


def _pairs(line: str) -> list[tuple[int, int]] | None:
    """Return each run of backticks with the next one of its length; None when one has no partner."""
    runs = [match.span() for match in _TICKS.finditer(line)]
    places: dict[int, list[int]] = {}
    for number, (start, end) in enumerate(runs):
        places.setdefault(end - start, []).append(number)
    spans, number = [], 0
    while number < len(runs):
        start, end = runs[number]
        same = places[end - start]
        partner = bisect_right(same, number)
        if partner == len(same):
            return None
        spans.append((start, runs[same[partner]][1]))
        number = same[partner] + 1
    return spans
