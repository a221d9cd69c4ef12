"""The words of memories as postings: which memory holds which stem, how often and where.

Words are cut by the tokenizer of the SQLite store, so both stores find the same words. A B-tree over project, stem and
memory serves queries under row-level security, where the database's own full-text search would read every row.
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

import apsw

from tenure.recall.query import FIELDS, NAMES, ParsedQuery, Term
from tenure.store.sqlite import fulltext

# What one occurrence in each field weighs when candidates are chosen; `fulltext` gives FTS5 the same.
WEIGHTS = fulltext.WEIGHTS
# The field stands above the place in a field.
_FIELD_BITS = 24


class Posting(NamedTuple):
    """A stem of a memory."""

    freq: float
    names: int
    places: bytes


@cache
def tokenizer() -> apsw.Connection:
    """Return what words are cut with: a connection to nothing, which knows the tokenizer."""
    return apsw.Connection(":memory:")


def cut(texts: Sequence[str | None]) -> tuple[list[int], dict[str, Posting]]:
    """Return how many words each field has, and the stems in them."""
    sizes: list[int] = []
    held: dict[str, array[int]] = {}
    for field, text in enumerate(texts):
        words = fulltext.cut(tokenizer(), text.encode("utf-8", "replace")) if text else []
        sizes.append(len(words))
        for place, (_, _, stem) in enumerate(words):
            held.setdefault(stem, array("I")).append(field << _FIELD_BITS | place)
    sizes += [0] * (len(FIELDS) - len(sizes))
    return sizes, {stem: _posting(places) for stem, places in held.items() if "\0" not in stem}


def _posting(places: array[int]) -> Posting:
    freq, names = 0.0, 0
    for place in places:
        field = place >> _FIELD_BITS
        freq += WEIGHTS[field]
        names += field == NAMES
    return Posting(freq, names, places.tobytes())


class Held:
    """What a candidate holds of a query, in the words in which FTS5 tells it to `fulltext.note_match`."""

    def __init__(
        self,
        number: int,
        sizes: Sequence[int],
        rows: int,
        totals: Sequence[int],
        terms: Sequence[Term],
        places: Mapping[int, Sequence[bytes]],
    ) -> None:
        self.rowid, self.row_count = number, rows
        self._sizes, self._totals = sizes, totals
        self._found = [_by_field(term, places.get(at, ())) for at, term in enumerate(terms)]

    def column_total_size(self, column: int) -> int:
        """Return how many words this field of all memories has."""
        return self._totals[column]

    def column_size(self, column: int) -> int:
        """Return how many words this field of the memory has."""
        return self._sizes[column]

    def phrase_columns(self, term: int) -> tuple[int, ...]:
        """Return the fields a term stands in."""
        return tuple(self._found[term])

    def phrase_column_offsets(self, term: int, column: int) -> list[int]:
        """Return where it stands in one of them."""
        return self._found[term][column]


def _by_field(term: Term, packed: Sequence[bytes]) -> dict[int, list[int]]:
    found: dict[int, list[int]] = {}
    for one in packed:
        for place in array("I", one):
            field = place >> _FIELD_BITS
            if not term.field or field == NAMES:
                found.setdefault(field, []).append(place & (1 << _FIELD_BITS) - 1)
    return {field: sorted(found[field]) for field in sorted(found)}


def stop(term: Term) -> str | None:
    """Return what comes after everything that begins like a term, None for one that is looked up whole."""
    return term.stem + "\U0010ffff" if term.prefix else None


def terms_for_sql(query: ParsedQuery) -> dict[str, list[Any]]:
    """Return the terms of a query as `queries.CANDIDATES` takes them."""
    phrases = query.phrases
    return {
        "places": list(range(len(phrases))),
        "stems": [term.stem for term in phrases],
        "ends": [stop(term) for term in phrases],
        "named": [bool(term.field) for term in phrases],
    }
