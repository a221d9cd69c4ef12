"""*Ours* on this machine: what a team shares, as a store of the same schema that only its transport changes.

Hooks and commands read it; nothing here is ever sent up. A transport brings it in step by one of two calls, each one
transaction with the transport's `mark`: `replace` takes a whole snapshot (team files, a first pull), `apply` takes
what happened since (events that came down from a database). What is gone or forgotten upstream is erased here too.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

import msgspec

from tenure.model.events import Event, EventType, Revision
from tenure.model.evolve import born, change, evolve
from tenure.model.memory import Memory, Verdict
from tenure.store.records import CommonWords
from tenure.store.sqlite.store import SqliteStore

MARK = "replica_mark"
ACTOR = "team"
# What a snapshot may change of a memory that is known; the rest is this replica's own.
_FOLLOWED = tuple(name for name in Memory.__struct_fields__ if name not in ("id", "updated_at"))


class Backing(NamedTuple):
    """The file a memory comes from, relative to the team's folder: size and time, then the hash of its content.

    A hook compares it before it shows the memory, so that a file another branch took away is silent at once.
    """

    path: str
    fingerprint: str


class Changed(NamedTuple):
    """How many memories came, changed and went."""

    came: int
    edited: int
    gone: int


class Replica(SqliteStore):
    """The replica at a path, made when something is first put into it; without a path it is thrown away when closed."""

    @property
    def replica_mark(self) -> str:
        """How far the transport had come when it last brought this in step, in its own words."""
        return self.setting(MARK) if self.exists else ""

    def names(self) -> set[str]:
        """Return every id that its ledger names, also of what is gone."""
        return {str(id) for (id,) in self.connection.execute("SELECT DISTINCT memory_id FROM ledger")}

    def replace(
        self,
        snapshot: Iterable[Memory],
        judge: Callable[[Memory], Verdict],
        *,
        mark: str,
        now: datetime,
        backing: Mapping[str, Backing] | None = None,
        settings: Mapping[str, str] | None = None,
        only: Collection[str] | None = None,
        common: CommonWords | None = None,
    ) -> Changed:
        """Bring the replica in step with everything there is now; what is not in the snapshot is gone.

        With `only`, the snapshot is of these memories and the others stay as they are.

        `judge` gives the verdict that counts here, and is asked again for what did not change: a policy or what a
        person agreed to may have.
        """
        with self.writing():
            found = self.find() if only is None else [row for id in only if (row := self.get(id)) is not None]
            known = {row.memory.id: row for row in found}
            revisions: list[Revision] = []
            kept: set[str] = set()
            came = edited = 0
            for memory in snapshot:
                kept.add(memory.id)
                row = known.get(memory.id)
                if row is None:
                    revisions.append(self._birth(memory))
                    came += 1
                elif fields := _differing(row.memory, memory):
                    revisions.append(self._edit(row.memory, fields, row.version, now))
                    edited += 1
            gone = [id for id in known if id not in kept]
            revisions += [self._loss(id, known[id].version, now) for id in gone]
            if revisions:
                self.commit(revisions, [judge(each.after) if each.after else None for each in revisions])
            for id in gone:
                self.health.erase(id, (), now)
            if only is None:
                self.health.rejudge(judge)
                self._back(backing or {})
            for name, value in {**(settings or {}), MARK: mark}.items():
                self.keep(name, value)
            if common is not None:
                self._take_common(common)
        if gone:
            self.health.finish_erasing()
        return Changed(came, edited, len(gone))

    def apply(
        self,
        revisions: Sequence[Revision],
        judge: Callable[[Memory], Verdict],
        *,
        mark: str,
        forgotten: Sequence[str] = (),
        now: datetime,
    ) -> None:
        """Take in what happened since the last mark, in order; raise `Conflict` when it does not follow from it."""
        with self.writing():
            if revisions:
                self.commit(revisions, [judge(each.after) if each.after else None for each in revisions])
            for id in forgotten:
                self.health.erase(id, (), now)
            self.keep(MARK, mark)
        if forgotten:
            self.health.finish_erasing()

    def _take_common(self, common: CommonWords) -> None:
        """Know common words as they were counted upstream: the ranking weighs words by them."""
        self.connection.execute("DELETE FROM common_word")
        self.connection.executemany("INSERT INTO common_word VALUES (?, ?)", common.words)
        self.connection.execute("INSERT OR REPLACE INTO meta VALUES ('words_counted_at', ?)", (common.counted_at,))

    def _birth(self, memory: Memory) -> Revision:
        entries = self.history(memory.id)
        event = born(memory, type=EventType.IMPORTED, actor=ACTOR)
        version = entries[-1].version if entries else 0
        return Revision(memory_id=memory.id, events=(event,), after=memory, expected_version=version)

    def _edit(self, memory: Memory, fields: dict[str, Any], version: int, now: datetime) -> Revision:
        event = change(memory, EventType.EDITED, now, set=fields, actor=ACTOR)
        return Revision(memory_id=memory.id, events=(event,), after=evolve(memory, event), expected_version=version)

    def _loss(self, id: str, version: int, now: datetime) -> Revision:
        event = Event(type=EventType.LOST, memory_id=id, at=now, actor=ACTOR, reason="no longer shared")
        return Revision(memory_id=id, events=(event,), after=None, expected_version=version)

    def _back(self, backing: Mapping[str, Backing]) -> None:
        rows = [(each.path, each.fingerprint, msgspec.json.encode([id]).decode()) for id, each in backing.items()]
        self.connection.execute("DELETE FROM file")
        self.connection.executemany("INSERT INTO file VALUES (?, ?, ?)", rows)


def _differing(known: Memory, found: Memory) -> dict[str, Any]:
    """Return the fields a snapshot changes; signals are named one by one, as events have them."""
    fields = {
        name: msgspec.to_builtins(getattr(found, name))
        for name in _FOLLOWED
        if name != "signals" and getattr(found, name) != getattr(known, name)
    }
    if found.signals != known.signals:
        fields |= msgspec.structs.asdict(found.signals)
    return fields
