"""What was learned from sessions and files, and what was skipped."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tenure.usecases.answers import Record

if TYPE_CHECKING:
    from tenure.capture.cited_outcomes import Outcome
    from tenure.rules.consolidate import Decision


class Skipped(Record, frozen=True, omit_defaults=True):
    """Something in a file that was not captured; the fields that are None do not apply."""

    path: str
    line: str | None = None
    kind: str | None = None
    title: str | None = None
    why: str = ""
    category: str | None = None
    destination: str | None = None
    text: str | None = None


class SessionRead(Record, frozen=True):
    """A session that was read from a file, and how many of the decisions are about what it says."""

    path: str
    session: str
    decisions: int


class Captured(Record, frozen=True):
    """What became of each proposal, and what was not one."""

    decisions: Sequence[Decision] = ()
    skipped: Sequence[Skipped] = ()
    notes: Sequence[str] = ()
    # The sessions in the order of their decisions, which are the last ones.
    read: Sequence[SessionRead] = ()


class Learned(Record, frozen=True):
    """What became of a session's proposals, what came of memories in it, and the ids of those that changed."""

    decisions: Sequence[Decision] = ()
    outcomes: Sequence[Outcome] = ()
    changed: Sequence[str] = ()
    notes: Sequence[str] = ()


class LearnedPast(Record, frozen=True):
    """How many sessions an agent had kept, and what became of their proposals."""

    sessions: int
    decisions: Sequence[Decision] = ()
    # The ids of the memories that rest on these sessions by now.
    known: Sequence[str] = ()
    notes: Sequence[str] = ()
