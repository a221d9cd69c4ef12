"""What was shown to agents, and the runs in which it was: high volume, so not part of the ledger (`api.Activity`).

A note holds no words of a memory: what was shown is made again from the ledger, by version and length.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import apsw
import msgspec

from tenure.model import clock
from tenure.model.decoding import decoder
from tenure.model.errors import StoreDamaged
from tenure.store.records import Injected, Note, ShownIds
from tenure.store.sqlite import chain
from tenure.store.sqlite.connection import explains
from tenure.store.sqlite.lazy_connection import Handle

FIELDS = ("at", "run", "task", "agent", "query")
# The notes of one injection; what somebody altered may be no list.
_EACH = "json_each(iif(json_valid(memories), memories, '[]')) AS shown"
# No id can hold it.
_BETWEEN = "\x1f"
# Stands between the notes where a session was compacted, and shows nothing.
NOTHING = "[]"
# Set while erased words wait to be overwritten (`erasure.finish`).
PENDING = "erasure_pending"


notes_of = decoder(tuple[Note, ...], strict=False)


class SqliteActivity:
    """Runs and injections of one store."""

    __slots__ = ("_store", "path")

    def __init__(self, store: Handle) -> None:
        self._store, self.path = store, store.path

    def record_run(self, run: str, now: datetime) -> int:
        """Count a run once and return how many runs there are now."""
        with self._store.transaction():
            count = "INSERT OR IGNORE INTO run (id, at) VALUES (?, ?)"
            self._store.connection.execute(count, (run, clock.stamp(now)))
            return self._store.runs()

    def record(
        self, now: datetime, notes: Sequence[Note | Mapping[str, Any]], *, run: str, task: str, agent: str, query: str
    ) -> None:
        """Remember what was shown to whom."""
        columns = (clock.stamp(now), run, task, agent, query, msgspec.json.encode(notes).decode())
        with self._store.transaction():
            self._store.connection.execute(
                f"INSERT INTO injection ({', '.join(FIELDS)}, memories, hash) VALUES (?, ?, ?, ?, ?, ?, ?)",
                (*columns, chain.row_hash(*columns)),
            )

    @explains
    def shown(
        self, limit: int | None = None, *, id: str = "", run: str = "", task: str = "", agent: str = ""
    ) -> list[ShownIds]:
        """Return the newest injections first: all, or those of a memory, a run, a task or an agent."""
        wanted = {name: value for name, value in (("run", run), ("task", task), ("agent", agent)) if value}
        clauses = ["memories != ?", *(f"{name} = ?" for name in wanted)]
        values: list[Any] = [NOTHING, *wanted.values()]
        if id:
            clauses.append(f"? IN (SELECT shown.value ->> 'id' FROM {_EACH})")
            values.append(id)
        ids = f"(SELECT group_concat(shown.value ->> 'id', '{_BETWEEN}') FROM {_EACH})"
        found = self._store.connection.execute(
            f"SELECT n, {', '.join(FIELDS)}, {ids} FROM injection"
            f" WHERE {' AND '.join(clauses)} ORDER BY n DESC LIMIT ?",
            (*values, -1 if limit is None else limit),
        )
        return [
            ShownIds(number=n, **dict(zip(FIELDS, facts, strict=True)), ids=tuple(ids.split(_BETWEEN)) if ids else ())
            for n, *facts, ids in found
        ]

    @explains
    def injection(self, number: int | None) -> Injected | None:
        """Return one injection with its notes, the newest without a number; None when there is none."""
        which = "n = ?1" if number is not None else "memories != ?2"
        row = self._store.connection.execute(
            f"SELECT n, {', '.join(FIELDS)}, memories, hash FROM injection WHERE {which} ORDER BY n DESC LIMIT 1",
            (number, NOTHING)[: 1 + (number is None)],
        ).fetchone()
        return injected(row) if row else None

    def reword(self, number: int, *, query: str, task: str) -> None:
        """Replace what an injection was asked for; the words before are overwritten as those of the forgotten are."""
        with self._store.transaction():
            connection = self._store.connection
            select = "SELECT at, run, agent, memories FROM injection WHERE n = ?"
            for at, run, agent, notes in connection.execute(select, (number,)).fetchall():
                values = (query, task, chain.row_hash(at, run, task, agent, query, notes), number)
                connection.execute("UPDATE injection SET query = ?, task = ?, hash = ? WHERE n = ?", values)
            connection.execute("INSERT OR REPLACE INTO meta VALUES (?, 1)", (PENDING,))


def injected(row: Sequence[Any]) -> Injected:
    """Return an injection from its row, the hash last; raise `StoreDamaged` when it was altered outside Tenure."""
    n, *columns, hash = row
    try:
        if chain.row_hash(*columns) != hash:
            raise msgspec.DecodeError("its hash does not hold")
        return Injected(number=n, **dict(zip(FIELDS, columns, strict=False)), notes=notes_of(columns[-1]))
    except (msgspec.DecodeError, msgspec.ValidationError) as error:
        raise StoreDamaged(
            f"The note of injection {n} was altered outside Tenure: {error}.",
            hint="`tenure check` shows what is wrong.",
        ) from None


def erase(connection: apsw.Connection, memory_id: str) -> None:
    """Blank the queries a memory was shown for, and what its notes could tell about its words."""
    shown = connection.execute(
        "SELECT n, at, run, task, agent, '', memories FROM injection WHERE EXISTS (SELECT 1 FROM"
        f" {_EACH} WHERE shown.value ->> 'id' = ?)",
        (memory_id,),
    ).fetchall()
    changed = [(n, *facts, bare(str(notes), memory_id)) for n, *facts, notes in shown]
    connection.executemany(
        "UPDATE injection SET query = '', memories = ?2, hash = ?3 WHERE n = ?1",
        [(n, columns[-1], chain.row_hash(*columns)) for n, *columns in changed],
    )


def bare(notes: str, memory_id: str) -> str:
    """Return notes without what one memory's could tell about its words."""
    kept = msgspec.json.decode(notes)
    if "/" in memory_id:
        # Of what a team shares even the id is made of words.
        kept = [note for note in kept if not (isinstance(note, dict) and note.get("id") == memory_id)]
    for note in kept:
        if isinstance(note, dict) and note.get("id") == memory_id:
            for telling in ("seal", "why", "line"):
                note.pop(telling, None)
    return msgspec.json.encode(kept).decode()
