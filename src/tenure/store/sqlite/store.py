"""The embedded store: rows, ledger, injections and full-text index in one SQLite file.

Every change is one transaction behind a lock that the kernel releases, and names the version it saw; a row altered
outside Tenure is never returned. `api.Store` says what each method promises.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tenure.files.trust import mark_of
from tenure.model import clock
from tenure.model.errors import StoreDamaged
from tenure.model.events import Life, Recorded, Revision
from tenure.model.memory import Verdict
from tenure.recall.query import Match, ParsedQuery
from tenure.store.records import Among, Row, SearchHit, SearchResult, of_layer
from tenure.store.sqlite import AMONG, NUMBER, chain, fulltext, ledger, likeness
from tenure.store.sqlite import changes as changesets
from tenure.store.sqlite.connection import explained, explains
from tenure.store.sqlite.lazy_connection import Handle
from tenure.store.sqlite.memory_rows import checked

if TYPE_CHECKING:
    from tenure.store.api import Best
    from tenure.store.sqlite.effects import SqliteEffects
    from tenure.store.sqlite.guards import SqliteGuardFires
    from tenure.store.sqlite.health import SqliteHealth
    from tenure.store.sqlite.injections import SqliteActivity
    from tenure.store.sqlite.overview import SqliteOverview
    from tenure.store.sqlite.vectors import SqliteVectors

# So many texts are looked up in one statement.
_AT_ONCE = 500


class SqliteStore(Handle):
    """One SQLite file of memories. Use it from one thread; open another for another."""

    @property
    def activity(self) -> SqliteActivity:
        """Runs, and what was shown to agents in them."""
        from tenure.store.sqlite.injections import SqliteActivity  # start-up: most commands show nothing

        return SqliteActivity(self)

    @property
    def effects(self) -> SqliteEffects:
        """Exposures and outcomes, by which the effect of memories is measured."""
        from tenure.store.sqlite.effects import SqliteEffects  # start-up: most commands measure nothing

        return SqliteEffects(self)

    @property
    def guards(self) -> SqliteGuardFires:
        """What came of guards at tool calls."""
        from tenure.store.sqlite.guards import SqliteGuardFires  # start-up: most commands guard nothing

        return SqliteGuardFires(self)

    @property
    def overview(self) -> SqliteOverview:
        """Long lists a page at a time, and counts by week."""
        from tenure.store.sqlite.overview import SqliteOverview  # start-up: only pages need it

        return SqliteOverview(self)

    @property
    def vectors(self) -> SqliteVectors:
        """What an encoder made of the texts."""
        from tenure.store.sqlite.vectors import SqliteVectors  # start-up: most commands have no encoder

        return SqliteVectors(self)

    @property
    def health(self) -> SqliteHealth:
        """Proof, repair and erasure."""
        from tenure.store.sqlite.health import SqliteHealth  # start-up: most commands need none of it

        return SqliteHealth(self)

    @contextlib.contextmanager
    def writing(self, *, makes: bool = True, many: bool = False) -> Iterator[None]:
        """Hold the store for one change."""
        rehearsing = not makes and not self.is_writing
        with self.rehearsal() if rehearsing else contextlib.nullcontext(), self.transaction():
            if not many:
                yield
                return
            from tenure.store.sqlite import bulk  # start-up: only imports

            with bulk.filling(self.connection):
                yield

    @property
    def place(self) -> str:
        """Where it is, for messages."""
        return str(self.path)

    @property
    def team(self) -> None:
        """Nobody but the user of this machine."""
        return

    @property
    def exists(self) -> bool:
        """Whether anything was ever written."""
        return self.path is not None and self.path.exists()

    @property
    def identity(self) -> str:
        """What tells this store from another one at the same place."""
        return mark_of(self.meta("key")) if self.exists else ""

    # Reading

    @explains
    def get(self, id: str) -> Row | None:
        """Return a memory; raise `StoreDamaged` when its row was altered behind our back."""
        found = self.rows("WHERE id = ?", (id,))
        if not found and id in self.damaged:
            raise StoreDamaged(
                f"{id} was altered outside Tenure and is not shown.",
                hint="`tenure check` shows what is wrong.",
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
        clauses: list[str] = []
        values: list[Any] = []
        # Beside ORDER BY, SQLite plans a statement anew for each number that a column is compared with; no cast one.
        given = (("state = ?", state), ("kind = ?", kind), ("fingerprint = CAST(? AS INTEGER)", fingerprint))
        for clause, value in given:
            if value not in ("", None):
                clauses.append(clause)
                values.append(value)
        names = None if files is None else changesets.file_names(files)
        about = "n IN (SELECT memory FROM memory_file WHERE name IN ({}))"
        for clause, listed in (("phase IN ({})", phases or None), ("n IN ({})", numbers), (about, names)):
            if listed is not None:
                clauses.append(clause.format(",".join("?" * len(listed))))
                values += listed
        if due is not None:
            clauses.append("due_at < ?")
            values.append(clock.stamp(due))
        order = "weight DESC, n" if by_weight else "n"
        most = "" if limit is None else f" LIMIT {int(limit)}"
        return self.rows(f"WHERE {' AND '.join(clauses) or '1'} {AMONG[among]} ORDER BY {order}{most}", values)

    @explains
    def ids(self, prefix: str = "", limit: int = 100_000) -> list[str]:
        """Return the ids that begin like this, sorted."""
        upper = prefix + "\U0010ffff"
        rows = self.connection.execute(
            "SELECT id FROM memory WHERE id >= ? AND id < ? ORDER BY id LIMIT ?", (prefix, upper, limit)
        )
        return [id for (id,) in rows]

    @explains
    def used_ids(self, ids: Sequence[str]) -> set[str]:
        """Return those of the ids that some memory has or ever had."""
        return changesets.known_ids(self.connection, ids)

    @explains
    def counts(self) -> dict[tuple[str, str, str], int]:
        """Return how many memories there are by phase, state and kind."""
        rows = self.connection.execute("SELECT phase, state, kind, count(*) FROM memory GROUP BY 1, 2, 3")
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
        query = fulltext.parsed(self.connection, text, beginnings=beginnings, beside=others)
        if not limit:
            return SearchResult(query, [], {})
        found, matches = fulltext.match(self.connection, query, limit, AMONG[among])
        if keep is not None and keep < len(found):
            # Only those that are kept are decoded.
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
        found = likeness.similar(self.connection, text, most_words, limit)
        rows = {row.number: row for row in self.find(numbers=found)} if found else {}
        return [rows[n] for n in found if n in rows]

    @explains
    def history(self, id: str, *, prove: bool = False) -> list[Recorded]:
        """Return what happened to a memory, oldest first."""
        return (ledger.proven if prove else ledger.of_memory)(self.connection, id)

    def batches(self, upto: int | None = None) -> Iterator[list[Recorded]]:
        """Return what each command wrote, newest first."""
        with explained(self.path):
            for number in ledger.batches(self.connection, upto):
                yield ledger.of_batch(self.connection, number)

    def setting(self, key: str) -> str:
        """Return a text kept beside the memories, empty when there is none."""
        return str(self.meta(key) or "")

    @explains
    def meta(self, key: str) -> Any:
        """Return a value of the store's own, None when there is none."""
        return self.connection.execute("SELECT value FROM meta WHERE key = ?", (key,)).get

    # Writing

    def commit(
        self, changes: Sequence[Revision | Life], verdicts: Sequence[Verdict | None], *, batch: int | None = None
    ) -> int:
        """Write a changeset, rows and ledger together, and return its batch number."""
        pairs = [(each, self._counting(each, v)) for each, v in zip(changes, verdicts, strict=True)]
        lives = [(life, v) for life, v in pairs if isinstance(life, Life)]
        revised = [(r, v) for r, v in pairs if isinstance(r, Revision)]
        with self.writing():
            if revised or not lives:
                batch = changesets.commit(
                    self.connection, [r for r, _ in revised], [v for _, v in revised], batch=batch
                )
            if lives:
                from tenure.store.sqlite import bulk  # start-up: only imports

                batch = bulk.admit(self.connection, lives, batch=batch)
        assert batch is not None
        return batch

    def _counting(self, change: Revision | Life, verdict: Verdict | None) -> Verdict | None:
        id = change.memory.id if isinstance(change, Life) else change.memory_id
        return self.judged(id, verdict) if verdict else None

    def keep(self, key: str, value: str) -> None:
        """Store a text beside the memories, when it is not there already."""
        if self.meta(key) != value:
            with self.writing():
                self.connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, value))
                if key.startswith(changesets.QUOTE):
                    changesets.move_quoted(self.connection, key.removeprefix(changesets.QUOTE))

    def refresh(self) -> None:
        """Do nothing: everything is in the database."""

    # Forgetting

    @explains
    def mark(self, text: str) -> bytes:
        """Return the keyed hash of a text."""
        key = self.meta("key")
        if not isinstance(key, bytes):
            # Without it a forgotten text would not be recognised, so nothing new is taken in.
            raise StoreDamaged("The store has lost its key; nothing was written.", hint="Run `tenure check`.")
        return chain.mark(key, text)

    @explains
    def forgotten(self, texts: Iterable[str]) -> set[str]:
        """Return those of the folded texts that were forgotten on request."""
        if not self.also_forgotten and not self.connection.execute("SELECT 1 FROM tombstone LIMIT 1").get:
            return set()
        marks = {self.mark(text): text for text in texts}
        wanted, found = list(marks), {text for mark, text in marks.items() if mark in self.also_forgotten}
        for start in range(0, len(wanted), _AT_ONCE):
            some = wanted[start : start + _AT_ONCE]
            left = f"SELECT mark FROM tombstone WHERE mark IN ({','.join('?' * len(some))})"
            found |= {marks[mark] for (mark,) in self.connection.execute(left, some)}
        return found

    def owns(self, path: Path) -> bool:
        """Tell whether a file is the database or stands beside it in its name."""
        if self.path is None:
            return False
        own, other = self.path.resolve(), path.resolve()
        return other.parent == own.parent and other.name.startswith(own.name)


def the_best(
    found: list[tuple[Any, ...]], matches: Mapping[int, Match], keep: int, query: ParsedQuery, best: Best | None
) -> list[tuple[Any, ...]]:
    """Return so many of what was found: those that hold most of the query, or are best as the caller judges it."""

    def held(row: tuple[Any, ...]) -> float:
        number = row[NUMBER]
        return best(query, matches[number], number) if best else matches[number].held

    return sorted(found, key=held, reverse=True)[:keep]
