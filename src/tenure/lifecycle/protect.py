"""Write protections: what a change may not do to a memory, whoever asks (claude-memory's merge rules).

Identity never changes, tags and files only grow, history is only appended to, and what was just retired does not come
back by another door.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from datetime import datetime, timedelta

from tenure import clock
from tenure.errors import AntiResurrection, Protected
from tenure.lifecycle.contradict import NEGATIONS
from tenure.memory import Change, Memory
from tenure.policy import Policy
from tenure.text import folded, jaccard

IMMUTABLE = ("id", "kind", "created_at")


def check_immutable(old: Memory, wanted: dict[str, object]) -> None:
    """Refuse a change of identity."""
    for name in IMMUTABLE:
        if name in wanted and wanted[name] != getattr(old, name):
            raise Protected(
                f"{old.id}: {name} cannot change from {getattr(old, name)!s} to {wanted[name]!s}.",
                hint="Write a new memory and `tenure supersede` this one.",
                field=name,
            )


def check_tags(old: Memory, new: Sequence[str], policy: Policy) -> None:
    """Refuse to drop a tag below the cap; at the cap, a tag may make room for another."""
    cap = policy.write.tags_cap
    dropped, gained = set(old.tags) - set(new), set(new) - set(old.tags)
    if len(new) > cap:
        raise Protected(f"{old.id}: {len(new)} tags; at most {cap} are kept.", field="tags")
    if dropped and (len(old.tags) < cap or not gained):
        raise Protected(
            f"{old.id}: tags only grow below {cap}; {', '.join(sorted(dropped))} would be lost.",
            hint="Keep the tags that are there and add yours.",
            field="tags",
        )


def check_files(old: Memory, new: Collection[str], exists: Callable[[str], bool]) -> None:
    """Refuse to drop a file that is still there."""
    for path in old.files:
        if path not in new and exists(path):
            raise Protected(f"{old.id}: {path!r} still exists and cannot be dropped from its files.", field="files")


def check_changes(old: Memory, new: Sequence[Change], policy: Policy) -> None:
    """Refuse a history whose old entries were altered, compared by content."""
    kept = (
        old.changes[-(policy.write.changes_cap - 1) :] if len(old.changes) >= policy.write.changes_cap else old.changes
    )
    if tuple(new[: len(kept)]) != kept and tuple(new[: len(old.changes)]) != old.changes:
        raise Protected(f"{old.id}: the change history is append-only.", field="changes")


def check_resurrection(text: str, kind: str, retired: Sequence[Memory], policy: Policy, now: datetime) -> None:
    """Refuse a text that says what a memory retired a short while ago said."""
    window = timedelta(hours=policy.write.resurrection_hours)
    mine = set(folded(text).split())
    for memory in retired:
        if memory.kind != kind or memory.retired_at is None or clock.age(memory.retired_at, now) >= window:
            continue
        theirs = set(folded(memory.text).split())
        # With a "not" more or less it is the opposite, however long.
        if mine & NEGATIONS == theirs & NEGATIONS and jaccard(mine, theirs) >= policy.write.resurrection_overlap:
            refuse_resurrection(memory, policy, now)


def refuse_resurrection(memory: Memory, policy: Policy, now: datetime) -> None:
    """Raise the refusal, with how long it lasts and the way out."""
    assert memory.retired_at
    gone = clock.age(memory.retired_at, now)
    left = timedelta(hours=policy.write.resurrection_hours) - gone
    raise AntiResurrection(
        f"{memory.id} was retired {_hours(gone)} ago and cannot be created again for {_hours(left)}.",
        hint=f"Restore it with: tenure restore {memory.id}",
    )


def _hours(span: timedelta) -> str:
    minutes = int(span.total_seconds() // 60)
    if minutes < 120:
        return f"{minutes} minute{'' if minutes == 1 else 's'}"
    return f"{minutes // 60} hours"
