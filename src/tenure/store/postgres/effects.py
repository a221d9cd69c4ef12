"""Exposures and outcomes, by which the effect of memories is measured (`api.Effects`)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from tenure.store.postgres import queries
from tenure.store.postgres.connection import explains
from tenure.store.postgres.handle import Handle
from tenure.store.records import Exposed, SessionOutcome
from tenure.store.sqlite import chain
from tenure.store.sqlite.effects import exposed_of, exposure_columns, outcome_columns, outcome_of

FIELDS = SessionOutcome.__struct_fields__


class PostgresEffects:
    """Exposures and outcomes of one project."""

    __slots__ = ("_store", "place")

    def __init__(self, store: Handle) -> None:
        self._store, self.place = store, store.place

    @explains
    def known(self, session: str, ids: Sequence[str]) -> tuple[bytes, bool | None, list[tuple[Any, ...]]]:
        """Return the project's secret, the arm of the session's block, and what the coin must know of memories."""
        values = {"project": self._store.project, "session": session, "ids": list(ids)}
        rows = self._store.connection.execute(queries.KNOWN_TO_THE_COIN, values).fetchall()
        secret, block = rows[0][:2] if rows else (b"", None)
        return secret, None if block is None else bool(block), [row[2:] for row in rows]

    def expose(self, exposures: Iterable[Exposed]) -> None:
        """Write down exposures; the first of a memory in a session stands."""
        rows = [exposure_columns(one) for one in exposures]
        if rows:
            with self._store.transaction():
                project = self._store.project
                self._store.many(queries.EXPOSE, [(project, *row, chain.row_hash(*row)) for row in rows])

    @explains
    def exposures(self, *, session: str = "", memory: str = "") -> list[Exposed]:
        """Return exposures in the order they came: all, or those of a session or a memory."""
        wanted = [(name, value) for name, value in (("session", session), ("memory", memory)) if value]
        where = " ".join(f"AND {name} = %s" for name, _ in wanted)
        rows = self._store.all(queries.EXPOSURES.format(where), (self._store.project, *(value for _, value in wanted)))
        return [exposed_of(columns) for _, *columns, hash in rows if chain.row_hash(*columns) == hash]

    def settle(self, session: str, *, crossed: Iterable[str] = (), own: Iterable[tuple[str, bool]] = ()) -> None:
        """Write down which held memories reached the agent after all, and what came of the signals memories own."""
        changes: list[tuple[str, dict[str, bool]]] = [(id, {"crossed": True}) for id in crossed]
        changes += [(id, {"own": bit}) for id, bit in own]
        with self._store.transaction():
            found = {one.memory: one for one in self.exposures(session=session)}
            for id, change in changes:
                if id in found:
                    found[id] = msgspec.structs.replace(found[id], **change)
            rows = [exposure_columns(found[id]) for id in {id for id, _ in changes} if id in found]
            project = self._store.project
            self._store.many(
                queries.SETTLE, [(row[-2], row[-1], chain.row_hash(*row), project, row[0], row[1]) for row in rows]
            )

    def conclude(self, outcome: SessionOutcome) -> None:
        """Write down what came of a session; one that goes on after its end is written again."""
        columns = outcome_columns(outcome)
        marks = ", ".join(["%s"] * (len(columns) + 2))
        again = ", ".join(f"{name} = excluded.{name}" for name in (*FIELDS[1:], "hash"))
        with self._store.transaction():
            statement = queries.CONCLUDE.format(", ".join(FIELDS), marks, again)
            self._store.connection.execute(statement, (self._store.project, *columns, chain.row_hash(*columns)))

    @explains
    def costs(self) -> list[tuple[str, str, str, int]]:
        """Return (session, host, memory, characters) of everything that was ever shown and whose length was noted."""
        rows = self._store.all(queries.COSTS, (self._store.project,))
        return [(str(session), str(host), str(id), int(chars)) for session, host, id, chars in rows]

    @explains
    def outcomes(self, *, session: str = "", limit: int | None = None) -> list[SessionOutcome]:
        """Return what came of sessions, in the order they ended; with a limit the last ones, or that of one session."""
        where, values = ("AND session = %s", [session]) if session else ("", [])
        statement = queries.OUTCOMES.format(", ".join(FIELDS), where)
        rows = self._store.all(statement, (self._store.project, *values, limit))
        return [outcome_of(columns) for _, *columns, hash in reversed(rows) if chain.row_hash(*columns) == hash]
