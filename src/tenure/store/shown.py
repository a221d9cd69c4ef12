"""What was shown to agents, and the runs in which it was: high volume, so not part of the ledger."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import apsw
import msgspec

from tenure import clock
from tenure.store import chain

_FIELDS = ("at", "run", "task", "agent", "query")


def runs_now(connection: apsw.Connection) -> int:
    """Return how many runs the store has seen."""
    return int(connection.execute("SELECT max(n) FROM run").get or 0)


def record_run(connection: apsw.Connection, run: str, now: datetime) -> int:
    """Count a run once and return how many runs there are now."""
    connection.execute("INSERT OR IGNORE INTO run (id, at) VALUES (?, ?)", (run, clock.stamp(now)))
    return runs_now(connection)


def record(
    connection: apsw.Connection,
    now: datetime,
    shown: Sequence[dict[str, Any]],
    *,
    run: str,
    task: str,
    agent: str,
    query: str,
) -> None:
    """Remember what was shown to whom."""
    columns = (clock.stamp(now), run, task, agent, query, msgspec.json.encode(shown).decode())
    connection.execute(
        f"INSERT INTO injection ({', '.join(_FIELDS)}, memories, hash) VALUES (?, ?, ?, ?, ?, ?, ?)",
        (*columns, chain.row_hash(*columns)),
    )


def of_memory(connection: apsw.Connection, id: str, limit: int) -> list[dict[str, Any]]:
    """Return when a memory was shown, newest first."""
    found = connection.execute(
        f"SELECT {', '.join(_FIELDS)} FROM injection, json_each(memories) AS shown"
        " WHERE shown.value ->> 'id' = ? ORDER BY injection.n DESC LIMIT ?",
        (id, limit),
    )
    return [dict(zip(_FIELDS, row, strict=True)) for row in found]


def in_run(connection: apsw.Connection, run: str) -> set[str]:
    """Return the ids of the memories that were shown in a run."""
    found = connection.execute(
        "SELECT DISTINCT shown.value ->> 'id' FROM injection, json_each(memories) AS shown WHERE run = ?", (run,)
    )
    return {id for (id,) in found}
