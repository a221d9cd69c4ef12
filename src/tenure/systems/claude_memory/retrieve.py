"""`tenure claude-memory retrieve`: the prompt hook that shows the agent which memories fit what was asked.

Only titles, paths and tags are shown, escaped, inside a fence that marks them as data. A memory that is
retired, archived, in a disabled category or outside the memory folder is never shown, whatever its rank. By
default entries are ranked and printed as claude-memory 5.0 does; with `retrieval.output_mode` set, as 6.0
does.
"""

from __future__ import annotations

import contextlib
import math
import os
import re
import sys
from pathlib import Path
from typing import Any, NamedTuple

from tenure.systems import drop_in_trust
from tenure.systems.claude_memory import config, hook_input, ranking
from tenure.systems.claude_memory.config import is_on
from tenure.systems.claude_memory.entries import (
    IndexLine,
    escaped,
    locate,
    read_index,
    read_record,
    record_entries,
    record_status,
    safe_title,
)

MIN_PROMPT_CHARACTERS = 10
# claude-memory 6.0 shows fewer in its own form.
INJECT_TIERED = 3
RECENT_DAYS = 30
# Records opened for their age; further ones only when they are about to be shown.
OPENED_FOR_RECENCY = 20
MAX_BODY_BONUS, MIN_BODIES = 3, 10
HIGH_SHARE, MEDIUM_SHARE = 0.75, 0.40
# The client replaces anything above 10,000 characters with a preview.
MAX_BLOCK_CHARACTERS = 9000
SHOWN_TAGS, TAG_CHARACTERS, PATH_CHARACTERS = 12, 60, 300

NOTES = {
    "none": "No matching memories found. If project context is needed, use /memory:search &lt;topic&gt;",
    "low": "Memories exist but confidence was low. Use /memory:search &lt;topic&gt; for detailed lookup.",
    "medium": "Some results had medium confidence. Use /memory:search &lt;topic&gt; for detailed lookup.",
}


class RankedEntry(NamedTuple):
    """An entry and how well it fits."""

    entry: IndexLine
    score: float


def main(argv: list[str]) -> int:
    """Run the drop-in for `memory_retrieve.py`; whatever happens, the prompt goes on."""
    with contextlib.suppress(Exception):
        block = answer(hook_input.read())
        if block:
            sys.stdout.write(block)
            sys.stdout.flush()
    return 0


def answer(message: dict[str, Any]) -> str:
    """Return the block for one prompt, empty when nothing fits."""
    prompt = hook_input.text(message, "prompt", "user_prompt")
    if len(prompt.strip()) < MIN_PROMPT_CHARACTERS:
        return ""
    root = os.path.join(hook_input.project(message), ".claude", "memory")
    settings = config.load(Path(root))
    retrieval = settings.section("retrieval")
    mode = retrieval.get("output_mode")
    tiers = mode in ("legacy", "tiered")
    limit = _limit(settings, INJECT_TIERED if tiers and settings.max_inject is None else None)
    if limit == 0 or not is_on(retrieval, "enabled"):
        return ""
    allowed = drop_in_trust.shown("claude-memory", root) if os.path.isdir(root) else drop_in_trust.NOTHING
    # In a repository the index is anybody's; what it says of a record is not.
    listed = (read_index(root) or []) if allowed.everything else record_entries(root)
    entries = [entry for entry in listed if settings.enabled(entry.category) and allowed.has(entry.path)]
    if not entries:
        return ""
    descriptions = settings.descriptions()
    opening = f'<memory-context source=".claude/memory/"{_described(descriptions)}>'
    by_words = not tiers or retrieval.get("match_strategy") == "title_tags"
    hits = by_points(prompt, entries, descriptions, root, limit) if by_words else by_bm25(prompt, entries, root, limit)
    if not tiers:
        return _fenced(opening, [_line(hit.entry) for hit in hits])
    if not hits:
        asked = ranking.words(prompt) if by_words else ranking.search_words(prompt)
        return _note("none") if asked else ""
    return _tiered(opening, hits, mode == "tiered", _floor(retrieval.get("confidence_abs_floor")))


def by_points(
    prompt: str, entries: list[IndexLine], descriptions: dict[str, str], root: str, limit: int
) -> list[RankedEntry]:
    """Return the best entries by counted words, a recent record a point ahead, then by category."""
    asked = ranking.words(prompt)
    bonus = {name.upper(): ranking.description_points(asked, text) for name, text in descriptions.items()}
    hits = []
    for entry in entries:
        points = ranking.points(asked, entry.title, entry.tags)
        # A description only strengthens a match: by itself it would show the whole category.
        if points:
            hits.append(RankedEntry(entry, points + bonus.get(entry.category, 0)))
    hits.sort(key=_order)
    opened, untouched = hits[:OPENED_FOR_RECENCY], hits[OPENED_FOR_RECENCY:]
    ranked = sorted([*(_with_recency(hit, root) for hit in opened), *untouched], key=_order)
    return _showable(ranked, root, limit)


