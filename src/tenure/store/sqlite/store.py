"""The embedded store: rows, ledger, injections and full-text index in one SQLite file.

Every change is one transaction behind a lock that the kernel releases, and names the version it saw; a row altered
outside Tenure is never returned.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from tenure.model import clock
from tenure.model.errors import StoreDamaged
from tenure.model.events import Life, Recorded, Revision
from tenure.model.memory import Memory, Verdict
from tenure.recall.query import Asked
from tenure.store.sqlite import bulk, chain, changes, erasure, fulltext, ledger, likeness, vectors
from tenure.store.sqlite import injections as shown
from tenure.store.sqlite.connection import explained, explains, holding
from tenure.store.sqlite.lazy_connection import Handle
from tenure.store.sqlite.rows import COLUMNS, QUALIFIED, Row, checked, select

__all__ = ["COLUMNS", "Row", "SqliteStore"]
_AMONG = {"": "", "eligible": "AND memory.eligible = 1", "present": "AND memory.phase != 'gone'"}


class SqliteStore(Handle):
    """One SQLite file of memories. Use it from one thread; open another for another."""

    def __init__(self, path: Path | None) -> None:
        super().__init__(path)
        # The ids of rows that were altered behind our back and are not served.
        self.damaged: list[str] = []

    # Reading

    @explains
    def get(self, id: str) -> Row | None:
        """Return a memory; raise `StoreDamaged` when its row was altered behind our back."""
        found = self._rows("WHERE id = ?", (id,))
        if not found and id in self.damaged:
            raise StoreDamaged(
                f"{id} was altered outside Tenure and is not shown.",
                hint="`tenure check` tells what is wrong.",
            )
        return found[0] if found else None

    @explains
    def ids_with_prefix(self, prefix: str, limit: int = 20) -> list[str]:
        """Return the ids that begin like this."""
        upper = prefix + "\U0010ffff"
        rows = self.connection.execute(
            "SELECT id FROM memory WHERE id >= ? AND id < ? ORDER BY id LIMIT ?", (prefix, upper, limit)
        )
        return [id for (id,) in rows]

    @explains
    def ids(self, limit: int = 100_000) -> list[str]:
        """Return all ids."""
        return [id for (id,) in self.connection.execute("SELECT id FROM memory LIMIT ?", (limit,))]

    @explains
    def rows(
        self, *, phases: Sequence[str] = (), state: str = "", kind: str = "", due: datetime | None = None
    ) -> list[Row]:
        """Return the memories that fit, in the order they were written."""
        clauses, values = ["1"], []
        if phases:
            clauses.append(f"phase IN ({','.join('?' * len(phases))})")
            values += list(phases)
        for column, value in (("state", state), ("kind", kind)):
            if value:
                clauses.append(f"{column} = ?")
                values.append(value)
        if due is not None:
            clauses.append("due_at < ?")
            values.append(clock.stamp(due))
        return self._rows(f"WHERE {' AND '.join(clauses)} ORDER BY n", tuple(values))

    @explains
    def same_text(self, fingerprint: int) -> list[Row]:
        """Return the memories of one kind whose text differs only in form."""
        return self._rows("WHERE fingerprint = ? ORDER BY n", (fingerprint,))

    @explains
    def similar(self, text: str, limit: int, most_words: int) -> list[Row]:
        """Return the memories most like a text by its longest words, best first."""
        found = likeness.similar(self.connection, text, most_words, limit)
        rows = {row.n: row for row in self.numbered(found)}
        return [rows[n] for n in found if n in rows]

    @explains
    def asked(self, text: str) -> Asked:
        """Return a text as a query: its telling words and its names."""
        return fulltext.asked(self.connection, text)

    @explains
    def matching(
        self,
        query: Asked,
        limit: int,
        *,
        where: str = "",
        keep: int | None = None,
        best: Callable[[int], float] | None = None,
    ) -> list[Row]:
        """Return the memories that hold any word of a query; `where` is "eligible" or "present".

        With `keep` only those are decoded and returned that are `best` by row number: that hold most of the query.
        """
        rows = fulltext.match(self.connection, query, limit, QUALIFIED, _AMONG[where])
        if keep is not None and keep < len(rows):
            by = best or query.told_by
            rows = sorted(rows, key=lambda row: -by(row[0]))[:keep]
        return checked(rows, self.damaged)

    @explains
    def numbered(self, numbers: Sequence[int]) -> list[Row]:
        """Return the memories with these row numbers."""
        return self._rows(f"WHERE n IN ({','.join('?' * len(numbers))})", numbers) if numbers else []

    @explains
    def encoder_name(self) -> str:
        """Return what made the vectors, empty when there are none."""
        return str(self.meta(vectors.ENCODER) or "")

    @explains
    def codes(self, where: str = "") -> vectors.Codes:
        """Return the vectors; `where` as for `matching`."""
        return vectors.all_codes(self.connection, _AMONG[where])

    @explains
    def some_codes(self, numbers: Sequence[int]) -> list[tuple[int, bytes]]:
        """Return (row number, vector) of those of the memories that have one."""
        return vectors.some(self.connection, numbers)

    @explains
    def without_vector(self, encoder: str, limit: int, after: int = 0) -> list[Row]:
        """Return memories above a row number that this encoder has not seen; vectors of another one are dropped."""
        if self.encoder_name() != encoder:
            with self.writing():
                vectors.belong_to(self.connection, encoder)
        return self.numbered(vectors.missing(self.connection, limit, after))

    @explains
    def count_without_vector(self, encoder: str) -> int:
        """Return how many memories this encoder has not seen."""
        if self.encoder_name() != encoder:
            return int(self.connection.execute("SELECT count(*) FROM memory WHERE phase != 'gone'").get)
        return vectors.count_missing(self.connection)

    @explains
    def weightiest(self, limit: int) -> list[Row]:
        """Return the eligible memories that count most."""
        return self._rows("WHERE eligible = 1 ORDER BY weight DESC, n LIMIT ?", (limit,))

    @explains
    def about_files(self, files: Sequence[str], limit: int) -> list[Row]:
        """Return the eligible memories about any of these files or their folders."""
        names = changes.file_names(files)
        marks = ",".join("?" * len(names))
        return self._rows(
            f"WHERE n IN (SELECT memory FROM memory_file WHERE name IN ({marks})) AND eligible = 1 LIMIT ?",
            (*names, limit),
        )

    @explains
    def counts(self) -> dict[tuple[str, str, str], int]:
        """Return how many memories there are by phase, state and kind."""
        rows = self.connection.execute("SELECT phase, state, kind, count(*) FROM memory GROUP BY 1, 2, 3")
        return {(phase, state, kind): count for phase, state, kind, count in rows}

    @explains
    def history(self, id: str) -> list[Recorded]:
        """Return what happened to a memory, oldest first; also for one that is gone for good."""
        return ledger.of_memory(self.connection, id)

    @explains
    def entry(self, seq: int) -> Recorded | None:
        """Return one ledger entry."""
        return ledger.entry(self.connection, seq)

    @explains
    def batch(self, number: int) -> list[Recorded]:
        """Return the ledger entries one command wrote."""
        return ledger.of_batch(self.connection, number)

    def batches(self) -> Iterator[int]:
        """Return the batches, newest first."""
        return ledger.batches(self.connection)

    @explains
    def meta(self, key: str) -> Any:
        """Return a stored setting or counter, None when there is none."""
        return self.connection.execute("SELECT value FROM meta WHERE key = ?", (key,)).get

    @explains
    def runs_now(self) -> int:
        """Return how many runs the store has seen."""
        return shown.runs_now(self.connection)

    @explains
    def has_forgotten(self) -> bool:
        """Tell whether anything was ever forgotten on request."""
        return bool(self.connection.execute("SELECT 1 FROM tombstone LIMIT 1").get)

    @explains
    def is_forgotten(self, text: str) -> bool:
        """Tell whether this folded text was forgotten on request."""
        if not self.has_forgotten():
            return False
        mark = chain.mark(self._key(), text)
        return bool(self.connection.execute("SELECT 1 FROM tombstone WHERE mark = ?", (mark,)).get)

    @explains
    def known_ids(self, ids: Sequence[str]) -> set[str]:
        """Return those of the ids that some memory has or ever had."""
        return changes.known_ids(self.connection, ids)

    @explains
    def injections(self, id: str, limit: int = 50) -> list[dict[str, Any]]:
        """Return when a memory was shown to an agent, newest first."""
        return shown.of_memory(self.connection, id, limit)

    @explains
    def injection(self, number: int | None) -> shown.Injected | None:
        """Return one injection, the newest without a number; None when there is none."""
        return shown.numbered(self.connection, number)

    @explains
    def recent_injections(self, limit: int, **facts: str) -> list[dict[str, Any]]:
        """Return the newest injections with their numbers; `facts` are the run, task or agent to look for."""
        return shown.recent(self.connection, limit, facts)

    @explains
    def proven(self, id: str) -> list[ledger.Proven]:
        """Return what happened to a memory; raise `StoreDamaged` when an entry was altered behind our back."""
        return ledger.proven(self.connection, id)

    @explains
    def shown_in(self, run: str) -> set[str]:
        """Return the ids of the memories that were shown in a run."""
        return shown.in_run(self.connection, run)

    # Writing

    def commit(
        self, revisions: Sequence[Revision], verdicts: Sequence[Verdict | None], *, batch: int | None = None
    ) -> int:
        """Write a changeset, rows and ledger together, and return its batch number.

        `batch` joins an earlier changeset, so that one command is undone as one.
        Raises `Conflict` when a memory is no longer at the version its revision saw, and then writes nothing.
        """
        with self.writing():
            return changes.commit(self.connection, revisions, verdicts, batch=batch)

    def admit(self, lives: Sequence[Life], verdicts: Sequence[Verdict], *, batch: int | None = None) -> int:
        """Write memories that come with their history, under ids that nobody ever had; return the batch number."""
        with self.writing():
            return bulk.admit(self.connection, lives, verdicts, batch=batch)

    @contextlib.contextmanager
    def filling(self) -> Iterator[None]:
        """Hold the store for many lives: more is gathered before it is written out."""
        with self.writing(), bulk.filling(self.connection):
            yield

    def keep(self, key: str, value: str) -> None:
        """Store a setting beside the memories, when it is not there already."""
        if self.meta(key) != value:
            with self.writing():
                self.connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, value))

    def keep_vectors(
        self,
        encoder: str,
        rows: Sequence[Row],
        codes: Sequence[bytes],
        related: Sequence[str],
        indexed: Callable[[Memory], fulltext.Indexed],
    ) -> None:
        """Store vectors and related words, in one transaction with the index, for texts that are still the same."""
        with self.writing():
            vectors.belong_to(self.connection, encoder)
            now = {row.n: row for row in self.numbered([row.n for row in rows])}
            same = [
                (row.n, code, said)
                for row, code, said in zip(rows, codes, related, strict=True)
                if row.n in now and now[row.n].memory.text == row.memory.text
            ]
            vectors.put(self.connection, same)
            fulltext.delete(self.connection, [n for n, _, _ in same])
            fulltext.insert(self.connection, [(n, indexed(now[n].memory)) for n, _, _ in same])

    def record_run(self, run: str, now: datetime) -> int:
        """Count a run once and return how many runs there are now."""
        with self.writing():
            return shown.record_run(self.connection, run, now)

    def record_injection(self, now: datetime, notes: Sequence[shown.Note | Mapping[str, Any]], **facts: str) -> None:
        """Remember what was shown to whom: its run, task, agent and query."""
        with self.writing():
            shown.record(self.connection, now, notes, **facts)

    def refresh_verdicts(self, judge: Callable[[Memory], Verdict]) -> int:
        """Store anew the verdicts that a changed policy or version made stale; return how many were."""
        with self.writing():
            return changes.refresh_verdicts(self.connection, self._rows("", ()), judge)

    def rebuild(self, judge: Callable[[Memory], Verdict]) -> int:
        """Make everything anew that follows from the rows: the index, the names of files, the stored verdicts."""
        with self.writing():
            known = self._rows("ORDER BY n", ())
            changes.rebuild(self.connection, known, judge)
        return len(known)

    # Erasing

    def erase_traces(self, id: str) -> None:
        """Blank what the ledger and the log of injections still say of a memory that is erased."""
        with self.writing():
            erasure.erase_traces(self.connection, id)

    @explains
    def marks(self, texts: Iterable[str]) -> list[bytes]:
        """Return the keyed marks of folded texts, each once."""
        key = self._key()
        return sorted({chain.mark(key, text) for text in texts})

    def mark_forgotten(self, id: str, marks: Iterable[bytes], now: datetime) -> None:
        """Leave the marks by which forgotten texts are refused when they come back."""
        with self.writing():
            self.connection.executemany(
                "INSERT OR IGNORE INTO tombstone VALUES (?, ?, ?)", [(mark, id, clock.stamp(now)) for mark in marks]
            )

    def finish_erasure(self) -> bool:
        """Rewrite what still holds erased words; return False while a reader keeps an old view alive."""
        if self._writing or not self.meta(erasure.PENDING):
            return not self._writing or not self.meta(erasure.PENDING)
        with holding(self.path), explained(self.path):
            return erasure.finish(self.connection, self.path)

    def keyed(self, text: str) -> str:
        """Return a short name for a text that nobody without this store can tie to it."""
        return chain.mark(self._key(), text).hex()[:12]

    def _key(self) -> bytes:
        key = self.meta("key")
        if not isinstance(key, bytes):
            # Without it a forgotten text would not be recognised, so nothing new is taken in.
            raise StoreDamaged("The store has lost its key; nothing was written.", hint="Run `tenure check`.")
        return key

    @explains
    def _rows(self, where: str, values: Sequence[Any]) -> list[Row]:
        return select(self.connection, where, values, self.damaged)
