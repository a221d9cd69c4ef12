"""Ordering what the words found: how well it matches, then how far it has earned its place.

A memory that was superseded never stands above its successor.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePosixPath

import msgspec

from tenure.kinds import content_words
from tenure.memory import Memory
from tenure.text import words

# How much each part counts beside the words, which count 1.
_COVERAGE, _WEIGHT, _FILES = 0.5, 0.25, 0.6


class Scored(msgspec.Struct, frozen=True, kw_only=True):
    """A memory with its score and the terms the score is made of."""

    memory: Memory
    score: float
    coverage: float
    why: str


def rank(found: Sequence[tuple[Memory, int, float]], query: Sequence[str], files: Sequence[str] = ()) -> list[Scored]:
    """Return (memory, weight, word score) triples in order, best first, each explaining its score."""
    best = max((score for _, _, score in found), default=0) or 1.0
    # In a store of a few memories BM25's weights collapse to almost nothing; then coverage alone decides.
    scored = [
        _score(memory, weight, score / best if best > 1e-3 else 0, query, files) for memory, weight, score in found
    ]
    ordered = sorted(scored, key=lambda item: (-item.score, item.memory.created_at, item.memory.id))
    return successors_first(ordered)


def successors_first(ordered: list[Scored]) -> list[Scored]:
    """Move each superseded memory below the one that took its place."""
    result: list[Scored] = []
    present = {item.memory.id for item in ordered}
    waiting: dict[str, list[Scored]] = {}
    for item in ordered:
        after = item.memory.superseded_by
        if after in present and not any(done.memory.id == after for done in result):
            waiting.setdefault(after or "", []).append(item)
            continue
        result.append(item)
        stack = waiting.pop(item.memory.id, [])
        while stack:
            released = stack.pop(0)
            result.append(released)
            stack += waiting.pop(released.memory.id, [])
    return result + [item for rest in waiting.values() for item in rest]


def _score(memory: Memory, weight: int, words_score: float, query: Sequence[str], files: Sequence[str]) -> Scored:
    known = set(words(f"{memory.title} {' '.join(memory.tags)} {memory.text} {content_words(memory.content)}"))
    asked = {part for word in query for part in words(word)}
    hit = {word for word in asked if _known(word, known)}
    coverage = len(hit) / len(asked) if asked else 0.0
    shared = near(memory.files, files)
    score = words_score + _COVERAGE * coverage + _WEIGHT * weight / 100 + _FILES * shared
    parts = [f"words {', '.join(sorted(hit))}"] if hit else []
    if shared:
        parts.append("about a file at hand" if shared == 1 else "about the same folder")
    parts.append(f"{memory.state}, confidence {memory.signals.confidence / 100:g}")
    return Scored(memory=memory, score=round(score, 4), coverage=coverage, why="; ".join(parts))


def near(mine: Sequence[str], at_hand: Sequence[str]) -> float:
    """Return 1 when a memory is about a file at hand, a half when about its folder, else 0."""
    theirs = {PurePosixPath(path) for path in at_hand}
    ours = {PurePosixPath(path) for path in mine}
    if any(a == b or str(b).endswith(f"/{a}") or str(a).endswith(f"/{b}") for a in ours for b in theirs):
        return 1.0
    folders = {path.parent for path in ours if path.parent != PurePosixPath(".")}
    return 0.5 if any(path.parent in folders or path in folders for path in theirs) else 0.0


def _known(word: str, known: set[str]) -> bool:
    # The index stems words; so does a common beginning, well enough for counting coverage.
    return word in known or any(len(word) > 4 and other.startswith(word[:-1]) for other in known)
