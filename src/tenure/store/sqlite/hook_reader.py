"""The hooks' side of the SQLite store: a few queries, one insert, and no more imports than those need.

What the policy says was decided when the memories were written (eligible, weight, line) and the limits of an
injection stand in `meta`, so no policy is read. Records are taken apart by SQLite, which is loaded anyway.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence

import apsw

from tenure.files import quick_json, sha256
from tenure.files.trust import mark_of
from tenure.recall import LAYERS_APART, LEARNED_DAYS, LEARNED_KEY, LIMITS_KEY
from tenure.recall.query import HookFacts, HookRow, ParsedQuery
from tenure.store.sqlite import (
    AMONG,
    COLUMNS,
    EXPOSURE_COLUMNS,
    FIRE_COLUMNS,
    ID,
    KIND,
    KNOWN_TO_THE_COIN,
    LINE,
    NEEDLES_BETWEEN,
    NUMBER,
    QUALIFIED,
    RECORD,
    STATE,
    VERSION,
    WEIGHT,
    Database,
    fulltext,
    hashed,
    is_whole,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# How long to wait for a writer before giving up on the trace.
BUSY_MILLISECONDS = 100
# Steps of SQLite's machine between looks at the clock.
_STEPS = 2000
# One separator that no id or path can hold.
_BETWEEN = "\x1f"
_FACTS = f"""
    SELECT ?1 ->> 'title', ?1 ->> 'text', ?1 ->> 'created_at', coalesce(?1 ->> 'verified_at', ?1 ->> 'created_at'),
        ?1 ->> 'superseded_by', iif(?1 ->> 'helped_at' IS NULL, 0, ?1 ->> '$.signals.successful_reuses'),
        ?1 ->> '$.signals.failed_reuses',
        ?1 ->> 'trust' = 'user' OR json_array_length(?1, '$.approvals') > 0,
        iif(json_array_length(?1, '$.runs') = 1, ?1 ->> '$.runs[0]', ''), ?1 ->> 'agent', ?1 ->> '$.runs[0]',
        (SELECT group_concat(value, '{_BETWEEN}') FROM json_each(?1, '$.conflicts')),
        (SELECT group_concat(value, '{_BETWEEN}') FROM json_each(?1, '$.files')),
        julianday(?2) - julianday(coalesce(?1 ->> 'verified_at', ?1 ->> 'created_at'))
"""

# How many injections are looked at for what a session has seen; further back it may be shown again.
LOOKED_BACK = 1000
# Stands in the table of injections where a session lost what it had been shown.
COMPACTED = "(compacted)"
_SEEN = """
    WITH mine AS (SELECT n, query, memories FROM injection WHERE n > ?1 AND run = ?2)
    SELECT shown.value ->> 'id', shown.value ->> 'version'
    FROM mine, json_each(iif(json_valid(mine.memories), mine.memories, '[]')) AS shown
    WHERE mine.n > coalesce((SELECT max(n) FROM mine WHERE query = ?3), 0)
"""
_HELD = "UNION ALL SELECT memory, NULL FROM exposure WHERE session = ?2 AND shown = 0"
_SPENT = """
    WITH mine AS (SELECT n, query, memories FROM injection WHERE n > ?1 AND run = ?2)
    SELECT coalesce(sum(shown.value ->> 'chars'), 0)
    FROM mine, json_each(iif(json_valid(mine.memories), mine.memories, '[]')) AS shown
    WHERE mine.n > coalesce((SELECT max(n) FROM mine WHERE query = ?3), 0)
"""
# A guard on files stands under edit or read as well, one on commands under run alone.
_IS_COMMAND = """
    NOT EXISTS (SELECT 1 FROM guard AS other WHERE other.tool IN ('edit', 'read') AND other.memory = guard.memory)
