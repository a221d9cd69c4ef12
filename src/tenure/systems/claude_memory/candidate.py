"""`tenure claude-memory candidate`: finds a memory that new information belongs to, and what may be done with it.

The structural layer of the two that decide on create, update and delete: it knows what exists, the drafting agent
knows what it wants. A veto blocks only the action it names.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable
from typing import Any

from tenure.systems import drop_in_trust
from tenure.systems.claude_memory import ranking
from tenure.systems.claude_memory.entries import (
    IndexLine,
    locate,
    read_index,
    read_record,
    record_entries,
    record_status,
)
from tenure.systems.claude_memory.records import FOLDERS

EVENTS = ("deprecated", "removed", "resolved", "reversed", "superseded")
# A decision, a preference or a session is never deleted because a triage says so.
NOT_DELETABLE = frozenset({"decision", "preference", "session_summary"})
CANDIDATE_POINTS = 3
EXCERPT_CHARACTERS = 200
EXCERPT_FIELDS = {
    "session_summary": ("goal", "outcome"),
    "decision": ("context", "decision", "rationale"),
    "runbook": ("trigger", "root_cause"),
    "constraint": ("rule", "impact"),
    "tech_debt": ("description", "reason_deferred"),
    "preference": ("topic", "value", "reason"),
}


def assess(entries: Iterable[IndexLine], category: str, new_info: str, event: str | None, root: str) -> dict[str, Any]:
    """Return the best candidate among the entries and what the structure allows, as the command prints it."""
    asked = ranking.words(new_info)
    scored = sorted(
        (-ranking.points(asked, entry.title, entry.tags), entry.path, entry)
        for entry in entries
        if entry.category == category.upper()
    )
    found = scored[0] if scored and -scored[0][0] >= CANDIDATE_POINTS else None
    deletable = category not in NOT_DELETABLE
    answer: dict[str, Any] = {
        "category": category,
        "candidate": None,
        "lifecycle_event": event,
        "delete_allowed": deletable,
        "pre_action": None,
        "structural_cud": "UPDATE_OR_DELETE" if deletable else "UPDATE",
        "vetoes": [],
        "hints": [],
    }
    if found and _is_usable(found[2], root):
        entry = found[2]
        answer["candidate"] = {
            "path": entry.path,
            "title": entry.title,
            "tags": list(entry.tags),
            "excerpt": excerpt(root, entry.path, category),
        }
        answer["hints"] = [f"1 candidate found (score={-found[0]})", *_event_hints(event, category)]
        if not deletable:
            answer["vetoes"] = [f"Cannot DELETE {category} (triage-initiated)"]
        return answer
    action = "NOOP" if event else "CREATE"
    answer["pre_action"] = answer["structural_cud"] = action
    if found:
        answer["hints"] = [f"Candidate path invalid; falling back to {action}"]
    elif event:
        answer["hints"] = [f"lifecycle_event={event} with no matching candidate; NOOP"]
    return answer


def excerpt(root: str, path: str, category: str) -> dict[str, Any] | None:
    """Return what an agent needs to see of a candidate, or None when its file is gone or unreadable."""
    record = read_record(root, path)
    if record is None:
        print(f"WARNING: Could not read candidate file {path}", file=sys.stderr)
        return None
    content = record.get("content")
    fields = content if isinstance(content, dict) else {}
    changes = record.get("changes")
    last = changes[-1] if isinstance(changes, list) and changes else {"summary": "Initial creation"}
    return {
        "title": record.get("title", ""),
        "record_status": record_status(record),
        "tags": record.get("tags", []),
        "last_change_summary": last.get("summary", "Unknown change") if isinstance(last, dict) else str(last),
        "key_fields": {
            field: _shown(fields[field]) for field in EXCERPT_FIELDS[category] if fields.get(field) is not None
        },
    }


def main(argv: list[str]) -> int:
    """Run the drop-in for `memory_candidate.py`."""
    import argparse

    parser = argparse.ArgumentParser(prog="tenure claude-memory candidate", description=__doc__.split("\n")[0])
    parser.add_argument("--category", required=True, choices=list(FOLDERS))
    parser.add_argument("--new-info", help="the new information")
    parser.add_argument("--new-info-file", help="a file that holds it; goes before --new-info")
    parser.add_argument("--lifecycle-event", choices=EVENTS)
    parser.add_argument("--root", default=os.path.join(".claude", "memory"), help="the memory folder")
    options = parser.parse_args(argv)
    new_info = options.new_info
    if options.new_info_file is not None:
        try:
            with open(options.new_info_file, encoding="utf-8", errors="replace") as file:
                new_info = file.read(ranking.MAX_QUERY_CHARACTERS)
        except (OSError, ValueError) as error:
            parser.error(f"--new-info-file cannot be read: {error}")
    if new_info is None:
        parser.error("one of --new-info or --new-info-file is required")
    entries = read_index(options.root)
    if entries is None:
        print(f"ERROR: index.md not found at {os.path.join(options.root, 'index.md')}", file=sys.stderr)
        return 1
    allowed = drop_in_trust.shown("claude-memory", options.root)
    if not allowed.everything:
        entries = [entry for entry in record_entries(options.root) if allowed.has(entry.path)]
    answer = assess(entries, options.category, new_info, options.lifecycle_event, options.root)
    print(json.dumps(answer, indent=2))
    return 0


def _is_usable(entry: IndexLine, root: str) -> bool:
    if entry.path.endswith(".json") and locate(root, entry.path):
        return True
    print(
        f"WARNING: Candidate path {entry.path!r} is not a record in the memory folder; skipped",
        file=sys.stderr,
    )
    return False


def _event_hints(event: str | None, category: str) -> list[str]:
    if not event:
        return []
    if category in NOT_DELETABLE:
        return [f"lifecycle_event={event} present but DELETE disallowed for {category}; consider UPDATE"]
    return [f"lifecycle_event={event} suggests DELETE if eligible"]


def _shown(value: object) -> str:
    text = "; ".join(map(str, value)) if isinstance(value, list) else str(value)
    return text[:EXCERPT_CHARACTERS]
