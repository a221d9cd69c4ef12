"""Whether a new candidate is a lesson we have already, and what follows from that.

Memories of every state are compared: evidence for one that is gone is recorded and shown, but does not bring
it back (contradiction 23).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from tenure.systems.geas.artifacts import LIVE_OR_PENDING
from tenure.text.words import Cutter, jaccard

# geas compares whole words in any script, whatever their case.
WORDS = Cutter(r"\w+", fold=str.casefold)


class Consolidation(msgspec.Struct, frozen=True):
    """What should happen: `create` the candidate, `update` a memory with its fresh evidence, or `noop`."""

    action: str
    memory_id: str
    fresh: tuple[str, ...]
    reason: str


def words(memory: Mapping[str, Any]) -> frozenset[str]:
    """Return the words of title and summary."""
    return frozenset(WORDS(f"{memory['title']} {memory['summary']}"))


def most_similar(
    candidate: Mapping[str, Any],
    memories: Iterable[Mapping[str, Any]],
    *,
    least: float,
    by_title: bool = False,
) -> tuple[Mapping[str, Any], float] | None:
    """Return the memory of the same type that says the same, and how much; None when none shares `least`.

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
        if score >= least and (best is None or rank > best):
            best, found = rank, memory
    return (found, best[0]) if found is not None and best is not None else None


def consolidate(
    candidate: Mapping[str, Any],
    memories: Iterable[Mapping[str, Any]],
    *,
    least: float,
    by_title: bool = False,
) -> Consolidation:
    """Return what should happen to the candidate, given every memory there is; `by_title` as above."""
    match = most_similar(candidate, memories, least=least, by_title=by_title)
    if match is None:
        return Consolidation("create", candidate["memory_id"], tuple(candidate["evidence_refs"]), "new")
    memory, score = match
    name = memory["memory_id"]
    fresh = tuple(ref for ref in candidate["evidence_refs"] if ref not in memory["evidence_refs"])
    if not fresh:
        return Consolidation("noop", name, (), f"says the same as {name}; this evidence is known already")
    reason = f"says the same as {name} ({score:.2f})"
    if memory["state"] not in LIVE_OR_PENDING:
        reason += f", which is {memory['state']} and stays so"
    return Consolidation("update", name, fresh, reason)
