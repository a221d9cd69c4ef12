"""What an injection is for, what it showed, and the trace it leaves: one shape for every system's way of choosing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import msgspec

from tenure.model.errors import StoreUnusable
from tenure.store.api import Store
from tenure.store.records import Note
from tenure.text.words import one_line
from tenure.usecases import intake

# No more of a query is kept, and of the name of a run, task or agent.
QUERY_CHARS, NAME_CHARS = 2000, 200


class Occasion(msgspec.Struct, frozen=True, kw_only=True):
    """What an agent is about to do, and how much it may be told; None leaves a limit to the policy."""

    query: str = ""
    task: str = ""
    agent: str = ""
    domain: str = ""
    files: Sequence[str] = ()
    limit: int | None = None
    budget_chars: int | None = None
    run: str = ""

    @property
    def facts(self) -> dict[str, str]:
        """What of it is written down, without secrets: run, task, agent and query."""
        names = {name: one_line(intake.safe(getattr(self, name)), NAME_CHARS) for name in ("run", "task", "agent")}
        return {**names, "query": intake.safe(self.query)[:QUERY_CHARS]}


class Injection(msgspec.Struct, frozen=True, kw_only=True):
    """What an agent is shown, and what was kept back and why."""

    block: str
    memories: list[dict[str, Any]]
    suppressed: list[dict[str, str]]
    # False when the store could not be written, so that nobody can ask later why this was shown.
    traced: bool = True
    # What was asked for and what was not, for `--explain`.
    explained: dict[str, Any] = {}


def trace(store: Store, now: datetime, notes: Sequence[Note | Mapping[str, Any]], facts: Mapping[str, str]) -> bool:
    """Remember what was shown; a full or read-only disk costs the trace, not the answer."""
    try:
        store.activity.record(now, notes, **facts)
    except StoreUnusable:
        return False
    return True
