"""`tenure claude-memory search`: full-text search on request, in the form of claude-memory 6.0.

Mode `auto` looks at titles and tags, mode `search` also at the content. Retired and archived memories are
found only with `--include-retired`, and then really: the index does not list them, so their records are
read.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any, NamedTuple

from tenure.systems import drop_in_trust
from tenure.systems.claude_memory import ranking
from tenure.systems.claude_memory.entries import (
    IndexLine,
    locate,
    read_index,
    read_record,
    record_entries,
    record_status,
    safe_title,
    visible,
)

DEFAULT_RESULTS = {"auto": 3, "search": 10}
MAX_RESULTS = 30
SNIPPET_CHARACTERS = 150


class SearchEntry(NamedTuple):
    """One memory to search in, and what is shown of it; without a status its record was not opened yet."""

    entry: IndexLine
    status: str = ""
    body: str = ""
    updated_at: str = ""
    score: float = 0.0


def search(root: str, query: str, mode: str, limit: int, include_retired: bool = False) -> list[SearchEntry]:
    """Return the memories that fit the query, best first, noise left out."""
    pool = [SearchEntry(entry) for entry in _entries(root, include_retired)]
    if mode == "search":
        pool = [_opened(root, found) for found in pool]
    documents = [(found.entry.title, " ".join(sorted(found.entry.tags)), found.body) for found in pool]
    scores = ranking.bm25(ranking.search_words(query), documents, ranking.LEAST_WEIGHT_ALIKE)
    hits = [found._replace(score=score) for found, score in zip(pool, scores, strict=True) if score > 0]
    hits.sort(key=lambda found: (-found.score, ranking.priority(found.entry.category)))
    results: list[SearchEntry] = []
    for hit in hits:
        if len(results) == limit or (results and hit.score < ranking.NOISE_SHARE * results[0].score):
            break
        # Titles and tags are in the index; only what is about to be shown is worth opening for its status.
        status = hit.status or _opened(root, hit).status
        if status == "active" or (include_retired and status):
            results.append(hit._replace(status=status))
    return results


def main(argv: list[str]) -> int:
    """Run the drop-in for `memory_search_engine.py`."""
    import argparse

    parser = argparse.ArgumentParser(prog="tenure claude-memory search", description=__doc__.split("\n")[0])
    parser.add_argument("--query", "-q", required=True)
    parser.add_argument("--root", "-r", required=True, help="the memory folder")
    parser.add_argument("--mode", "-m", choices=list(DEFAULT_RESULTS), default="auto")
    parser.add_argument("--max-results", "-n", type=int)
    parser.add_argument("--include-retired", action="store_true", help="also retired and archived memories")
    parser.add_argument("--format", "-f", choices=["json", "text"], default="json")
    options = parser.parse_args(argv)
    if not os.path.isdir(options.root):
        print(json.dumps({"error": "Memory root directory not found", "query": options.query}))
        return 1
    wanted = DEFAULT_RESULTS[options.mode] if options.max_results is None else options.max_results
    limit = max(1, min(MAX_RESULTS, wanted))
    results = search(options.root, options.query, options.mode, limit, options.include_retired)
    if options.format == "json":
        shown = [_shown(found) for found in results]
        print(json.dumps({"query": options.query, "total_results": len(shown), "results": shown}, indent=2))
    else:
        sys.stdout.write(_text(results))
    return 0


def _entries(root: str, include_retired: bool) -> list[IndexLine]:
    allowed = drop_in_trust.shown("claude-memory", root)
    if not allowed.everything:
        statuses = ("active", "retired", "archived") if include_retired else ("active",)
        return [entry for entry in record_entries(root, statuses) if allowed.has(entry.path)]
    entries = read_index(root) or []
    if include_retired:
        listed = {locate(root, entry.path) for entry in entries}
        gone = record_entries(root, ("retired", "archived"))
        entries += [entry for entry in gone if locate(root, entry.path) not in listed]
    return entries


def _opened(root: str, found: SearchEntry) -> SearchEntry:
    if not locate(root, found.entry.path):
        return found._replace(status="")
    record = read_record(root, found.entry.path) or {}
    updated = record.get("updated_at")
    return SearchEntry(
        found.entry,
        record_status(record),
        ranking.body_text(record),
        updated if isinstance(updated, str) else "",
        found.score,
    )


def _shown(found: SearchEntry) -> dict[str, Any]:
    body = visible(found.body)
    return {
        "title": safe_title(found.entry.title),
        "category": found.entry.category.lower(),
        "path": found.entry.path,
        "tags": sorted({tag.lower() for tag in found.entry.tags}),
        "status": found.status,
        "snippet": body[:SNIPPET_CHARACTERS] + ("..." if len(body) > SNIPPET_CHARACTERS else ""),
        "updated_at": found.updated_at,
    }


def _text(results: list[SearchEntry]) -> str:
    if not results:
        return "No results found.\n"
    blocks = []
    for number, found in enumerate(results, 1):
        lines = [f"{number}. [{found.entry.category}] {safe_title(found.entry.title)}"]
        if found.entry.tags:
            lines.append(f"   Tags: {', '.join(sorted(found.entry.tags))}")
        lines += [f"   Path: {found.entry.path}", f"   Score: {-found.score:.4f}"]
        blocks.append("\n".join(lines) + "\n\n")
    return "".join(blocks)
