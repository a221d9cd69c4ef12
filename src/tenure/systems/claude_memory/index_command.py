"""`tenure claude-memory index`: rebuild, validate, query, report on, and clean up a memory folder."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path

from tenure.files import CLAUDE_MEMORY
from tenure.model import clock
from tenure.model.errors import TenureError
from tenure.systems import drop_in_trust
from tenure.systems.claude_memory import config, gc, health, index, lifecycle
from tenure.systems.claude_memory.flags import Flag, parse
from tenure.systems.claude_memory.folder import RecordFolder, RecordToWrite, warn
from tenure.systems.claude_memory.records import is_active
from tenure.systems.claude_memory.refusal import Refusal
from tenure.systems.take_in_notes import take_in_notes

FLAGS = (
    Flag("root", default=CLAUDE_MEMORY),
    Flag("rebuild", "switch", group=True),
    Flag("validate", "switch", group=True),
    Flag("query", group=True),
    Flag("health", "switch", group=True),
    Flag("gc", "switch", group=True),
)
NO_INDEX = "ERROR: index.md does not exist. Run --rebuild first."


def main(arguments: list[str]) -> int:
    """Run the command and return its exit status."""
    options = parse("tenure claude-memory index", FLAGS, arguments)
    root = Path(options.root)
    if not root.is_dir():
        print(f"ERROR: Memory root '{root}' is not a directory.", file=sys.stderr)
        return 1
    folder = RecordFolder(root)
    try:
        if options.rebuild:
            return _say(rebuild(folder))
        if options.gc:
            return _say(collect(folder))
        folder.heal_if_interrupted()
        if options.validate:
            agrees, lines = validate(folder)
            _say(lines)
            return 0 if agrees else 1
        if options.health:
            return _say(health.report(folder, folder.stored(), clock.now()))
        return _say(query(folder, options.query))
    except Refusal as refusal:
        print(refusal.block(), file=sys.stderr)
    except (TenureError, OSError) as error:
        warn(f"ERROR: {error}")
    return 1


def rebuild(folder: RecordFolder) -> list[str]:
    """Rewrite the index from the active records, an empty one when there are none."""
    with folder.locked():
        lines = [
            (
                index.display(item.record, item.category),
                title,
                index.line({**item.record, "title": title}, item.shown, category=item.category),
            )
            for item in folder.stored()
            if is_active(item.record)
            for title in [health.title(item)]
        ]
        if lines or folder.index_path.exists():
            folder.write_index(index.rebuilt(lines))
    if not lines:
        return ["No active memory files found. Nothing to index."]
    return [f"Rebuilt index.md with {len(lines)} entries at {folder.index_path}"]


def validate(folder: RecordFolder) -> tuple[bool, list[str]]:
    """Return whether the index lists exactly the active records, and what it does not."""
    if not folder.index_path.exists():
        return False, [NO_INDEX]
    sync = health.compare(folder, folder.stored())
    if sync.agrees:
        return True, [f"Index is valid. {sync.listed} entries match {sync.active} files."]
    lines: list[str] = []
    if sync.missing:
        lines += ["Files NOT in index.md:", *(f"  + {path}" for path in sync.missing)]
    if sync.stale:
        lines += ["Index entries with NO matching file:", *(f"  - {path}" for path in sync.stale)]
    return False, [*lines, "\nIndex has mismatches. Run --rebuild to fix."]


def query(folder: RecordFolder, wanted: str) -> list[str]:
    """Return the index lines that hold the text, upper and lower case alike."""
    if not folder.index_path.exists():
        return [NO_INDEX]
    lines = [line.strip() for line in folder.index_text().split("\n")]
    found = [line for line in lines if line.startswith(index.ENTRY) and wanted.lower() in line.lower()]
    allowed = drop_in_trust.shown("claude-memory", folder.root)
    if not allowed.everything:
        # In a repository the index is anybody's, so a line counts as far as its record says the same.
        titles = {health.title(item) for item in folder.stored() if allowed.has(item.shown)}
        found = [line for line in found if (entry := index.parse(line)) and entry.title in titles]
    if not found:
        return [f"No matches found for '{wanted}'."]
    return [f"Found {len(found)} match(es) for '{wanted}':", *(f"  {line}" for line in found)]


def collect(folder: RecordFolder) -> list[str]:
    """Purge or archive what is past its grace period, retire what is past its retention, and say so."""
    settings = config.load(folder.root)
    if settings.problem:
        warn(f"WARNING: {settings.problem}")
    now = clock.now()
    stamp = clock.stamp(now)
    with folder.locked():
        folder.sweep()
        plan = gc.plan(folder.stored(), settings, now)
        leaving = [due.item for due in plan.leaving]
        kept = [lifecycle.archived_instead_of_purged(item.record, stamp) for item in leaving]
        moved = [RecordToWrite(item.path, item.shown, record) for item, record in zip(leaving, kept, strict=True)]
        done = [("Archived", gc.KEPT, change) for change in moved] if settings.archive_retired else []
        for item, days in plan.expiring:
            reason = gc.EXPIRED.format(days=days, limit=settings.retention_days(item.category))
            record = lifecycle.retired(item.record, reason, stamp)
            done.append(("Retired", reason, RecordToWrite(item.path, item.shown, record)))
        if not settings.archive_retired:
            folder.purge(item.path for item in leaving)
            folder.note_purged([item.path for item in leaving], gc.PURGED)
        if done:
            folder.commit(change for _, _, change in done)
        for event, why, change in done:
            folder.note(event, [change], why)
    take_in_notes("claude-memory", folder.root)
    return _collected(plan, settings)


def _collected(plan: gc.Plan, settings: config.Config) -> list[str]:
    done = ("Archived", "ARCHIVED") if settings.archive_retired else ("Deleted", "DELETED")
    lines = [f"Garbage Collection (grace period: {settings.grace_days} days)", health.RULE]
    if plan.leaving:
        lines.append(f"\n{done[0]} {len(plan.leaving)} file(s):")
        lines += [f"  {done[1]} {due.item.path.name} (retired {due.days} days ago)" for due in plan.leaving]
    else:
        lines.append("\nNo retired memories past grace period.")
    if plan.expiring:
        lines.append(f"\nExpired {len(plan.expiring)} file(s):")
        lines += [f"  RETIRED {due.item.path.name} (unchanged for {due.days} days)" for due in plan.expiring]
    if plan.skipped:
        lines += [f"\nWarnings/errors ({len(plan.skipped)}):", *(f"  {note}" for note in plan.skipped)]
    return lines


def _say(lines: Iterable[str]) -> int:
    print("\n".join(lines).encode("utf-8", "replace").decode("utf-8"))
    return 0