def by_bm25(prompt: str, entries: list[IndexLine], root: str, limit: int) -> list[RankedEntry]:
    """Return the best entries by BM25 over title and tags, lifted by the prompt's words found in the body."""
    query = ranking.search_words(prompt)
    scores = ranking.bm25(query, [(entry.title, " ".join(sorted(entry.tags))) for entry in entries])
    matching = [RankedEntry(entry, score) for entry, score in zip(entries, scores, strict=True) if score > 0]
    depth = max(MIN_BODIES, limit)
    bases = _showable(sorted(matching, key=_order), root, depth * 3)
    hits = [
        RankedEntry(hit.entry, hit.score + (_body_bonus(hit.entry, query, root) if place < depth else 0))
        for place, hit in enumerate(bases)
    ]
    best = min(range(len(hits)), key=lambda place: _order(hits[place]), default=0)
    # The body may lift a memory, but not push out one whose title and tags fit as well as the winner's.
    kept = [
        hit
        for hit, base in zip(hits, bases, strict=True)
        if hit.score >= ranking.NOISE_SHARE * hits[best].score or base.score >= bases[best].score
    ]
    return sorted(kept, key=_order)[:limit]


def confidence(score: float, best: float, floor: float = 0.0) -> str:
    """Return high, medium or low by the share of the best score; under the floor nothing is high."""
    share = score / best if best > 0 else 0.0
    if share >= HIGH_SHARE:
        return "medium" if best < floor else "high"
    return "medium" if share >= MEDIUM_SHARE else "low"


def _limit(settings: config.Config, own: int | None) -> int:
    """Return how many memories may be shown."""
    limit = settings.policy["inject"]["limit"] if own is None else own
    value = settings.section("retrieval").get("max_inject")
    if value is not None and settings.max_inject is None:
        print(f"[WARN] Invalid max_inject value: {value!r}; using default {limit}", file=sys.stderr)
    return int(limit)


def _order(hit: RankedEntry) -> tuple[float, int]:
    return (-hit.score, ranking.priority(hit.entry.category))


def _showable(ranked: list[RankedEntry], root: str, limit: int) -> list[RankedEntry]:
    shown: list[RankedEntry] = []
    for hit in ranked:
        if len(shown) == limit:
            break
        if locate(root, hit.entry.path) and len(hit.entry.path) <= PATH_CHARACTERS:
            record = read_record(root, hit.entry.path)
            if record is None or record_status(record) == "active":
                shown.append(hit)
    return shown


def _with_recency(hit: RankedEntry, root: str) -> RankedEntry:
    from tenure.model import clock
    from tenure.model.errors import InvalidInput

    record = read_record(root, hit.entry.path) or {}
    updated = record.get("updated_at")
    if isinstance(updated, str) and updated:
        with contextlib.suppress(InvalidInput):
            if (clock.now() - clock.parse(updated)).days <= RECENT_DAYS:
                return RankedEntry(hit.entry, hit.score + 1)
    return hit


def _body_bonus(entry: IndexLine, query: list[str], root: str) -> int:
    body = set(ranking.search_words(ranking.body_text(read_record(root, entry.path) or {})))
    return min(MAX_BODY_BONUS, sum(word in body for word in query))


def _tiered(opening: str, hits: list[RankedEntry], silence_low: bool, floor: float) -> str:
    best = max(hit.score for hit in hits)
    labels = [confidence(hit.score, best, floor) for hit in hits]
    if silence_low and all(label == "low" for label in labels):
        return _note("low")
    lines = []
    for hit, label in zip(hits, labels, strict=True):
        if silence_low and label == "low":
            continue
        tag = "memory-compact" if silence_low and label == "medium" else "result"
        lines.append(f'<{tag} category="{hit.entry.category}" confidence="{label}">{_shown(hit.entry)}</{tag}>')
    ending = _note("medium") if silence_low and "high" not in labels else ""
    return _fenced(opening, lines, ending)


def _fenced(opening: str, lines: list[str], ending: str = "") -> str:
    kept: list[str] = []
    left = MAX_BLOCK_CHARACTERS - len(opening) - len(ending)
    for line in lines:
        left -= len(line) + 1
        if left < 0:
            break
        kept.append(line + "\n")
    return f"{opening}\n{''.join(kept)}{ending}</memory-context>\n" if kept else ""


def _line(entry: IndexLine) -> str:
    return f"- [{entry.category}] {_shown(entry)}"


def _shown(entry: IndexLine) -> str:
    tags = sorted({tag.lower() for tag in entry.tags})[:SHOWN_TAGS]
    labels = [label for label in (escaped(tag, TAG_CHARACTERS) for tag in tags) if label]
    tail = f" #tags:{','.join(labels)}" if labels else ""
    return f"{safe_title(entry.title)} -> {escaped(entry.path, PATH_CHARACTERS)}{tail}"


def _described(descriptions: dict[str, str]) -> str:
    parts = []
    for name, text in sorted(descriptions.items()):
        key = re.sub(r"[^a-z_]", "", name)
        if key:
            parts.append(f"{key}={safe_title(text)}")
    return f' descriptions="{"; ".join(parts)}"' if parts else ""


def _floor(value: object) -> float:
    try:
        floor = float(value or 0.0)  # type: ignore[arg-type]
    except (ValueError, TypeError, OverflowError):
        return 0.0
    return max(0.0, floor) if math.isfinite(floor) else 0.0


def _note(kind: str) -> str:
    return f"<memory-note>{NOTES[kind]}</memory-note>\n"
