"""A text as a query, and what of it a memory holds: what the index hands to the ranking.

The prompt hook uses these, so they are plain classes.
"""

from __future__ import annotations

# The columns of the full-text index, in its order.
FIELDS = ("title", "tags", "text", "content", "names", "related")
NAMES = FIELDS.index("names")


class Term:
    """A word of a query: as asked, as indexed, in how many memories it stands and how much it tells."""

    __slots__ = ("field", "memories", "prefix", "stem", "tells", "word")

    def __init__(self, word: str, stem: str, field: str = "") -> None:
        self.word, self.stem, self.field = word, stem, field
        self.memories = 0
        self.tells = 0.0
        self.prefix = False

    def expression(self) -> str:
        """Return the term in the index's query syntax."""
        where = f"{self.field} : " if self.field else ""
        return f'{where}"{self.word}"{"*" if self.prefix else ""}'


class Asked:
    """A text as a query: the terms looked up, those left out, and how much all of its words would tell."""

    __slots__ = ("asked", "averages", "found", "left_out", "terms", "told", "total", "unknown")

    def __init__(self, total: int) -> None:
        # How many memories the store has.
        self.total = total
        self.terms: list[Term] = []
        self.left_out: list[Term] = []
        # What the words would tell that no memory has.
        self.unknown = 0.0
        # What the terms tell that were looked up, and with them those that were too frequent.
        self.asked = self.told = 0.0
        # The average length of each field, filled in by the index.
        self.averages: list[float] = []
        # Row number -> what matched, filled in by the index while it answers.
        self.found: dict[int, Match] = {}

    def told_by(self, number: int) -> float:
        """Return how much of the query the memory of a row number holds; names count again."""
        match = self.found[number]
        also = sum([self.left_out[place].tells for place in match.also])
        return sum([self.terms[place].tells for place in match.hit]) + also + match.fields[NAMES]


class Match:
    """What of a query one memory holds: a BM25 sum for each field, and which terms were found."""

    __slots__ = ("also", "fields", "hit")

    def __init__(self, fields: list[float], hit: list[int]) -> None:
        # Positions among the query's terms, and among those it left out.
        self.fields, self.hit = fields, hit
        self.also: list[int] = []
