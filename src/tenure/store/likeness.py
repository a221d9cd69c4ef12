"""Which memories may say what a text says: every write asks this before anything is decided.

The rules compare by the share of words two texts have in common, so that share is estimated here, from a few words of
the text and the lengths the full-text index keeps. Memories that could hardly reach any rule's threshold are left out
before their rows are read.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import log

import apsw

from tenure.store.words import cut, ends
from tenure.text import words

# Below this estimated share of the shorter text no rule finds two texts alike (they ask for half of it or more).
# With eight words asked for, two texts that share half of their words fall below it once in thirty times, and those
# that share two thirds once in four hundred.
LEAST_SHARE = 0.2
# One rule asks how much of the shorter text is shared, others how much of both: this weighs the second measure, so
# that a long memory which happens to hold the few words of a short text does not hide one of its own length.
_WEIGHT_OF_BOTH = 2
# The index counts the words of title and text with repetitions and stop words; about half of them tell.
_TELLING_SHARE = 0.5
# Where all words of a text are common, the least common ones still find something.
_KEPT_COMMON = 3
# The columns of the index that are compared: title and text.
_COMPARED = (0, 2)
# Of so many that hold most of the words asked for the share is estimated; a large store has no end of others.
_ESTIMATED = 100
_ONE_WORD = "SELECT rowid AS n, {} AS word FROM search WHERE search MATCH ?"
_HELD = (
    "SELECT n, held, sz FROM (SELECT n, sum(1 << word) AS held FROM ({}) GROUP BY n ORDER BY count(*) DESC, n DESC"
    " LIMIT ?) JOIN search_docsize ON search_docsize.id = n"
)


def similar(connection: apsw.Connection, text: str, most: int, limit: int) -> list[int]:
    """Return the row numbers of the memories most like a text, best first, found by its longest words."""
    telling = list(dict.fromkeys(words(ends(text))))
    asked = _asked(connection, sorted(telling, key=len, reverse=True)[: 2 * most], most)
    if not asked:
        return []
    statement = _HELD.format(" UNION ALL ".join(_ONE_WORD.format(place) for place in range(len(asked))))
    found = [
        (n, [place for place in range(len(asked)) if held >> place & 1], size)
        for n, held, size in connection.execute(statement, [*(f'"{word}"' for word in asked), _ESTIMATED])
    ]
    tells = _tells(connection, [sum(place in held for _, held, _ in found) for place in range(len(asked))])
    ranked = []
    for n, held, size in found:
        length = _length(size) * _TELLING_SHARE or 1
        shorter = min(len(telling), length)
        if len(held) / len(asked) * len(telling) < LEAST_SHARE * shorter:
            continue
        # Rare words in common say more than frequent ones.
        common = min(shorter, sum(tells[place] for place in held) * len(telling))
        both = len(telling) + length - common
        ranked.append((-common / shorter - _WEIGHT_OF_BOTH * common / both, n))
    return [n for _, n in sorted(ranked)[:limit]]


def _asked(connection: apsw.Connection, longest: Sequence[str], most: int) -> list[str]:
    """Return the words to look up: the longest ones that are not common, as the index cuts them."""
    data = " ".join(longest).encode("utf-8", "replace")
    stems = {stem: data[start:end].decode("utf-8", "replace") for start, end, stem in cut(connection, data)}
    marks = ",".join("?" * len(stems))
    common = dict(connection.execute(f"SELECT word, memories FROM common_word WHERE word IN ({marks})", tuple(stems)))
    asked = [word for stem, word in stems.items() if stem not in common][:most]
    return asked or [stems[stem] for stem in sorted(stems, key=lambda stem: common[stem])[:_KEPT_COMMON]]


def _tells(connection: apsw.Connection, counts: Sequence[int]) -> list[float]:
    """Return what part of all that the words asked for tell each of them tells, the rarer the more."""
    total = connection.execute("SELECT max(n) FROM memory").get or 1
    tells = [log(1 + total / count) if count else 0.0 for count in counts]
    together = sum(tells) or 1.0
    return [each / together for each in tells]


def _length(size: bytes) -> int:
    """Return how many words of title and text the index holds of a memory."""
    lengths = list(_numbers(size))
    return sum(lengths[column] for column in _COMPARED if column < len(lengths))


def _numbers(packed: bytes) -> Iterator[int]:
    """Return the numbers that SQLite packed, seven bits to a byte, highest bits first."""
    number = 0
    for byte in packed:
        number = number << 7 | byte & 0x7F
        if byte < 0x80:
            yield number
            number = 0
