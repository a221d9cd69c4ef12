"""Keywords and how much two texts share.

Overlap is a share of the first text's words: a short finding matches a long lesson, not the reverse. Words
are ASCII letters and digits, as in the script; no stop words, no stemming.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Set
from itertools import chain

from tenure.text.words import Cutter

# Lower-case A to Z only: Python's own lower() would turn a Kelvin sign into a keyword's letter.
_LOWER = {upper: upper + 32 for upper in range(ord("A"), ord("Z") + 1)}
# The text's words as the script cuts them, in their order.
words = Cutter("[a-z0-9]+", fold=lambda text: text.translate(_LOWER))


def keywords(text: str, least_chars: int) -> frozenset[str]:
    """Return the text's different words of at least `least_chars` characters."""
    return frozenset(word for word in words(text) if len(word) >= least_chars)


def tags(text: str, least_chars: int, limit: int) -> list[str]:
    """Return the first words long enough to be tags; a repeated word is kept, as the script does."""
    return [word for word in words(text) if len(word) >= least_chars][:limit]


def overlap(first: Set[str], second: Set[str]) -> int:
    """Return 0-100: the share of the first text's keywords that the second has, rounded down."""
    return 100 * len(first & second) // len(first) if first else 0


class Index:
    """Which texts have which keyword, so that one look-up replaces a walk through all of them."""

    def __init__(self) -> None:
        self._positions: dict[str, list[int]] = {}

    def add(self, position: int, keywords: Iterable[str]) -> None:
        """Enter a text; positions are given in rising order."""
        for word in keywords:
            self._positions.setdefault(word, []).append(position)

    def first(self, keywords: Set[str], percent: int) -> int | None:
        """Return the lowest position that shares at least `percent` of these keywords, if there is one."""
        found = (self._positions[word] for word in keywords if word in self._positions)
        shared = Counter(chain.from_iterable(found))
        least = percent * len(keywords)
        return min((position for position, number in shared.items() if 100 * number >= least), default=None)
