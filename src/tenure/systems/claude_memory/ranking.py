"""How well an index entry fits a text. Pure.

Two ways, as in the original: counting words (5.0, also how a candidate for an update is found) and BM25
over title, tags and optionally body (6.0). The BM25 here is computed directly instead of by SQLite's
full-text index, because that one gives a word no weight at all once half of the memories contain it, and in
a store of a few memories that is every word.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Collection, Iterable, Sequence
from typing import Any

from tenure.systems.claude_memory.words import (
    MIN_SEARCH_LETTERS,
    QUERY_RUNS,
    SEARCH_STOP_WORDS,
    TITLE_WORDS,
    WORDS,
)

MIN_PREFIX_LETTERS = 4

TITLE_POINTS, TAG_POINTS, PREFIX_POINTS = 2, 3, 1
MAX_DESCRIPTION_POINTS = 2
# Which category goes first among equals.
PRIORITY = ("DECISION", "CONSTRAINT", "PREFERENCE", "RUNBOOK", "TECH_DEBT", "SESSION_SUMMARY")

BM25_SATURATION, BM25_LENGTH = 1.2, 0.75
# The least a matching word weighs, however common. Where a word in the body adds one point, the same word in
# the title never counts for less; where all words are weighed alike, it only must not count for nothing.
LEAST_WEIGHT, LEAST_WEIGHT_ALIKE, RARITY_SHARE = 1.0, 0.01, 0.1
# Results under this share of the best are noise.
NOISE_SHARE = 0.25

BODY_FIELDS = {
    "session_summary": (
        "goal",
        "outcome",
        "completed",
        "in_progress",
        "blockers",
        "next_actions",
        "key_changes",
    ),
    "decision": ("context", "decision", "rationale", "consequences"),
    "runbook": ("trigger", "symptoms", "steps", "verification", "root_cause", "environment"),
    "constraint": ("rule", "impact", "workarounds"),
    "tech_debt": ("description", "reason_deferred", "impact", "suggested_fix", "acceptance_criteria"),
    "preference": ("topic", "value", "reason"),
}
BODY_CHARACTERS = 2000
# A prompt may be a pasted file; its beginning says what it is about.
MAX_QUERY_CHARACTERS = 20_000


def words(text: str) -> set[str]:
    """Return the words that carry meaning, lower-case, of at least three letters."""
    return set(TITLE_WORDS(text[:MAX_QUERY_CHARACTERS]))


def points(asked: Collection[str], title: str, tags: Iterable[str]) -> int:
    """Return the points of an entry: title words and tags that were asked for, and what begins alike."""
    title_words, labels = words(title), {tag.lower() for tag in tags}
    in_title = {word for word in title_words if word in asked}
    in_tags = {label for label in labels if label in asked}
    beginnings = _asked_prefixes(asked, title_words | labels) - in_title - in_tags
    return len(in_title) * TITLE_POINTS + len(in_tags) * TAG_POINTS + len(beginnings) * PREFIX_POINTS


def description_points(asked: Collection[str], description: str) -> int:
    """Return the points a category's description adds to an entry that matches by itself."""
    described = words(description)
    exact = {word for word in described if word in asked}
    beginnings = _asked_prefixes(asked, described) - exact
    return min(MAX_DESCRIPTION_POINTS, int(len(exact) + len(beginnings) / 2))


def priority(category: str) -> int:
    """Return the place of a category among entries of equal score."""
    return PRIORITY.index(category) if category in PRIORITY else len(PRIORITY)


def search_words(text: str) -> list[str]:
    """Return the words of a query in order, `snake_case`, `dotted.names` and `dashed-ones` kept whole."""
    found: dict[str, None] = {}
    for run in QUERY_RUNS(text[:MAX_QUERY_CHARACTERS]):
        word = run.strip("_.-")
        if len(word) >= MIN_SEARCH_LETTERS and word not in SEARCH_STOP_WORDS:
            found[word] = None
    return list(found)


def body_text(record: dict[str, Any]) -> str:
    """Return the searchable text of a record's content."""
    content, category = record.get("content"), record.get("category")
    fields = BODY_FIELDS.get(category, ()) if isinstance(category, str) else ()
    if not isinstance(content, dict):
        return ""
    return " ".join(text for field in fields for text in _texts(content.get(field)))[:BODY_CHARACTERS]


def bm25(query: Sequence[str], documents: Sequence[Sequence[str]], least: float = LEAST_WEIGHT) -> list[float]:
    """Return how well each document, the texts of its columns, fits the query; 0 for not at all."""
    columns = [[WORDS(text) for text in document] for document in documents]
    lengths = [sum(map(len, document)) for document in columns]
    average = sum(lengths) / len(lengths) if any(lengths) else 1.0
    vocabulary, postings = _postings(columns)
    scores = [0.0] * len(documents)
    for word in query:
        parts = WORDS(word)
        counts = _phrase_counts(parts, columns) if len(parts) > 1 else _prefix_counts(word, vocabulary, postings)
        weight = _weight(len(documents), len(counts), least)
        for number, count in counts.items():
            length = 1 - BM25_LENGTH + BM25_LENGTH * lengths[number] / average
            scores[number] += weight * count * (BM25_SATURATION + 1) / (count + BM25_SATURATION * length)
    return scores


def _weight(total: int, having: int, least: float) -> float:
    ratio = (total - having + 0.5) / (having + 0.5)
    return max(math.log(ratio), least * (1 + RARITY_SHARE * math.log1p(ratio)))


def _postings(columns: list[list[list[str]]]) -> tuple[list[str], dict[str, dict[int, int]]]:
    postings: dict[str, dict[int, int]] = {}
    for number, document in enumerate(columns):
        for column in document:
            for word in column:
                counts = postings.setdefault(word, {})
                counts[number] = counts.get(number, 0) + 1
    return sorted(postings), postings


def _prefix_counts(prefix: str, vocabulary: list[str], postings: dict[str, dict[int, int]]) -> dict[int, int]:
    counts: dict[int, int] = {}
    position = bisect_left(vocabulary, prefix)
    while position < len(vocabulary) and vocabulary[position].startswith(prefix):
        for number, count in postings[vocabulary[position]].items():
            counts[number] = counts.get(number, 0) + count
        position += 1
    return counts


def _phrase_counts(parts: list[str], columns: list[list[list[str]]]) -> dict[int, int]:
    counts: dict[int, int] = {}
    for number, document in enumerate(columns):
        for column in document:
            for start in range(len(column) - len(parts) + 1):
                if column[start] == parts[0] and column[start : start + len(parts)] == parts:
                    counts[number] = counts.get(number, 0) + 1
    return counts


def _asked_prefixes(asked: Collection[str], targets: Iterable[str]) -> set[str]:
    """Walking the beginnings of the few targets costs the same however long the prompt is."""
    return {
        target[:size]
        for target in targets
        for size in range(MIN_PREFIX_LETTERS, len(target) + 1)
        if target[:size] in asked
    }


def _texts(value: object) -> Iterable[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item)
    elif isinstance(value, dict):
        for item in value.values():
            yield from _texts(item)
