"""From a task's retrospective to memory candidates.

The skill leaves type and scope to judgement; here they follow from word tables in the policy, so that the
same sentence always becomes the same candidate.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Any

from tenure.model.errors import InvalidInput
from tenure.systems.geas import documents, paths
from tenure.systems.geas.artifacts import MEMORY_TYPES
from tenure.systems.geas.codec import Document
from tenure.systems.geas.tables import Tables
from tenure.text.redact import holds_secret
from tenure.text.words import Cutter

# The words that tell a type of memory; a plus is part of a name such as C++.
TYPE_WORDS = Cutter(r"[\w+]+", fold=str.casefold)
# A label is at most this many words before the first colon.
LABEL_WORDS = 3
SENTENCE_ENDS = (". ", "; ", " — ", ": ")
# A first sentence shorter than this says too little to be a title.
SHORTEST_TITLE = 20


def memory_type(text: str, tables: Tables) -> str:
    """Return the type whose words the text uses most; a leading type name or label weighs more."""
    label, _, rest = text.partition(":")
    named = label.strip().strip("[]").casefold().replace(" ", "_").replace("-", "_")
    if rest and named in MEMORY_TYPES:
        return named
    whole = _spaced(text)
    scores = {kind: _hits(whole, stems) for kind, stems in tables.type_words.items()}
    if rest and len(label.split()) <= LABEL_WORDS:
        head = _spaced(label)
        for kind, stems in tables.type_words.items():
            scores[kind] += tables.extraction.label_weight * _hits(head, stems)
    best = max(scores, key=lambda kind: scores[kind])
    return best if scores[best] else tables.extraction.default_type


def scope(text: str, kind: str, tables: Tables) -> str:
    """Return how far the lesson reaches; lessons about agents reach that agent, others the project."""
    whole = _spaced(text)
    for name, stems in tables.scope_words.items():
        if _hits(whole, stems):
            return name
    return "agent" if kind == "agent_rule" else tables.extraction.default_scope


def title(text: str, tables: Tables) -> str:
    """Return a short one-line title: the first sentence, cut at a word when it is too long."""
    line = " ".join("".join(char if char.isprintable() else " " for char in text).split())
    ends = [at for end in SENTENCE_ENDS if (at := line.find(end)) >= SHORTEST_TITLE]
    first = line[: min(ends)] if ends else line
    first = first.rstrip(".;:, ") or line
    limit = tables.extraction.title_characters
    if len(first) <= limit:
        return first
    cut = first[: limit - 1]
    return (cut.rsplit(" ", 1)[0] if " " in cut else cut) + "…"


def next_id(task_id: str, taken: Collection[str], first: int = 1) -> str:
    """Return `mem-{task}-{N}` with the first free N from `first` on; refuse a task whose id looks like a secret."""
    if holds_secret(task_id):
        raise InvalidInput("task_id: this looks like a secret, and would be part of the memory's id.", field="task_id")
    number = first
    while f"mem-{task_id}-{number}" in taken:
        number += 1
    return f"mem-{task_id}-{number}"


def candidates(
    retrospective: Mapping[str, Any],
    *,
    source: str,
    taken: Collection[str],
    confidence: float,
    now: datetime,
    tables: Tables,
) -> list[Document]:
    """Return one candidate per sentence in `memory_candidates`, numbered within the task.

    `source` is the retrospective's path as geas writes it, `taken` are the ids in use, `confidence` is what one
    piece of evidence gives. Sentences without text
    are passed over. Raises `InvalidInput` when the task's id cannot be part of a file name.
    """
    task_id = paths.safe_id(retrospective.get("task_id"), field="task_id")
    sentences = retrospective.get("memory_candidates")
    if not isinstance(sentences, list):
        raise InvalidInput(f"memory_candidates: found {sentences!r:.60}, expected a list.", field="memory_candidates")
    found: list[Document] = []
    used = set(taken)
    for number, text in enumerate(sentences, 1):
        if not isinstance(text, str) or not title(text, tables):
            continue
        memory_id = next_id(task_id, used, number)
        used.add(memory_id)
        kind = memory_type(text, tables)
        found.append(
            documents.candidate(
                memory_id=memory_id,
                memory_type=kind,
                title=title(text, tables),
                summary=text,
                scope=scope(text, kind, tables),
                evidence_refs=[f"retro-{task_id}"],
                confidence=confidence,
                reason=f"Extracted from task {task_id} retrospective",
                sources=[source],
                now=now,
            )
        )
    return found


def _spaced(text: str) -> str:
    """Return the words of the text, in small letters, each between two spaces."""
    return f" {' '.join(TYPE_WORDS(text))} "


def _hits(spaced: str, stems: tuple[str, ...]) -> int:
    """Return how many of the words or phrases occur; a star stands for any ending of the last word."""
    return sum(f" {stem[:-1]}" in spaced if stem.endswith("*") else f" {stem} " in spaced for stem in stems)
