"""The four moves between active, retired and archived, as one table.

    active --delete--> retired --restore--> active        active --archive--> archived --unarchive--> active

Repeating a move is a success that changes nothing. Every move is written into the record's history.
"""

from __future__ import annotations

from typing import NamedTuple

from tenure.systems.claude_memory.records import MAX_SUMMARY, MOST_CHANGES, Record, change, changes_of, status_of
from tenure.systems.claude_memory.refusal import Refusal

NO_REASON = "No reason provided"


class Transition(NamedTuple):
    """One row of the table: where it starts, where it ends, and what it is called."""

    source: str
    goal: str
    done: str
    repeated: str | None
    summary: str
    # The ledger's word for it.
    event: str
    gives_reason: bool
    refused: str
    shows_status: bool = True


_RETIRE = Transition(
    source="active",
    goal="retired",
    done="retired",
    repeated="already_retired",
    summary="Retired: {reason}",
    event="Retired",
    gives_reason=True,
    refused="Archived memories must be unarchived before retiring. Use --action unarchive first.",
    shows_status=False,
)

MOVES = {
    "delete": _RETIRE,
    "retire": _RETIRE,
    "archive": Transition(
        source="active",
        goal="archived",
        done="archived",
        repeated="already_archived",
        summary="Archived: {reason}",
        event="Archived",
        gives_reason=True,
        refused="Only active memories can be archived.",
    ),
    "unarchive": Transition(
        source="archived",
        goal="active",
        done="unarchived",
        repeated=None,
        summary="Unarchived: restored to active",
        event="Restored",
        gives_reason=False,
        refused="Only archived memories can be unarchived.",
    ),
    "restore": Transition(
        source="retired",
        goal="active",
        done="restored",
        repeated="already_active",
        summary="Restored: returned to active from retired",
        event="Restored",
        gives_reason=False,
        refused="Only retired memories can be restored. Use --action unarchive for archived memories.",
    ),
}


class TransitionResult(NamedTuple):
    """What a move comes to: the record to write, or nothing when it was there already."""

    status: str
    record: Record | None
    reason: str | None


def move(record: Record, action: str, *, reason: str | None, stamp: str, target: str) -> TransitionResult:
    """Return the record moved by `action`; raise `Refusal` when it cannot go there from where it is."""
    row = MOVES[action]
    status = status_of(record)
    if status == row.goal and row.repeated:
        return TransitionResult(row.repeated, None, None)
    if status != row.source:
        details = {"record_status": status} if row.shows_status else {}
        raise Refusal(f"{action.upper()}_ERROR", row.refused, target=target, **details)
    why = (reason or NO_REASON)[:MAX_SUMMARY]
    return TransitionResult(row.done, moved(record, row, why, stamp), why if row.gives_reason else None)


def moved(record: Record, row: Transition, reason: str, stamp: str) -> Record:
    """Return the record in the row's goal, with its stamps and a change entry."""
    after = dict(record)
    after["record_status"] = row.goal
    for stamps in ("retired", "archived"):
        after.pop(f"{stamps}_at", None)
        after.pop(f"{stamps}_reason", None)
    if row.gives_reason:
        after[f"{row.goal}_at"] = stamp
        after[f"{row.goal}_reason"] = reason
    after["updated_at"] = stamp
    entry = change(stamp, row.summary.format(reason=reason), "record_status", status_of(record), row.goal)
    after["changes"] = [*changes_of(record), entry][-MOST_CHANGES:]
    return after


def retired(record: Record, reason: str, stamp: str) -> Record:
    """Return the record retired, for rules that have already decided it."""
    return moved(record, _RETIRE, reason[:MAX_SUMMARY], stamp)


def archived_instead_of_purged(record: Record, stamp: str) -> Record:
    """Return a retired record archived: what gc does with it where the project asks to purge nothing."""
    reason = f"Kept at gc; retired before: {record.get('retired_reason') or NO_REASON}"
    return moved(record, MOVES["archive"], reason[:MAX_SUMMARY], stamp)
