"""One thing with two limits: "Line length: 100 characters max" and "Keep lines under 80 characters".

What is limited must be the same but for words that only say that it is a limit, the unit must be the same, and the
two must not fit together: at least 3 and at most 5 do.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from tenure.rules.same_rule import stem
from tenure.text.words import words

_AMOUNT = re.compile(
    r"(?<![\w.$/-])(\d[\d,_]*(?:\.\d+)?)[ -]?(%|percent\b|characters?\b|chars?\b|columns?\b|spaces?\b|lines?\b|words?\b"
    r"|ms\b|milliseconds?\b|seconds?\b|minutes?\b|hours?\b|days?\b|files?\b|levels?\b|kb\b|mb\b|gb\b)",
    re.IGNORECASE,
)
# By their stems.
_ONE_UNIT = {"percent": "%", "char": "character", "column": "character", "millisecond": "ms"}
_SENTENCE_END = re.compile(r"[.!?;](?=\s|$)|\n")
_AT_MOST = re.compile(
    r"\b(?:under|below|within|up to|at most|most|max(?:imum)?|no more than|not? (?:longer|exceed|wider|over)|limit)\b",
    re.IGNORECASE,
)
_AT_LEAST = re.compile(r"\b(?:at least|least|min(?:imum)?|above|more than|enough|no less than)\b", re.IGNORECASE)
# Words with which a limit is given; they do not say what of.
_GIVING = frozenset(
    map(
        stem,
        "keep stay must should shall be is are use limit limits max maximum min minimum most least under below above"
        " within over more less than enough exceed length long longer width wide wider size short shorter every each"
        " all code source file files test tests total always never not no up to per require required requires target"
        " indentation indent level".split(),
    )
)
_REMEMBERED = 1024


class Limit(NamedTuple):
    """How much a sentence allows or asks for, in which unit and as it is written, and what of."""

    amount: float
    unit: str
    written: str
    at_most: bool
    at_least: bool
    of: frozenset[str]


@lru_cache(maxsize=_REMEMBERED)
def of(text: str) -> tuple[Limit, ...]:
    """Return the limits that the sentences of a text give."""
    if not _AMOUNT.search(text):
        return ()
    return tuple(filter(None, map(_limit, _SENTENCE_END.split(text))))


def differ(mine: Limit, theirs: Limit) -> str | None:
    """Return how two limits of one thing differ, None where they are not of one thing or fit together."""
    if mine.unit != theirs.unit or mine.amount == theirs.amount or mine.of != theirs.of:
        return None
    for low, high in ((mine, theirs), (theirs, mine)):
        if low.at_least and high.at_most and low.amount <= high.amount:
            return None
    return f"one says {mine.written}, the other {theirs.written}"


def _limit(sentence: str) -> Limit | None:
    """Return the one limit that a sentence gives; None where it gives none, or several."""
    found = _AMOUNT.findall(sentence)
    if len(found) != 1:
        return None
    amount, written = found[0]
    unit = stem(written.lower())
    left = _AMOUNT.sub(" ", sentence)
    of = frozenset([root for word in words(left) if (root := stem(word)) not in _GIVING and not word.isdigit()])
    if not of:
        return None
    return Limit(
        float(amount.replace(",", "").replace("_", "")),
        _ONE_UNIT.get(unit, unit),
        f"{amount}{'' if written == '%' else ' '}{written}",
        bool(_AT_MOST.search(left)),
        bool(_AT_LEAST.search(left)),
        of,
    )
