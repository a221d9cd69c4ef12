"""What was shown to agents, and the runs in which it was: high volume, so not part of the ledger.

A note holds no words of a memory: what was shown is made again from the ledger, by version and length.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import apsw
import msgspec

from tenure.model import clock
from tenure.model.errors import StoreDamaged
from tenure.store.sqlite import chain

_FIELDS = ("at", "run", "task", "agent", "query")
_FACTS = ("run", "task", "agent")
# Stands between the notes where a session was compacted, and shows nothing.
_NOTHING = "[]"


class Note(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One memory of an injection, as every path that shows memories writes it down."""

    id: str
    score: float = 0.0
    # None where an earlier version of Tenure noted only the id.
    version: int | None = None
    # Which of the three lengths of `recall.budget`: line, summary, full.
    length: int | None = None
    # How long its summary was: the policy of that time cut it.
    line: int | None = None
    # What each signal added to the score, or why it was shown in words.
    terms: dict[str, float] = {}
    why: str = ""
    evidence: float | None = None
    conflicts: tuple[str, ...] = ()
    stale: bool = False
    caution: bool = False
    # Which block it stood in: "" for the fenced one, "tool" for that of a tool call, or a dialect's own.
    shape: str = ""
    seal: str = ""


class Shown(msgspec.Struct, frozen=True, kw_only=True):
    """When something was shown, to whom and for what."""

    number: int
    at: str
    run: str
    task: str
    agent: str
    query: str


class Injected(Shown, frozen=True, kw_only=True):
    """One injection, with the notes of what was shown."""

    notes: tuple[Note, ...]


_notes = msgspec.json.Decoder(tuple[Note, ...], strict=False).decode


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
    shown: Sequence[Note | Mapping[str, Any]],
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
    """Return when a memory was shown and the injection's number, newest first."""
    found = connection.execute(
        f"SELECT n, {', '.join(_FIELDS)} FROM injection, json_each(memories) AS shown"
        " WHERE shown.value ->> 'id' = ? ORDER BY injection.n DESC LIMIT ?",
        (id, limit),
    )
    return [dict(zip(("number", *_FIELDS), row, strict=True)) for row in found]


def numbered(connection: apsw.Connection, number: int | None) -> Injected | None:
    """Return one injection, the newest without a number; None when there is none."""
    which = "n = ?1" if number is not None else "memories != ?2"
    row = connection.execute(
        f"SELECT n, {', '.join(_FIELDS)}, memories, hash FROM injection WHERE {which} ORDER BY n DESC LIMIT 1",
        (number, _NOTHING)[: 1 + (number is None)],
    ).fetchone()
    if row is None:
        return None
    n, *columns, hash = row
    try:
        if chain.row_hash(*columns) != hash:
            raise msgspec.DecodeError("its hash does not hold")
        return Injected(number=n, **dict(zip(_FIELDS, columns, strict=False)), notes=_notes(columns[-1]))
    except (msgspec.DecodeError, msgspec.ValidationError) as error:
        raise StoreDamaged(
            f"The note of injection {n} was altered outside Tenure: {error}.",
            hint="`tenure check` tells what is wrong.",
        ) from None


def recent(connection: apsw.Connection, limit: int, facts: Mapping[str, str]) -> list[dict[str, Any]]:
    """Return the newest injections with their numbers and how many memories each showed; `facts` narrows them."""
    wanted = {name: facts[name] for name in _FACTS if facts.get(name)}
    narrowed = "".join(f" AND {name} = ?" for name in wanted)
    found = connection.execute(
        f"SELECT n, {', '.join(_FIELDS)}, iif(json_valid(memories), json_array_length(memories), 0) FROM injection"
        f" WHERE memories != ?{narrowed} ORDER BY n DESC LIMIT ?",
        (_NOTHING, *wanted.values(), limit),
    )
    return [dict(zip(("number", *_FIELDS, "memories"), row, strict=True)) for row in found]


def in_run(connection: apsw.Connection, run: str) -> set[str]:
    """Return the ids of the memories that were shown in a run."""
    found = connection.execute(
        "SELECT DISTINCT shown.value ->> 'id' FROM injection, json_each(memories) AS shown WHERE run = ?", (run,)
    )
    return {id for (id,) in found}


def erase(connection: apsw.Connection, memory_id: str) -> None:
    """Blank the queries a memory was shown for, and what its notes could tell about its words."""
    shown = connection.execute(
        "SELECT n, at, run, task, agent, '', memories FROM injection WHERE EXISTS (SELECT 1 FROM"
        " json_each(iif(json_valid(memories), memories, '[]')) AS shown WHERE shown.value ->> 'id' = ?)",
        (memory_id,),
    ).fetchall()
    changed = [(n, *facts, _bare(str(notes), memory_id)) for n, *facts, notes in shown]
    connection.executemany(
        "UPDATE injection SET query = '', memories = ?2, hash = ?3 WHERE n = ?1",
        [(n, columns[-1], chain.row_hash(*columns)) for n, *columns in changed],
    )


def _bare(notes: str, memory_id: str) -> str:
    kept = msgspec.json.decode(notes)
    for note in kept:
        if isinstance(note, dict) and note.get("id") == memory_id:
            for telling in ("seal", "why", "line"):
                note.pop(telling, None)
    return msgspec.json.encode(kept).decode()
