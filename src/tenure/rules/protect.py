"""Write protections: what no change may do to a memory, whoever asks (claude-memory's merge rules).

Identity never changes, tags and files only grow, history is only appended to, and a memory retired just now cannot be
created again some other way.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from datetime import datetime, timedelta
from typing import TypeVar

from tenure.model import clock
from tenure.model.errors import AntiResurrection, Protected
from tenure.model.memory import Change, Memory
from tenure.model.policy import Policy
from tenure.text.words import folded, jaccard

Entry = TypeVar("Entry")

IMMUTABLE = ("id", "kind", "created_at")
_ARTICLES = frozenset({"a", "an", "the"})


def check_immutable(old: Memory, wanted: dict[str, object]) -> None:
    """Refuse a change of identity."""
    for name in IMMUTABLE:
        if name in wanted and wanted[name] != getattr(old, name):
            raise Protected(
                f"{old.id}: {name} cannot change from {getattr(old, name)!s} to {wanted[name]!s}.",
                hint="Write a new memory and `tenure supersede` this one.",
                field=name,
            )


def kept_tags(tags: Sequence[str], policy: Policy) -> tuple[tuple[str, ...], str]:
    """Return as many tags as a memory keeps, and what to say of the rest; empty when none is left out."""
    cap = policy.write.tags_cap
    lost = ", ".join(tags[cap:])
    return tuple(tags[:cap]), f"At most {cap} tags are kept; left out: {lost}." if lost else ""


def new_tags(memory: Memory, tags: Sequence[str], policy: Policy) -> list[str]:
    """Return the tags of evidence that a memory does not have and has room for."""
    return [tag for tag in tags if tag not in memory.tags][: policy.write.tags_cap - len(memory.tags)]


def check_tags(old: Memory, new: Sequence[str], policy: Policy) -> None:
    """Refuse to drop a tag below the cap; at the cap, a tag may make room for another."""
    cap = policy.write.tags_cap
    dropped, gained = set(old.tags) - set(new), set(new) - set(old.tags)
    if len(new) > cap:
        raise Protected(
            f"{old.id}: {len(new)} tags; at most {cap} are kept.",
            hint="Drop one for each you add: tenure edit ID --tag NEW --without-tag OLD",
            field="tags",
        )
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


def kept_changes(entries: Sequence[Entry], policy: Policy) -> tuple[Entry, ...]:
    """Return the latest entries of a memory's own history, as many as it keeps."""
    return tuple(entries[-policy.write.changes_cap :])


def check_changes(old: Memory, new: Sequence[Change], policy: Policy) -> None:
    """Refuse a history whose old entries were altered, compared by content."""
    kept = (
        old.changes[-(policy.write.changes_cap - 1) :] if len(old.changes) >= policy.write.changes_cap else old.changes
    )
    if tuple(new[: len(kept)]) != kept and tuple(new[: len(old.changes)]) != old.changes:
        raise Protected(f"{old.id}: the change history is append-only.", field="changes")


def check_resurrection(text: str, retired: Sequence[Memory], policy: Policy, now: datetime) -> None:
    """Refuse a text that says what a memory retired a short while ago said, also under another kind."""
    mine = _said(text)
    for memory in retired:
        if not recently_retired(memory, policy, now):
            continue
        from tenure.rules.contradict import NEGATIONS  # start-up: few memories were retired lately

        theirs = _said(memory.text)
        # With a "not" more or less it is the opposite, however long.
        if mine & NEGATIONS == theirs & NEGATIONS and jaccard(mine, theirs) >= policy.write.resurrection_overlap:
            refuse_resurrection(memory, policy, now)


def recently_retired(memory: Memory, policy: Policy, now: datetime) -> bool:
    """Tell whether a memory was retired so short a while ago that it may not be created again."""
    window = timedelta(hours=policy.write.resurrection_hours)
    return memory.retired_at is not None and clock.age(memory.retired_at, now) < window


def _said(text: str) -> set[str]:
    # Without articles: one more or less makes no other text. Prepositions do, so they count.
    return set(folded(text).split()) - _ARTICLES or {folded(text)}


def refuse_resurrection(memory: Memory, policy: Policy, now: datetime) -> None:
    """Raise the refusal, with how long it lasts and the way out."""
    assert memory.retired_at
    gone = clock.age(memory.retired_at, now)
    left = timedelta(hours=policy.write.resurrection_hours) - gone
    raise AntiResurrection(
        f"{memory.id} was retired {_hours(gone)} ago and cannot be created again for {_hours(left, up=True)}.",
        hint=f"Restore it with: tenure restore {memory.id}",
    )


def _hours(span: timedelta, *, up: bool = False) -> str:
    minutes = int(span.total_seconds() // 60) + (up and span.total_seconds() % 60 > 0)
    if minutes < 120:
        return f"{minutes} minute{'' if minutes == 1 else 's'}"
    return f"{minutes // 60} hours"
