"""Whether a new candidate is a lesson we have already, and what follows from that.

Memories of every state are compared: evidence for one that is gone is recorded and shown, but does not bring
it back (contradiction 23).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from tenure.dialects.geas.effect import hundredths
from tenure.dialects.geas.tables import Tables

WORDS = re.compile(r"\w+")
LIVE_OR_PENDING = frozenset({"candidate", "provisional", "stable", "canonical", "under_review"})


class Consolidation(msgspec.Struct, frozen=True):
    """What should happen: `create` the candidate, `update` a memory with its evidence, or `noop`."""

    action: str
    memory_id: str
    evidence_refs: tuple[str, ...]
    signals: dict[str, Any]
    needs_review: bool
    reason: str


def words(memory: Mapping[str, Any]) -> frozenset[str]:
    """Return the words of title and summary."""
    return frozenset(WORDS.findall(f"{memory['title']} {memory['summary']}".casefold()))


def jaccard(left: frozenset[str], right: frozenset[str]) -> float:
    """Return how much two sets share, from 0 to 1; two empty sets share nothing."""
    return len(left & right) / len(left | right) if left or right else 0.0


def most_similar(
    candidate: Mapping[str, Any],
    memories: Iterable[Mapping[str, Any]],
    tables: Tables,
    *,
    by_title: bool = False,
) -> tuple[Mapping[str, Any], float] | None:
    """Return the memory of the same type that says the same, and how much; None when none is close enough.

    With `by_title` only an equal title counts. Candidates made by a trigger share their wording, so their
    words would make different patterns look alike.
    """
    wanted = words(candidate)
    best: tuple[float, bool, str] | None = None
    found: Mapping[str, Any] | None = None
    for memory in memories:
        if memory["memory_type"] != candidate["memory_type"]:
            continue
        score = float(memory["title"] == candidate["title"]) if by_title else jaccard(wanted, words(memory))
        # Among equals a memory that still counts is preferred to one that is gone.
        rank = (score, memory["state"] in LIVE_OR_PENDING, memory["memory_id"])
        if score >= tables.extraction.similarity and (best is None or rank > best):
            best, found = rank, memory
    return (found, best[0]) if found is not None and best is not None else None


def consolidate(
    candidate: Mapping[str, Any],
    memories: Iterable[Mapping[str, Any]],
    tables: Tables,
    *,
    by_title: bool = False,
) -> Consolidation:
    """Return what should happen to the candidate, given every memory there is; `by_title` as above."""
    match = most_similar(candidate, memories, tables, by_title=by_title)
    if match is None:
        refs = tuple(candidate["evidence_refs"])
        return Consolidation("create", candidate["memory_id"], refs, dict(candidate["signals"]), False, "new")
    memory, score = match
    known = tuple(memory["evidence_refs"])
    fresh = tuple(ref for ref in candidate["evidence_refs"] if ref not in known)
    if not fresh:
        return Consolidation(
            "noop",
            memory["memory_id"],
            known,
            dict(memory["signals"]),
            False,
            "this evidence is known already",
        )
    signals = dict(memory["signals"])
    signals["evidence_count"] += len(fresh)
    if hundredths(signals["confidence"]) == hundredths(tables.extraction.raise_from):
        signals["confidence"] = tables.extraction.raise_to
    gone = memory["state"] not in LIVE_OR_PENDING
    reason = f"says the same as {memory['memory_id']} ({score:.2f})"
    if gone:
        reason += f", which is {memory['state']} and stays so"
    return Consolidation("update", memory["memory_id"], known + fresh, signals, gone, reason)
