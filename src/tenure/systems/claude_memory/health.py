"""The health report: how many memories, which change often, what was retired, whether the index agrees."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from tenure.systems.claude_memory import index
from tenure.systems.claude_memory.folder import RecordFolder, Stored
from tenure.systems.claude_memory.gc import days_since
from tenure.systems.claude_memory.records import is_active, status_of

OFTEN = 5
RECENT_DAYS = 7
RULE = "=" * 50


class Sync(NamedTuple):
    """How index and files compare, in the paths a reader sees."""

    listed: int
    active: int
    missing: list[str]
    stale: list[str]

    @property
    def agrees(self) -> bool:
        """Return whether every active file is listed and nothing else is."""
        return not self.missing and not self.stale


def compare(folder: RecordFolder, items: Sequence[Stored]) -> Sync:
    """Return how the index compares with the active records."""
    listed = folder.listed_paths()
    active = {folder.located(item.path): item.shown for item in items if is_active(item.record)}
    return Sync(
        len(listed),
        len(active),
        sorted(active[path] for path in active.keys() - listed.keys()),
        sorted(listed[path] for path in listed.keys() - active.keys()),
    )


def title(item: Stored) -> str:
    """Return the record's title on one line, or its file name where it has none."""
    text = item.record.get("title")
    return " ".join(text.split()) if isinstance(text, str) else item.path.stem


def named(item: Stored) -> str:
    """Return the record as the report names it."""
    return f"[{index.display(item.record, item.category)}] {title(item)}"


def report(folder: RecordFolder, items: Sequence[Stored], now: datetime) -> list[str]:
    """Return the lines of the report."""
    heavy = sorted(((count, item) for item in items if (count := _updates(item)) > OFTEN), key=lambda pair: -pair[0])
    sync, lines = _sync_lines(folder, items)
    issues = ["Index out of sync or missing"] if not sync else []
    if heavy:
        issues.append(f"{len(heavy)} heavily-updated memories (consider reviewing)")
    return [
        "Memory Health Report",
        RULE,
        "\n--- Entries by Category ---",
        *_count_lines(items),
        f"\n--- Heavily Updated (times_updated > {OFTEN}) ---",
        *([f"  {named(item)} (updated {count} times)" for count, item in heavy] or ["  None."]),
        f"\n--- Recent Retirements (last {RECENT_DAYS} days) ---",
        *(_retirement_lines(items, now) or ["  None."]),
        "\n--- Index Sync Status ---",
        *lines,
        "\n--- Summary ---",
        "  Health: NEEDS ATTENTION" if issues else "  Health: GOOD",
        *(f"    - {issue}" for issue in issues),
    ]


def _count_lines(items: Sequence[Stored]) -> list[str]:
    by_category = Counter(index.display(item.record, item.category) for item in items if is_active(item.record))
    lines = [f"  {category}: {by_category[category]}" for category in sorted(by_category)]
    lines.append(f"  TOTAL (active): {by_category.total()}" if lines else "  No active memories found.")
    by_status = Counter(status_of(item.record) for item in items)
    return lines + [
        f"  {status.capitalize()}: {by_status[status]}" for status in ("retired", "archived") if by_status[status]
    ]


def _retirement_lines(items: Sequence[Stored], now: datetime) -> list[str]:
    recent = [
        (days, item)
        for item in items
        if status_of(item.record) == "retired"
        and (days := days_since(item.record.get("retired_at"), now)) is not None
        and days <= RECENT_DAYS
    ]
    return [f"  {named(item)} ({days} day(s) ago)" for days, item in sorted(recent, key=lambda pair: pair[0])]


def _sync_lines(folder: RecordFolder, items: Sequence[Stored]) -> tuple[bool, list[str]]:
    if not folder.index_path.exists():
        return False, ["  WARNING: index.md does not exist!"]
    sync = compare(folder, items)
    if sync.agrees:
        return True, [f"  Index is in sync ({sync.listed} entries)."]
    lines: list[str] = []
    if sync.missing:
        lines += [f"  FILES MISSING FROM INDEX ({len(sync.missing)}):", *(f"    + {p}" for p in sync.missing)]
    if sync.stale:
        lines += [f"  STALE INDEX ENTRIES ({len(sync.stale)}):", *(f"    - {p}" for p in sync.stale)]
    return False, [*lines, "  Run --rebuild to fix."]


def _updates(item: Stored) -> int:
    count = item.record.get("times_updated")
    return count if isinstance(count, int) else 0
