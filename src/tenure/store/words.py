"""The full-text index: what is put in, and how any text at all becomes a query.

Query words are cut by the index's own tokenizer and quoted, so nothing a user types is ever query syntax. Words that
stand in a large share of the memories cost the most and say the least; they are left out where others remain.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

import apsw

# title, tags, text, content
COLUMN_WEIGHTS = (4.0, 3.0, 1.0, 0.7)
_RANK = f"bm25(search, {', '.join(map(str, COLUMN_WEIGHTS))})"
# A word in more than this share of the memories is common, once the store has so many.
COMMON_SHARE, COMMON_FROM = 0.01, 500
MAX_QUERY_WORDS = 24
# Enough for words that are all common to still find something.
_KEPT_COMMON = 3
_WORD = re.compile(r"\w+")

Indexed = tuple[str, str, str, str]


def insert(connection: apsw.Connection, rows: Iterable[tuple[int, Indexed]]) -> None:
    """Index memories under their row numbers."""
    connection.executemany(
        "INSERT INTO search (rowid, title, tags, text, content) VALUES (?, ?, ?, ?, ?)",
        ((n, *texts) for n, texts in rows),
    )


def delete(connection: apsw.Connection, numbers: Iterable[int]) -> None:
    """Take memories out of the index."""
    connection.executemany("DELETE FROM search WHERE rowid = ?", ((n,) for n in numbers))


def recreate(connection: apsw.Connection) -> None:
    """Make the index anew and empty, by its own definition; damage in the old one is no obstacle."""
    schema = dict(connection.execute("SELECT name, sql FROM sqlite_schema WHERE name IN ('search', 'search_words')"))
    for name in ("search_words", "search"):
        connection.execute(f"DROP TABLE {name}")
    for name in ("search", "search_words"):
        connection.execute(schema[name])
    connection.execute("INSERT INTO search (search, rank) VALUES ('secure-delete', 1)")
    connection.execute("DELETE FROM common_word")
    connection.execute("DELETE FROM meta WHERE key = 'words_counted_at'")


def query_words(connection: apsw.Connection, text: str, most: int = MAX_QUERY_WORDS) -> list[str]:
    """Return the telling words of a text, those that tell most first."""
    distinct = list(dict.fromkeys(word.lower() for word in _WORD.findall(text[:20_000])))
    if not distinct:
        return []
    stems = _stems(connection, distinct)
    common = (
        dict(
            connection.execute(
                f"SELECT word, memories FROM common_word WHERE word IN ({','.join('?' * len(stems))})",
                tuple(stems.values()),
            )
        )
        if len(stems) < 30_000
        else {}
    )
    telling = [word for word in distinct if stems.get(word) not in common]
    if not telling:
        telling = sorted(distinct, key=lambda word: common.get(stems.get(word, ""), 0))[:_KEPT_COMMON]
    # Longer words tell more; the order of equals is that of the text.
    return sorted(telling, key=lambda word: -min(len(word), 8))[:most]


def match(connection: apsw.Connection, words: list[str], limit: int) -> list[tuple[int, float]]:
    """Return (row number, score) of the memories that hold any of the words, best first; higher is better."""
    if not words:
        return []
    expression = " OR ".join(f'"{word}"' for word in words)
    rows = connection.execute(
        f"SELECT rowid, {_RANK} FROM search WHERE search MATCH ? ORDER BY 2 LIMIT ?", (expression, limit)
    )
    return [(n, -score) for n, score in rows]


def refresh_common(connection: apsw.Connection) -> None:
    """Count anew which words are common, when the store has doubled since the last count."""
    # The highest row number stands for the count, which would cost a scan on every commit.
    total = connection.execute("SELECT max(n) FROM memory").get or 0
    counted = connection.execute("SELECT value FROM meta WHERE key = 'words_counted_at'").get or 0
    if total < max(COMMON_FROM, 2 * counted):
        return
    connection.execute("DELETE FROM common_word")
    connection.execute(
        "INSERT INTO common_word SELECT term, doc FROM search_words WHERE doc > ?", (total * COMMON_SHARE,)
    )
    connection.execute("INSERT OR REPLACE INTO meta VALUES ('words_counted_at', ?)", (total,))


def _stems(connection: apsw.Connection, words: list[str]) -> dict[str, str]:
    tokenizer = connection.fts5_tokenizer("porter", ["unicode61", "remove_diacritics", "2"])
    flags = apsw.FTS5_TOKENIZE_QUERY
    stems = {}
    for word in words:
        tokens = tokenizer(word.encode(), flags, None, include_offsets=False, include_colocated=False)
        if tokens:
            stems[word] = str(next(iter(tokens)))
    return stems
