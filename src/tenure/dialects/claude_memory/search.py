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

from tenure.dialects.claude_memory import ranking
from tenure.dialects.claude_memory.entries import (
    Entry,
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


class Found(NamedTuple):
    """One memory to search in, and what is shown of it."""

    entry: Entry
    status: str
    body: str = ""
    updated_at: str = ""
    score: float = 0.0


def search(root: str, query: str, mode: str, limit: int, include_retired: bool = False) -> list[Found]:
    """Return the memories that fit the query, best first, noise left out."""
    pool = [found for entry in _entries(root, include_retired) if (found := _opened(root, entry, mode))]
    if not include_retired:
        pool = [found for found in pool if found.status == "active"]
    documents = [(found.entry.title, " ".join(sorted(found.entry.tags)), found.body) for found in pool]
    scores = ranking.bm25(ranking.search_words(query), documents)
    hits = [found._replace(score=score) for found, score in zip(pool, scores, strict=True) if score > 0]
    hits.sort(key=lambda found: (-found.score, ranking.priority(found.entry.category)))
    return [found for found in hits if found.score >= ranking.NOISE_SHARE * hits[0].score][:limit]


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
        shown = [_shown(found, options.mode) for found in results]
        print(json.dumps({"query": options.query, "total_results": len(shown), "results": shown}, indent=2))
    else:
        sys.stdout.write(_text(results))
    return 0


def _entries(root: str, include_retired: bool) -> list[Entry]:
    entries = read_index(root) or []
    if include_retired:
        listed = {locate(root, entry.path) for entry in entries}
        gone = record_entries(root, ("retired", "archived"))
        entries += [entry for entry in gone if locate(root, entry.path) not in listed]
    return entries


def _opened(root: str, entry: Entry, mode: str) -> Found | None:
    if not locate(root, entry.path):
        return None
    record = read_record(root, entry.path)
    status = record_status(record) if record else "active"
    if mode == "auto" or record is None:
        return Found(entry, status)
    updated = record.get("updated_at")
    return Found(entry, status, ranking.body_text(record), updated if isinstance(updated, str) else "")


def _shown(found: Found, mode: str) -> dict[str, Any]:
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


def _text(results: list[Found]) -> str:
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