"""
_WEIGHTIEST = "ORDER BY weight DESC, n"
_NEWEST = "ORDER BY weight DESC, n DESC"
# So many memories that hold a phrase are looked at.
_MOST_WITH_PHRASE = 1000


class SqliteHookStore:
    """An existing store, opened for one hook; links are refused."""

    def __init__(self, path: str, late: Callable[[], bool], layer: str = "", files: str = "") -> None:
        for part in (os.path.dirname(path), path, f"{path}-wal", f"{path}-shm"):
            if os.path.islink(part):
                raise OSError(f"{part!r} is a symbolic link")
        if not os.access(os.path.dirname(path), os.W_OK) and not os.path.exists(f"{path}-wal"):
            # A read-only mount: SQLite cannot make its shared memory there, and nobody can write meanwhile.
            connection = Database(path, apsw.SQLITE_OPEN_READONLY, "?mode=ro&immutable=1")
        else:
            connection = Database(path)
        self.connection, self.place, self.layer, self.files = connection, path, layer, files
        connection.set_busy_timeout(BUSY_MILLISECONDS)
        connection.set_progress_handler(late, _STEPS)
        connection.pragma("trusted_schema", "off")
        # A trace that a power cut takes is no loss worth a flush on every prompt, nor is the log worth folding in here.
        connection.pragma("synchronous", "normal")
        connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
        fulltext.prepare(connection)
        self.now, self.readonly = self._now(), connection.readonly("main")

    def close(self) -> None:
        """Close it."""
        self.connection.close()

    def identity(self) -> str:
        """Return by what this store is known as trusted."""
        return mark_of(self._meta("key"))

    def limits(self) -> Mapping[str, Any]:
        """Return the limits of an injection that the policy set when the store was last written."""
        stored = quick_json.loads(str(self._meta(LIMITS_KEY) or "{}").encode())
        return stored if isinstance(stored, dict) else {}

    def search(
        self, text: str, limit: int, beside: Sequence[SqliteHookStore] = ()
    ) -> tuple[ParsedQuery, list[HookRow]]:
        """Return a prompt as a query, and the eligible memories here and beside that hold any of its words."""
        query = fulltext.parsed(self.connection, text, beside=[other.connection for other in beside])
        rows = []
        for place, store in enumerate((self, *beside)):
            found, matches = fulltext.match(store.connection, query, limit, AMONG["eligible"])
            for columns in found:
                row = _row(columns, store.layer)
                row.match = matches[row.number]
                row.number += place * LAYERS_APART
                rows.append(row)
        return query, rows

    def is_current(self, row: HookRow) -> bool:
        """Tell whether the file a memory comes from lies there as it was read; one without a file is."""
        if not self.files:
            return True
        kept = f'["{row.kept[ID]}"]'
        found = self.connection.execute("SELECT path, fingerprint FROM file WHERE memories = ?", (kept,)).fetchone()
        if not found:
            return True
        path, (size, changed, hash) = os.path.join(self.files, found[0]), found[1].split(":")
        try:
            facts = os.lstat(path)
            if (str(facts.st_size), str(facts.st_mtime_ns)) == (size, changed):
                return True
            if str(facts.st_size) != size:
                return False
            with open(os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0)), "rb") as file:
                return bool(sha256(file.read(int(size) + 1)).hexdigest() == hash)
        except OSError:
            return False

    def find(
        self,
        limit: int,
        *,
        ids: Sequence[str] = (),
        files: Sequence[str] = (),
        phrases: Sequence[str] = (),
        state: str = "",
        kinds: Sequence[str] = (),
        due: bool = False,
    ) -> list[HookRow]:
        """Return memories by one of these, the weightiest or the longest overdue first."""
        eligible = f"eligible = 1 {_WEIGHTIEST} LIMIT ?"
        if ids:
            return self._rows(f"WHERE id IN ({_marks(ids)}) AND {eligible}", (*ids, limit))
        if files:
            about = f"SELECT memory FROM memory_file WHERE name IN ({_marks(files)})"
            return self._rows(f"WHERE n IN ({about}) AND {eligible}", (*files, limit))
        if phrases:
            expression = " OR ".join('"' + phrase.replace('"', " ") + '"' for phrase in phrases)
            holding = f"SELECT rowid FROM search WHERE search MATCH ? LIMIT {_MOST_WITH_PHRASE}"
            return self._rows(f"WHERE n IN ({holding}) AND {eligible}", (expression, limit))
        if state:
            best = f"SELECT n FROM memory WHERE {eligible}"
            return self._rows(f"WHERE n IN ({best}) AND state = ? {_WEIGHTIEST}", (limit, state))
        if kinds:
            # Each kind by itself walks along its index; all at once they would be sorted.
            newest = f"SELECT n FROM (SELECT n FROM memory WHERE kind = ? AND eligible = 1 {_NEWEST} LIMIT ?)"
            some = " UNION ALL ".join([newest] * len(kinds))
            values = [value for kind in kinds for value in (kind, limit)]
            return self._rows(f"WHERE n IN ({some}) {_NEWEST} LIMIT ?", (*values, limit))
        if due:
            # The plus keeps SQLite from sorting all live memories instead of walking along the dates.
            return self._rows("WHERE due_at < ? AND +eligible = 1 ORDER BY due_at, n LIMIT ?", (self.now, limit))
        return self._rows(f"WHERE {eligible}", (limit,))

    def facts(self, row: HookRow) -> HookFacts | None:
        """Return what the record of a memory says; None for one that was altered outside Tenure."""
        if not is_whole(row.kept):
            return None
        found = HookFacts()
        *plain, conflicts, files, age = next(self.connection.execute(_FACTS, (row.kept[RECORD], self.now)))
        title, text, created, checked, found.superseded_by, helped, harmed, reviewed, run, agent, first_run = plain
        found.title, found.text, found.created_at, found.checked_at = (
            title or "",
            text or "",
            created or "",
            checked or "",
        )
        found.helped, found.harmed, found.reviewed = helped or 0, harmed or 0, bool(reviewed)
        found.only_run, found.agent, found.first_run = run or "", agent or "", first_run or ""
        found.conflicts, found.files = (tuple(part.split(_BETWEEN)) if part else () for part in (conflicts, files))
        found.age_days = age or 0.0
        return found

    def vectors(self, numbers: Sequence[int]) -> tuple[str, list[tuple[int, bytes]]]:
        """Return the encoder's name, empty without one, and (number, vector) of those memories that have one."""
        encoder = str(self._meta("encoder") or "")
        if not encoder or not numbers:
            return encoder, []
        found = f"SELECT memory, code FROM vector WHERE memory IN ({_marks(numbers)})"
        return encoder, list(self.connection.execute(found, tuple(numbers)))

    def present(self, ids: Sequence[str]) -> set[str]:
        """Return those of the memories that are not gone."""
        here = f"SELECT id FROM memory WHERE id IN ({_marks(ids)}) AND phase != 'gone'"
        return {id for (id,) in self.connection.execute(here, tuple(ids))}

    def count_live(self, most: int = -1) -> int:
        """Return how many memories are live; with `most`, no more than that are counted."""
        live = "SELECT count(*) FROM (SELECT 1 FROM memory WHERE phase = 'live' LIMIT ?)"
        return int(self.connection.execute(live, (most,)).get or 0)

    def seen(self, run: str, *, held: bool = False) -> set[tuple[str, int | None]]:
        """Return (id, version) of what a session was shown since it began or was compacted, or is held back from it."""
        newest = self.connection.execute("SELECT max(n) FROM injection").get or 0
        return set(self.connection.execute(_SEEN + _HELD * held, (newest - LOOKED_BACK, run, COMPACTED)))

    def learned(self, run: str, query: str) -> list[str]:
        """Return the ids of what was learned from the person's words lately, or since others were shown `query`."""
        noted = quick_json.loads(str(self._meta(LEARNED_KEY) or "[]").encode())
        newest = self.connection.execute("SELECT max(n) FROM injection").get or 0
        # An agent can begin a session of its own, also in the future: that must not use the notice up.
        before = (
            "SELECT min(coalesce(max(at), ''), strftime('%Y-%m-%dT%H:%M:%SZ', ?, ?)) FROM injection"
            " WHERE n > ? AND query = ? AND run != ? AND at <= ?"
        )
        lately = f"-{LEARNED_DAYS} days"
        last = str(self.connection.execute(before, (self.now, lately, newest - LOOKED_BACK, query, run, self.now)).get)
        return [item[0] for item in noted if isinstance(item, list) and len(item) == 2 and str(item[1]) > last]

    def spent(self, run: str) -> int:
        """Return how many characters a session was shown since it began or was compacted."""
        newest = self.connection.execute("SELECT max(n) FROM injection").get or 0
        return int(self.connection.execute(_SPENT, (newest - LOOKED_BACK, run, COMPACTED)).get or 0)

    def known(self, session: str, ids: Sequence[str]) -> tuple[bytes, bool | None, list[tuple[Any, ...]]]:
        """Return the store's secret, the arm of the session's block, and what the coin must know of memories."""
        rows = list(self.connection.execute(KNOWN_TO_THE_COIN.format(_marks(ids)), (session, *ids)))
        secret, block = rows[0][:2] if rows else (b"", None)
        return secret, None if block is None else bool(block), [row[2:] for row in rows]

    def remember(
        self,
        run: str,
        agent: str,
        query: str,
        notes: Sequence[Mapping[str, Any]],
        exposures: Sequence[tuple[str, bool, float, str, str]] = (),
    ) -> None:
        """Write down what was shown and what was held back, both or neither."""
        if not exposures:
            self._note(run, agent, query, notes)
            return
        values: list[object] = []
        for memory, shown, share, surface, kind in exposures:
            columns = (run, memory, self.now, int(shown), share, surface, agent, kind, 0, None)
            values += (*columns, sha256(hashed(*columns)).digest())
        names, row = ", ".join(EXPOSURE_COLUMNS), f"({_marks(EXPOSURE_COLUMNS)}, ?)"
        rows = ", ".join([row] * len(exposures))
        with self.connection:
            self.connection.execute(
                f"INSERT INTO exposure ({names}, hash) VALUES {rows} ON CONFLICT DO NOTHING", values
            )
            if notes:
                self._note(run, agent, query, notes)

    def _note(self, run: str, agent: str, query: str, notes: Sequence[Mapping[str, Any]]) -> None:
        columns = (self.now, run, "", agent, query, quick_json.dumps(notes))
        self.connection.execute(
            "INSERT INTO injection (at, run, task, agent, query, memories, hash) VALUES (?, ?, ?, ?, ?, ?, ?)",
            (*columns, sha256(hashed(*columns)).digest()),
        )

    def guards(self, kind: str) -> list[tuple[list[str], bool, HookRow]]:
        """Return the guards at work for a kind of call, as `HookStore.guards` says."""
        found = self.connection.execute(
            f"SELECT guard.needles, {_IS_COMMAND}, {QUALIFIED} FROM guard JOIN memory ON memory.n = guard.memory"
            " WHERE guard.tool = ? AND guard.until > ? AND memory.phase = 'live' ORDER BY memory.n",
            (kind, self.now),
        )
        return [
            (needles.split(NEEDLES_BETWEEN) if needles else [], bool(is_command), _row(columns))
            for needles, is_command, *columns in found
        ]

    def guard(self, row: HookRow, session: str) -> tuple[Mapping[str, Any], list[tuple[str, str]]] | None:
        """Return the guard of a memory and its last fires in a session; None for one altered outside Tenure."""
        if not is_whole(row.kept):
            return None
        found = self.connection.execute("SELECT ? -> 'guard'", (row.kept[RECORD],)).get
        guard = quick_json.loads(str(found or "{}").encode())
        last = "SELECT outcome, call FROM guard_fire WHERE memory = ? AND session = ? ORDER BY n DESC LIMIT 20"
        fires = list(self.connection.execute(last, (row.id, session))) if session else []
        return (guard, fires) if isinstance(guard, dict) else None

    def note_fires(self, session: str, host: str, fires: Sequence[tuple[str, str, str, str]]) -> None:
        """Write down (memory, outcome, about, call) of guards at a call."""
        names, values = ", ".join(FIRE_COLUMNS), list[object]()
        for memory, outcome, about, call in fires:
            columns = (self.now, memory, session, host, outcome, about, call, "")
            values += (*columns, sha256(hashed(*columns)).digest())
        rows = ", ".join([f"({_marks(FIRE_COLUMNS)}, ?)"] * len(fires))
        self.connection.execute(f"INSERT INTO guard_fire ({names}, hash) VALUES {rows}", values)

    def forget_seen(self, run: str, agent: str) -> None:
        """Write down that a session lost what it had been shown."""
        self.remember(run, agent, COMPACTED, [])

    def _meta(self, key: str) -> Any:
        return self.connection.execute("SELECT value FROM meta WHERE key = ?", (key,)).get

    def _rows(self, where: str, values: tuple[Any, ...]) -> list[HookRow]:
        found = self.connection.execute(f"SELECT {COLUMNS} FROM memory {where}", values)
        return [_row(columns, self.layer) for columns in found]

    def _now(self) -> str:
        """Return the time as `clock.stamp` writes it; SQLite knows it, and datetime would have to be imported."""
        stamp = "SELECT strftime('%Y-%m-%dT%H:%M:%SZ', coalesce(nullif(?, ''), 'now'))"
        return str(self.connection.execute(stamp, (os.environ.get("TENURE_NOW", ""),)).get or "")


def _row(columns: Sequence[Any], layer: str = "") -> HookRow:
    return HookRow(
        columns[NUMBER], layer + columns[ID], columns[VERSION], columns[KIND], columns[STATE], columns[WEIGHT],
        columns[LINE], columns,
    )  # fmt: skip


def _marks(values: Sequence[object]) -> str:
    return ",".join("?" * len(values))
