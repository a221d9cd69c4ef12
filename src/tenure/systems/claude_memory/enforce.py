"""`tenure claude-memory enforce`: retire the oldest memories of a category beyond `max_retained`.

The writer runs the same window after every new session.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tenure.model import clock
from tenure.model.errors import TenureError
from tenure.systems.claude_memory import config, index, lifecycle, rolling
from tenure.systems.claude_memory.flags import Flag, parse
from tenure.systems.claude_memory.folder import RecordFolder, RecordToWrite, Stored, warn
from tenure.systems.claude_memory.records import FOLDERS, is_active
from tenure.systems.claude_memory.refusal import Refusal
from tenure.systems.take_in_notes import take_in_notes

PROJECT_VARIABLE = "CLAUDE_PROJECT_ROOT"
FLAGS = (
    Flag("category", required=True, choices=tuple(FOLDERS)),
    Flag("max-retained", "number"),
    Flag("max-retire", "number"),
    Flag("dry-run", "switch"),
)


def main(arguments: list[str]) -> int:
    """Run the command and return its exit status."""
    options = parse("tenure claude-memory enforce", FLAGS, arguments)
    for name, value in (("--max-retained", options.max_retained), ("--max-retire", options.max_retire)):
        if value is not None and value < 1:
            print(f"ERROR: {name} must be >= 1", file=sys.stderr)
            return 1
    root = _root()
    if root is None:
        print("ERROR: Cannot find .claude/memory/ directory.", file=sys.stderr)
        print(f"Ensure {PROJECT_VARIABLE} is set or run from within the project.", file=sys.stderr)
        return 1
    folder = RecordFolder(root)
    settings = config.load(root)
    max_retained = options.max_retained
    if max_retained is None:
        max_retained, problem = settings.max_retained(options.category)
        if problem:
            warn(f"[WARN] {problem}")
    try:
        if options.dry_run:
            result = window(folder, options.category, max_retained, options.max_retire, dry_run=True)
        else:
            with folder.locked():
                result = window(folder, options.category, max_retained, options.max_retire)
            take_in_notes("claude-memory", root)
    except Refusal as refusal:
        warn(refusal.block())
        return 1
    except (TenureError, OSError) as error:
        warn(f"ERROR: {error}")
        return 1
    print(json.dumps(result))
    return 0


def window(
    folder: RecordFolder,
    category: str,
    max_retained: int,
    max_retire: int | None = None,
    *,
    dry_run: bool = False,
    say: Callable[[str], None] = warn,
) -> dict[str, Any]:
    """Retire what the window no longer holds and return the original's summary; only under the lock."""

    def skipped(path: Path, error: Exception) -> None:
        say(f"[WARN] Skipping corrupted file {path.name}: {error}")

    found = {str(item.path): item for item in folder.stored([category], skipped) if is_active(item.record)}
    ordered = [found[name] for name, _ in rolling.oldest_first((n, item.record) for n, item in found.items())]
    count = rolling.excess(len(ordered), max_retained, max_retire)
    leaving, staying = ordered[:count], ordered[count:]
    changes: list[RecordToWrite] = []
    stamp = clock.stamp(clock.now())
    for number, item in enumerate(leaving, start=1):
        _guard(folder, item, staying, say)
        if dry_run:
            say(f"[ROLLING_WINDOW] Would retire: {slug(item)} (created: {item.record.get('created_at', '')})")
        else:
            say(f"[ROLLING_WINDOW] Retired {slug(item)} (active: {len(ordered) - number}/{max_retained})")
        changes.append(RecordToWrite(item.path, item.shown, lifecycle.retired(item.record, rolling.REASON, stamp)))
    if changes and not dry_run:
        folder.commit(changes)
        folder.note("Retired", changes, rolling.REASON)
    result: dict[str, Any] = {
        "retired": [slug(item) for item in leaving],
        "active_count": len(staying),
        "max_retained": max_retained,
    }
    return result | {"dry_run": True} if dry_run and leaving else result


def slug(item: Stored) -> str:
    """Return the id a report names the record by."""
    name = item.record.get("id")
    return name if isinstance(name, str) and name else item.path.stem


def _guard(folder: RecordFolder, item: Stored, staying: list[Stored], say: Callable[[str], None]) -> None:
    own = folder.located(item.path)
    entries = [
        f"{entry.title} {' '.join(entry.tags)}"
        for entry in index.entries(folder.index_text())
        if index.located(entry.path, os.path.abspath(folder.project)) != own
    ]
    total = len(rolling.items(item.record))
    unique = rolling.unique_items(item.record, [other.record for other in staying], entries)
    if total:
        say(f"[WARN] Session {slug(item)}: {total - len(unique)} of {total} items are captured elsewhere.")
    if unique:
        say(rolling.warning(slug(item), unique))


def _root() -> Path | None:
    named = os.environ.get(PROJECT_VARIABLE)
    cwd = Path.cwd()
    for place in [*([Path(named)] if named else []), cwd, *cwd.parents]:
        if (place / ".claude" / "memory").is_dir():
            return place / ".claude" / "memory"
    return None
