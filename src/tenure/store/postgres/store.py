"""A project's memories in a team's database (`api.Store`): the same promises as the store in one file.

One writer per project at a time; the database keeps the ledger without gaps and its chain in line.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from tenure.files.trust import mark_of
from tenure.model import clock
from tenure.model.errors import StoreDamaged, StoreUnreachable
from tenure.model.events import Life, Recorded, Revision
from tenure.model.memory import Verdict
from tenure.store.postgres import changes as changesets
from tenure.store.postgres import checking, ledger, queries, search
from tenure.store.postgres.connection import explained, explains, sql
from tenure.store.postgres.handle import Handle
from tenure.store.records import Among, Changes, CommonWords, Copy, HarmReport, Row, SearchHit, SearchResult, of_layer
from tenure.store.sqlite import AMONG, chain, fulltext
from tenure.store.sqlite.changes import QUOTE, file_names
from tenure.store.sqlite.memory_rows import checked
from tenure.store.sqlite.store import SqliteStore, the_best

if TYPE_CHECKING:
    from tenure.store.api import Best
    from tenure.store.postgres.activity import PostgresActivity
    from tenure.store.postgres.effects import PostgresEffects
    from tenure.store.postgres.guards import PostgresGuardFires
    from tenure.store.postgres.health import PostgresHealth
    from tenure.store.postgres.overview import PostgresOverview
    from tenure.store.postgres.vectors import PostgresVectors

# A copy that is further behind than that is made anew.
MOST_CHANGES = 500


class PostgresStore(Handle):
    """One project of a team's database. Use it from one thread; open another for another."""

    # The connection that listens for changes, once one does.
    _channel: Any = None

    @property
    def activity(self) -> PostgresActivity:
        """Runs, and what was shown to agents in them."""
        from tenure.store.postgres.activity import PostgresActivity  # start-up: most commands show nothing

        return PostgresActivity(self)

    @property
    def effects(self) -> PostgresEffects:
        """Exposures and outcomes, by which the effect of memories is measured."""
        from tenure.store.postgres.effects import PostgresEffects  # start-up: most commands measure nothing

        return PostgresEffects(self)

    @property
    def guards(self) -> PostgresGuardFires:
        """What came of guards at tool calls."""
        from tenure.store.postgres.guards import PostgresGuardFires  # start-up: most commands guard nothing

        return PostgresGuardFires(self)

    @property
    def overview(self) -> PostgresOverview:
        """Long lists a page at a time, and counts by week."""
        from tenure.store.postgres.overview import PostgresOverview  # start-up: only pages need it

        return PostgresOverview(self)

    @property
    def vectors(self) -> PostgresVectors:
        """What an encoder made of the texts."""
        from tenure.store.postgres.vectors import PostgresVectors  # start-up: most commands have no encoder

        return PostgresVectors(self)

    @property
    def health(self) -> PostgresHealth:
        """Proof, repair and erasure."""
        from tenure.store.postgres.health import PostgresHealth  # start-up: most commands need none of it

        return PostgresHealth(self)

    @property
    def exists(self) -> bool:
        """Whether anything was ever written."""
        return bool(self.project)

    @property
    def identity(self) -> str:
        """What tells this store from another one at the same place."""
        return mark_of(self._key()) if self.exists else ""

    # Reading

    @explains
    def get(self, id: str) -> Row | None:
        """Return a memory; raise `StoreDamaged` when its row was altered behind our back."""
        found = self.rows("AND id = %s", (id,))
        if not found and id in self.damaged:
            raise StoreDamaged(
                f"{id} was altered outside Tenure and is not shown.", hint="`tenure check` shows what is wrong."
            )
        return found[0] if found else None

    @explains
    def find(
        self,
        *,
        among: Among = "all",
        phases: Sequence[str] = (),
        state: str = "",
        kind: str = "",
        due: datetime | None = None,
        fingerprint: int | None = None,
        numbers: Sequence[int] | None = None,
        files: Sequence[str] | None = None,
        by_weight: bool = False,
        limit: int | None = None,
    ) -> list[Row]:
        """Return the memories that fit all that is given."""
        clauses: list[str] = [queries.AMONG[among]]
        values: list[Any] = []
        for column, value in (("state", state), ("kind", kind), ("fingerprint", fingerprint)):
            if value not in ("", None):
                clauses.append(f"AND {column} = %s")
                values.append(value)
        for clause, listed in (("AND phase = ANY (%s)", phases or None), ("AND n = ANY (%s)", numbers)):
            if listed is not None:
                clauses.append(clause)
                values.append(list(listed))
        if files is not None:
            clauses.append(f"AND {queries.ABOUT_FILES}")
            values += [self.project, file_names(files)]
        if due is not None:
            clauses.append("AND due_at < %s")
            values.append(clock.stamp(due))
        clauses.append(f"ORDER BY {'weight DESC, n' if by_weight else 'n'} LIMIT %s")
        return self.rows(" ".join(clauses), [*values, limit])

    @explains
    def ids(self, prefix: str = "", limit: int = 100_000) -> list[str]:
        """Return the ids that begin like this, sorted."""
        return [id for (id,) in self.all(queries.IDS, (self.project, prefix, prefix + "\U0010ffff", limit))]

    @explains
    def used_ids(self, ids: Sequence[str]) -> set[str]:
        """Return those of the ids that some memory has or ever had."""
        return {id for (id,) in self.all(queries.USED_IDS, (self.project, list(ids)))}

    @explains
    def counts(self) -> dict[tuple[str, str, str], int]:
        """Return how many memories there are by phase, state and kind."""
        rows = self.all(queries.COUNTS, (self.project,))
        return {(phase, state, kind): count for phase, state, kind, count in rows}

    @explains
    def search(
        self,
        text: str,
        limit: int,
        *,
        among: Among = "all",
        keep: int | None = None,
        best: Best | None = None,
        beginnings: bool = False,
        beside: Mapping[str, SqliteStore] | None = None,
    ) -> SearchResult:
        """Return how a text is read as a query, and the memories that hold any of its words."""
        others = [store.connection for store in (beside or {}).values()]
        query = search.parsed(self, text, beginnings=beginnings, beside=others)
        if not limit:
            return SearchResult(query, [], {})
        found, matches = search.match(self, query, limit, among)
        if keep is not None and keep < len(found):
            found = the_best(found, matches, keep, query, best)
        hits = [SearchHit(row, matches[row.number]) for row in checked(found, self.damaged)]
        for place, (layer, store) in enumerate((beside or {}).items(), start=1):
            there, theirs = fulltext.match(store.connection, query, limit, AMONG[among])
            for row in checked(there, store.damaged):
                moved = of_layer(row, layer, place)
                matches[moved.number] = theirs[row.number]
                hits.append(SearchHit(moved, theirs[row.number]))
        return SearchResult(query, hits, matches)

    @explains
    def similar(self, text: str, limit: int, most_words: int) -> list[Row]:
        """Return the memories most like a text by its longest words, best first."""
        found = search.similar(self, text, most_words, limit)
        rows = {row.number: row for row in self.find(numbers=found)} if found else {}
        return [rows[n] for n in found if n in rows]

    @explains
    def history(self, id: str, *, prove: bool = False) -> list[Recorded]:
        """Return what happened to a memory, oldest first."""
        return (ledger.proven if prove else ledger.of_memory)(self, id)

    def batches(self, upto: int | None = None) -> Iterator[list[Recorded]]:
        """Return what each command wrote, newest first."""
        with explained(self.place):
            yield from ledger.batches(self, upto)

    @explains
    def setting(self, key: str) -> str:
        """Return a text kept beside the memories, empty when there is none."""
        return str(self.value(queries.SETTING, (self.project, key)) or "")

    # Copies on people's machines

    @explains
    def changes_since(self, seq: int, proof: str) -> Changes | None:
        """Return what changed after a proven entry, None when that entry is not of this ledger; from 0 on, everything.

        Every entry is proved against the one before and every memory against its entries: `StoreDamaged` otherwise.
        """
        with self.one_view():
            start = bytes.fromhex(proof) if seq else chain.START
            ids = ledger.changed_since(self, seq, start)
            if ids is None:
                if seq and self.value(queries.CHAIN_OF, (self.project, seq)) != proof.lower():
                    return None
                raise StoreDamaged(f"The ledger of {self.place} does not prove itself.", hint="Run `tenure check`.")
            head = self.health.head()
            if seq and len(ids) > MOST_CHANGES:
                return None
            rows = self.find() if not seq else sorted(self.rows("AND id = ANY (%s)", (list(ids),)), key=_number)
            made = checking.folds(self, None if not seq else list(ids))
            for row in rows:
                if made.get(row.memory.id) != (row.version, row.memory):
                    raise StoreDamaged(
                        f"{row.memory.id} is not what its entries make of it.", hint="Run `tenure check`."
                    )
            counted = int(self.setting(changesets.COUNTED_AT) or 0)
            common = CommonWords(counted, [(w, n) for w, n in self.all(queries.ALL_COMMON, (self.project,))])
            return Changes(head[0], head[1], tuple(ids), rows, common)

    @explains
    def heard(self, seconds: float) -> bool:
        """Wait so long for a change of the project, and say whether there was one; the first call begins to listen."""
        connection = self.connection
        if self._channel is not connection:
            channel = self.value(queries.CHANNEL, (self.project,))
            if channel is None:
                raise StoreUnreachable(f"{self.place} has no project of this name yet.")
            connection.execute(sql.SQL("LISTEN {}").format(sql.Identifier(channel)))
            self._channel = connection
        return any(True for _ in connection.notifies(timeout=seconds, stop_after=1))

    @explains
    def figures(self) -> dict[str, int]:
        """Return what there is of the project, by name."""
        found = self.one(queries.PROJECT_FIGURES, (self.project,))
        names = ("entries", "memories", "approvals", "in_use", "pending", "commands", "forgotten")
        return dict(zip(names, map(int, found[1:]), strict=True)) if found else dict.fromkeys(names, 0)

    @explains
    def reports(self, limit: int) -> list[HarmReport]:
        """Return the last report of harm about each memory in use that nobody decided about since."""
        rows = self.all(queries.REPORTS, (self.project, limit))
        told = ((id, actor, msgspec.json.decode(payload)["event"]["detail"]) for id, actor, payload in rows)
        return [HarmReport(id, actor, str(detail.get("notes", ""))) for id, actor, detail in told]

    def note_copy(self, name: str, seq: int) -> None:
        """Write down how far a copy has come; a change of no memory."""
        with explained(self.place):
            self.connection.execute(queries.NOTE_COPY, (self.project, name, seq))

    @explains
    def copies(self) -> list[Copy]:
        """Return how far each copy has come."""
        rows = self.all(queries.COPIES, (self.project,))
        return [Copy(name=name, role=role, entry=seq, at=clock.stamp(at)) for name, role, seq, at in rows]

    # Writing

    @contextlib.contextmanager
    def writing(self, *, makes: bool = True, many: bool = False) -> Iterator[None]:
        """Hold the project for one change."""
        with self.transaction(makes=makes):
            yield

    def commit(
        self, changes: Sequence[Revision | Life], verdicts: Sequence[Verdict | None], *, batch: int | None = None
    ) -> int:
        """Write a changeset, rows and ledger together, and return its batch number."""
        with self.transaction():
            return changesets.commit(self, changes, verdicts, batch=batch)

    def keep(self, key: str, value: str) -> None:
        """Store a text beside the memories, when it is not there already.

        What holds for everybody is people's to say: under an agent's role nothing is stored then.
        """
        if self.setting(key) != value and self.value(queries.MAY_KEEP, (key,)):
            with self.transaction():
                self.connection.execute(queries.KEEP_SETTING, (self.project, key, value))
                if key.startswith(QUOTE):
                    self.connection.execute(queries.MOVE_QUOTED, (key.removeprefix(QUOTE),))

    def refresh(self) -> None:
        """Do nothing: everything is in the database."""

    # Forgetting

    @explains
    def mark(self, text: str) -> bytes:
        """Return the keyed hash of a text."""
        return chain.mark(self._key(), text)

    @explains
    def forgotten(self, texts: Iterable[str]) -> set[str]:
        """Return those of the folded texts that were forgotten on request."""
        if not self.also_forgotten and self.value(queries.ANY_MARK, (self.project,)) is None:
            return set()
        marks = {self.mark(text): text for text in texts}
        found = {text for mark, text in marks.items() if mark in self.also_forgotten}
        return found | {marks[mark] for (mark,) in self.all(queries.MARKS, (self.project, list(marks)))}

    def owns(self, path: Path) -> bool:
        """Tell whether a path is this address; nobody exports over it."""
        return str(path) == str(Path(self.place))

    def _key(self) -> bytes:
        key = self.value(queries.KEY, (self.project,))
        if not isinstance(key, bytes):
            raise StoreDamaged("The project has lost its key; nothing was written.", hint="Run `tenure check`.")
        return key


def _number(row: Row) -> int:
    return row.number
