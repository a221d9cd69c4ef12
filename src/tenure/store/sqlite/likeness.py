"""Which memories may say what a text says: every write asks this before anything is decided.

The rules compare by the share of words two texts have in common, so that share is estimated here, from a few words of
the text and the lengths the full-text index keeps. Memories that could hardly reach any rule's threshold are left out
before their rows are read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

import apsw

from tenure.recall.query import ends
from tenure.store.sqlite.fulltext import cut
from tenure.text.words import words

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
# The columns of the index that are compared.
_TITLE, _TEXT = 0, 2
# Of so many that hold most of the words asked for the share is estimated; a large store has no end of others.
ESTIMATED = 100
_ONE_WORD = "SELECT rowid FROM search WHERE search MATCH ?"
_HELD = (
    "SELECT n, held, sz FROM (SELECT rowid AS n, count(*) AS held FROM ({}) GROUP BY 1 ORDER BY 2 DESC, 1 DESC LIMIT ?)"
    " JOIN search_docsize ON search_docsize.id = n"
)


def similar(connection: apsw.Connection, text: str, most: int, limit: int) -> list[int]:
    """Return the row numbers of the memories most like a text, best first, found by its longest words."""

    def common(stems: Sequence[str]) -> dict[str, int]:
        marks = ",".join("?" * len(stems))
        asked = f"SELECT word, memories FROM common_word WHERE word IN ({marks})"
        return dict(connection.execute(asked, tuple(stems)))

    telling, words_asked = words_to_look_up(connection, text, most, common)
    if not words_asked:
        return []
    statement = _HELD.format(" UNION ALL ".join([_ONE_WORD] * len(words_asked)))
    found = connection.execute(statement, [*(f'"{word}"' for word in words_asked.values()), ESTIMATED])
    return ranked(telling, len(words_asked), [(n, held, _length(size)) for n, held, size in found], limit)


def words_to_look_up(
    tokenizer: apsw.Connection, text: str, most: int, common: Callable[[Sequence[str]], Mapping[str, int]]
) -> tuple[int, dict[str, str]]:
    """Return how many telling words a text has, and those to look up, by stem: the longest that are not common.

    `common` returns those of the stems that are common, each with the number of memories that hold it.
    """
    telling = list(dict.fromkeys(words(ends(text))))
    longest = sorted(telling, key=len, reverse=True)[: 2 * most]
    data = " ".join(longest).encode("utf-8", "replace")
    stems = {stem: data[start:end].decode("utf-8", "replace") for start, end, stem in cut(tokenizer, data)}
    known = common(list(stems))
    rare = [stem for stem in stems if stem not in known][:most]
    chosen = rare or sorted(stems, key=lambda stem: known[stem])[:_KEPT_COMMON]
    return len(telling), {stem: stems[stem] for stem in chosen}


def ranked(telling: int, asked_for: int, found: Iterable[tuple[int, int, int]], limit: int) -> list[int]:
    """Return the numbers of (number, words held, words in title and text), those most like the text first."""
    likely = []
    each = telling / asked_for
    for n, held, words_in_all in found:
        length = words_in_all * _TELLING_SHARE or 1
        shorter = telling if telling < length else length
        common = held * each
        if common < LEAST_SHARE * shorter:
            continue
        if common > shorter:
            common = shorter
        likely.append((-common / shorter - _WEIGHT_OF_BOTH * common / (telling + length - common), n))
    return [n for _, n in sorted(likely)[:limit]]


def _length(size: bytes) -> int:
    """Return how many words of title and text the index holds of a memory."""
    if size.isascii():
        return size[_TITLE] + size[_TEXT]  # each number is one byte
    lengths = list(_numbers(size))
    return lengths[_TITLE] + lengths[_TEXT]


def _numbers(packed: bytes) -> Iterator[int]:
    """Return the numbers that SQLite packed, seven bits to a byte, highest bits first."""
    number = 0
    for byte in packed:
        number = number << 7 | byte & 0x7F
        if byte < 0x80:
            yield number
            number = 0
