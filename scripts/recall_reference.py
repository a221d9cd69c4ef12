"""What others do, measured in the same run: plain FTS5, with phrases, vectors alone, and two ways of joining them."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import apsw
from recall_workload import Learned, Prompt

from tenure.store.sqlite.fulltext import cut
from tenure.text.names import names
from tenure.text.words import STOP_WORDS

Answer = Callable[[str], Sequence[str]]
MOST = 50


def fts5(store: Sequence[Learned], *, phrases: bool = False) -> Callable[[str, int], list[tuple[int, float]]]:
    """Return a function from a text and a count to (position, BM25): every word OR-ed, as most tools do it."""
    connection = apsw.Connection(":memory:")
    connection.execute("CREATE VIRTUAL TABLE search USING fts5 (text, tokenize='porter unicode61')")
    with connection:
        connection.executemany("INSERT INTO search VALUES (?)", ((item.text,) for item in store))

    def ask(text: str, most: int) -> list[tuple[int, float]]:
        wanted = list(dict.fromkeys(_words(text)))
        if phrases:
            names = (_words(run) for run in text.split())
            wanted += [" ".join(parts) for parts in names if len(parts) > 1]
        if not wanted:
            return []
        expression = " OR ".join(f'"{word}"' for word in wanted)
        rows = connection.execute(
            "SELECT rowid, -rank FROM search WHERE search MATCH ? ORDER BY rank LIMIT ?", (expression, most)
        )
        return [(n - 1, score) for n, score in rows]

    return ask


def by_words(store: Sequence[Learned], ask: Callable[[str, int], list[tuple[int, float]]]) -> Answer:
    """Return the reference that goes by words."""
    return lambda text: [store[place].id for place, _ in ask(text, 10)]


def by_meaning(
    store: Sequence[Learned], cosines: Callable[[str], Any], words: Callable[[str, int], list[tuple[int, float]]]
) -> dict[str, Answer]:
    """Return vectors alone, reciprocal rank fusion with words, and the tuned sum of cosine and BM25."""
    import numpy

    def first(scores: Any) -> list[str]:
        return [store[int(place)].id for place in numpy.argsort(-scores, kind="stable")[:10]]

    def fused(text: str) -> list[str]:
        scores = numpy.zeros(len(store), dtype=numpy.float32)
        near = numpy.argsort(-cosines(text), kind="stable")[:MOST]
        for found in ([int(place) for place in near], [place for place, _ in words(text, MOST)]):
            for rank, place in enumerate(found, start=1):
                scores[place] += 1 / (60 + rank)
        return first(scores)

    def summed(text: str) -> list[str]:
        scores = cosines(text).copy()
        found = words(text, 200)
        for place, score in found:
            scores[place] += 0.1 * score / found[0][1]
        return first(scores)

    return {"vectors alone": lambda text: first(cosines(text)), "rank fusion": fused, "cosine + bm25": summed}


def ceiling(store: Sequence[Learned], prompts: Sequence[Prompt]) -> dict[str, list[float]]:
    """Return for each sort of prompts the chance that its answer is among five by words, for one who knows the answer.

    Memories that hold the same words and names of a prompt cannot be told apart by them; five of those that are like
    an answer are drawn at random. Nothing that goes only by which words stand where can do better.
    """
    connection = apsw.Connection(":memory:")
    holders: dict[str, set[int]] = {}
    for place, item in enumerate(store):
        for word in _telling(connection, item.text):
            holders.setdefault(word, set()).add(place)
    ids = {item.id: place for place, item in enumerate(store)}
    found: dict[str, list[float]] = {}
    for prompt in prompts:
        held: dict[int, list[str]] = {}
        for word in sorted(_telling(connection, prompt.text)):
            for place in holders.get(word, ()):
                held.setdefault(place, []).append(word)
        alike = Counter(map(tuple, held.values()))
        right = Counter(tuple(held[ids[id]]) for id in prompt.answers if ids[id] in held)
        best = max((1 - _misses(alike[words], count) for words, count in right.items()), default=0.0)
        found.setdefault(prompt.sort, []).append(best)
    return found


def _misses(all: int, right: int, drawn: int = 5) -> float:
    """Return the chance that none of so many drawn is right."""
    return math.comb(all - right, drawn) / math.comb(all, drawn) if all >= drawn else float(right == 0)


def _telling(connection: apsw.Connection, text: str) -> set[str]:
    data = text.encode()
    words = {stem for start, end, stem in cut(connection, data) if data[start:end].decode().lower() not in STOP_WORDS}
    return words | set(names(text))


def _words(text: str) -> list[str]:
    return re.findall(r"[^\W_]+", text)
