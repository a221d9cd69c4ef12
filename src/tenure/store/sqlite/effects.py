"""Exposures and outcomes, by which the effect of memories is measured (`api.Effects`).

Hooks write exposures too (`hook_reader`), so columns and hash are the same in both. A memory that is forgotten takes
its exposures with it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import apsw
import msgspec

from tenure.model.decoding import convert
from tenure.store.records import Exposed, SessionOutcome
from tenure.store.sqlite import EXPOSURE_COLUMNS, KNOWN_TO_THE_COIN, chain
from tenure.store.sqlite.connection import explains
from tenure.store.sqlite.lazy_connection import Handle

_EXPOSURE = ", ".join(EXPOSURE_COLUMNS)
_FIELDS = SessionOutcome.__struct_fields__
_OUTCOME = ", ".join(_FIELDS)


class SqliteEffects:
    """Exposures and outcomes of one store."""

    __slots__ = ("_store", "path")

    def __init__(self, store: Handle) -> None:
        self._store, self.path = store, store.path

    @explains
    def known(self, session: str, ids: Sequence[str]) -> tuple[bytes, bool | None, list[tuple[Any, ...]]]:
        """Return the store's secret, the arm of the session's block, and what the coin must know of memories."""
        asked = KNOWN_TO_THE_COIN.format(",".join("?" * len(ids)))
        rows = self._store.connection.execute(asked, (session, *ids)).fetchall()
        secret: Any
        secret, block = rows[0][:2] if rows else (b"", None)
        return secret, None if block is None else bool(block), [row[2:] for row in rows]

    def expose(self, exposures: Iterable[Exposed]) -> None:
        """Write down exposures; the first of a memory in a session stands."""
        rows = [exposure_columns(one) for one in exposures]
        if rows:
            with self._store.transaction():
                marks = ", ".join("?" * (len(EXPOSURE_COLUMNS) + 1))
                self._store.connection.executemany(
                    f"INSERT INTO exposure ({_EXPOSURE}, hash) VALUES ({marks}) ON CONFLICT DO NOTHING",
                    [(*row, chain.row_hash(*row)) for row in rows],
                )

    @explains
    def exposures(self, *, session: str = "", memory: str = "") -> list[Exposed]:
        """Return exposures in the order they came: all, or those of a session or a memory."""
        wanted = [(name, value) for name, value in (("session", session), ("memory", memory)) if value]
        where = " AND ".join(f"{name} = ?" for name, _ in wanted) or "1"
        rows = self._store.connection.execute(
            f"SELECT {_EXPOSURE}, hash FROM exposure WHERE {where} ORDER BY n", [value for _, value in wanted]
        )
        # A row that somebody altered is no evidence; `tenure check` names it.
        return [exposed_of(columns) for *columns, hash in rows if chain.row_hash(*columns) == hash]

    def settle(self, session: str, *, crossed: Iterable[str] = (), own: Iterable[tuple[str, bool]] = ()) -> None:
        """Write down which held memories reached the agent after all, and what came of the signals memories own."""
        changes = [(id, {"crossed": True}) for id in crossed] + [(id, {"own": bit}) for id, bit in own]
        with self._store.transaction():
            found = {one.memory: one for one in self.exposures(session=session)}
            for id, change in changes:
                if id in found:
                    found[id] = msgspec.structs.replace(found[id], **change)
            changed = {id for id, _ in changes}
            rows = [exposure_columns(one) for one in found.values() if one.memory in changed]
            self._store.connection.executemany(
                "UPDATE exposure SET crossed = ?3, own = ?4, hash = ?5 WHERE session = ?1 AND memory = ?2",
                [(row[0], row[1], row[-2], row[-1], chain.row_hash(*row)) for row in rows],
            )

    def conclude(self, outcome: SessionOutcome) -> None:
        """Write down what came of a session; one that goes on after its end is written again."""
        columns = outcome_columns(outcome)
        with self._store.transaction():
            marks = ", ".join("?" * (len(columns) + 1))
            again = ", ".join(f"{name} = excluded.{name}" for name in (*_FIELDS[1:], "hash"))
            self._store.connection.execute(
                f"INSERT INTO outcome ({_OUTCOME}, hash) VALUES ({marks}) ON CONFLICT (session) DO UPDATE SET {again}",
                (*columns, chain.row_hash(*columns)),
            )

    @explains
    def costs(self) -> list[tuple[str, str, str, int]]:
        """Return (session, host, memory, characters) of everything that was ever shown and whose length was noted."""
        rows = self._store.connection.execute(
            "SELECT run, agent, shown.value ->> 'id', sum(shown.value ->> 'chars') FROM injection,"
            " json_each(iif(json_valid(memories), memories, '[]')) AS shown"
            " WHERE shown.value ->> 'chars' > 0 GROUP BY 1, 2, 3"
        )
        return [(str(session), str(host), str(id), int(chars)) for session, host, id, chars in rows]

    @explains
    def outcomes(self, *, session: str = "", limit: int | None = None) -> list[SessionOutcome]:
        """Return what came of sessions, in the order they ended; with a limit the last ones, or that of one session."""
        where, values = ("session = ?", [session]) if session else ("1", [])
        rows = self._store.connection.execute(
            f"SELECT {_OUTCOME}, hash FROM outcome WHERE {where} ORDER BY n DESC LIMIT ?",
            (*values, -1 if limit is None else limit),
        ).fetchall()
        return [outcome_of(columns) for *columns, hash in reversed(rows) if chain.row_hash(*columns) == hash]


def erase(connection: apsw.Connection, memory_id: str) -> None:
    """Remove the exposures of a memory: no id of something forgotten stays."""
    connection.execute("DELETE FROM exposure WHERE memory = ?", (memory_id,))


def altered(connection: apsw.Connection) -> Iterator[str]:
    """Return where an exposure or an outcome is not as Tenure wrote it."""
    for table, columns in (("exposure", _EXPOSURE), ("outcome", _OUTCOME)):
        for n, *row, hash in connection.execute(f"SELECT n, {columns}, hash FROM {table}"):
            if chain.row_hash(*row) != hash:
                yield f"{table} {n}"


def outcome_columns(outcome: SessionOutcome) -> list[Any]:
    """Return an outcome as it is kept."""
    columns = [getattr(outcome, name) for name in _FIELDS[:-1]]
    columns = [int(value) if isinstance(value, bool) else value for value in columns]
    return [*columns, msgspec.json.encode(outcome.errors).decode()]


def exposure_columns(one: Exposed) -> tuple[object, ...]:
    """Return an exposure as it is kept."""
    values = (getattr(one, name) for name in EXPOSURE_COLUMNS)
    return tuple(int(value) if isinstance(value, bool) else value for value in values)


def exposed_of(columns: Sequence[object]) -> Exposed:
    """Return an exposure as it is read."""
    facts = dict(zip(EXPOSURE_COLUMNS, columns, strict=True))
    own = facts["own"]
    flags = {
        "shown": bool(facts["shown"]),
        "crossed": bool(facts["crossed"]),
        "own": None if own is None else bool(own),
    }
    return convert(facts | flags, Exposed)


def outcome_of(columns: Sequence[object]) -> SessionOutcome:
    """Return an outcome as it is read."""
    facts = dict(zip(_FIELDS, columns, strict=True))
    red = facts["ended_red"]
    facts |= {"ended_red": None if red is None else bool(red), "errors": msgspec.json.decode(str(facts["errors"]))}
    return convert(facts, SessionOutcome)
