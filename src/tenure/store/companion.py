"""A store whose memories live in another system's files, with a companion database beside them.

The files own what their format can hold; the companion owns the ledger, the injections and the index, and can be
rebuilt. Files are written first, under the other system's lock, and edits made behind our back are picked up before
anything is read or written.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from pathlib import Path
from typing import Any, Protocol

import msgspec

from tenure.model.events import Event, EventType, Life, Revision
from tenure.model.evolve import born, change, evolve, value_of
from tenure.model.memory import Memory, Signals, Verdict
from tenure.store.sqlite import ledger
from tenure.store.sqlite.store import Row, SqliteStore

OUTSIDE = "outside"


class Reading(msgspec.Struct, frozen=True, kw_only=True):
    """What one file holds: memories, and (field, what is wrong) for what could not be read."""

    memories: Sequence[Memory] = ()
    problems: Sequence[tuple[str, str]] = ()
    # The fields this file holds, when they are fewer than the dialect's others do.
    owned: frozenset[str] | None = None


class Files(Protocol):
    """What a dialect does with its folder. Paths are relative to it."""

    # The memory fields (or signals) the files hold; the companion owns the others.
    # Where a file cannot tell apart what the companion knows of an owned field, such as a memory under review,
    # an optional method `told(memory) -> Memory` returns the memory as its file tells it.
    owned: frozenset[str]

    def locked(self) -> AbstractContextManager[object]:
        """Hold the other system's own lock."""

    def scan(self) -> dict[str, str]:
        """Return every file that holds memories, with a fingerprint that changes when the file does."""

    def read(self, path: str) -> Reading:
        """Return what a file holds; what cannot be read is a problem, never an exception."""

    def write(self, revisions: Sequence[Revision], seen: Mapping[str, str]) -> dict[str, str | None]:
        """Bring the files in step with a changeset; return new fingerprints, None for a file removed.

        Raises `Conflict`, before anything is written, when a file is no longer as `seen`.
        """


class FileStore(SqliteStore):
    """The files of a dialect and their companion database."""

    def __init__(
        self, companion: Path, files: Files, judge: Callable[[Memory], Verdict], now: Callable[[], datetime]
    ) -> None:
        super().__init__(companion)
        self.files, self.problems = files, dict[str, Sequence[tuple[str, str]]]()
        self._judge, self._now = judge, now
        self._unwritten: dict[str, Revision] = {}

    def refresh(self) -> None:
        """Pick up what changed in the files since the last command, if anything did."""
        changed, gone, _ = self._differences()
        if changed or gone:
            with self.writing():
                pass

    @contextlib.contextmanager
    def writing(self) -> Iterator[None]:
        """Hold the files and the companion for one change; the files are written before the companion commits."""
        if self._writing:
            yield
            return
        with self.files.locked(), super().writing():
            self._unwritten = {}
            self._pick_up()
            yield
            self._write_files()

    def commit(
        self, revisions: Sequence[Revision], verdicts: Sequence[Verdict | None], *, batch: int | None = None
    ) -> int:
        """Write a changeset to the companion and remember it for the files, which follow at the end of the command."""
        number = super().commit(revisions, verdicts, batch=batch)
        for revision in revisions:
            earlier = self._unwritten.get(revision.memory_id)
            events = (*earlier.events, *revision.events) if earlier else revision.events
            version = earlier.expected_version if earlier else revision.expected_version
            self._unwritten[revision.memory_id] = msgspec.structs.replace(
                revision, events=events, expected_version=version
            )
        return number

    def admit(self, lives: Sequence[Life], verdicts: Sequence[Verdict], *, batch: int | None = None) -> int:
        """Write memories that come with their history, to the companion and the files."""
        revisions = [
            Revision(
                memory_id=life.memory.id,
                events=tuple(ledger.decoded(entry) for entry in life.entries),
                after=life.memory,
                expected_version=0,
            )
            for life in lives
        ]
        return self.commit(revisions, verdicts, batch=batch)

    def _differences(self) -> tuple[list[str], list[str], dict[str, str]]:
        """Return the files that changed, those that are gone, and all fingerprints; nothing when all is as it was."""
        seen, there = self._seen(), self.files.scan()
        changed = [path for path, mark in there.items() if seen.get(path) != mark]
        gone = [path for path in seen if path not in there]
        return (changed, gone, there) if changed or gone else ([], [], {})

    def _pick_up(self) -> None:
        changed, gone, there = self._differences()
        if not changed and not gone:
            return
        before = {path: ids for path, _, ids in self._file_rows()}
        read: list[tuple[Memory, frozenset[str]]] = []
        found: set[str] = set()
        holds: dict[str, list[str]] = {}
        for path in changed:
            reading = self.files.read(path)
            if reading.problems:
                self.problems[path] = reading.problems
            holds[path] = [memory.id for memory in reading.memories]
            for memory in reading.memories:
                if memory.id not in found:
                    found.add(memory.id)
                    owned = self.files.owned if reading.owned is None else reading.owned
                    read.append((memory, owned))
        still = {id for path, ids in before.items() if path in there and path not in changed for id in ids}
        lost = {id for path in (*changed, *gone) for id in before.get(path, ())} - found - still
        renamed = self._renamed([memory for memory, _ in read], lost)
        revisions = [
            revision for memory, owned in read for revision in self._taken_over(memory, owned, renamed.get(memory.id))
        ]
        names = {row.memory.id: id for id, row in renamed.items()}
        revisions += [revision for id in sorted(lost) for revision in self._lost(id, names.get(id, ""))]
        super().commit(revisions, [self._judge(r.after) if r.after else None for r in revisions])
        self._remember({path: there[path] for path in changed}, holds)
        self._remember(dict.fromkeys(gone), {})

    def _renamed(self, read: Sequence[Memory], lost: Collection[str]) -> dict[str, Row]:
        """Return the lost memories that came back under another name, by that name."""
        left = [row for id in sorted(lost) if (row := self.get(id))]
        found = {}
        for memory in read:
            same = [row for row in left if _same(row.memory, memory)]
            if len(same) == 1 and self.get(memory.id) is None:
                found[memory.id] = same[0]
                left.remove(same[0])
        return found

    def _taken_over(self, memory: Memory, owned: frozenset[str], earlier: Row | None) -> list[Revision]:
        row = self.get(memory.id)
        if row is None and earlier is not None:
            # What the companion knows of it goes with it to its new name.
            held = {name: value_of(memory, name) for name in self.files.owned if name in Memory.__struct_fields__}
            signals = {name: value_of(memory, name) for name in self.files.owned if name in Signals.__struct_fields__}
            memory = msgspec.structs.replace(
                earlier.memory,
                **held,
                id=memory.id,
                phase=memory.phase,
                updated_at=memory.updated_at,
                signals=msgspec.structs.replace(earlier.memory.signals, **signals),
            )
        if row is None:
            reason = f"renamed from {earlier.memory.id}" if earlier else "found in the files"
            born_event = born(memory, type=EventType.IMPORTED, actor=OUTSIDE, reason=reason)
            # A memory that was lost and came back goes on with its history.
            version = self.history(memory.id)[-1].version if self.history(memory.id) else 0
            return [_revision([born_event], memory, version)]
        told: Callable[[Memory], Memory] | None = getattr(self.files, "told", None)
        known = told(row.memory) if told else row.memory
        fields = {name: value_of(memory, name) for name in owned if value_of(memory, name) != value_of(known, name)}
        if not fields:
            return []
        if "state" in fields:
            fields |= _moved(row.memory, memory)
        if "review_after" in fields:
            fields["review_set_at"] = memory.review_set_at
        event = change(
            row.memory, EventType.EDITED, self._now(), set=fields, actor=OUTSIDE, reason="edited in the files"
        )
        after = evolve(row.memory, event)
        assert after is not None
        return [_revision([event], after, row.version)]

    def _lost(self, id: str, renamed_to: str = "") -> list[Revision]:
        row = self.get(id)
        if row is None:
            return []
        event = Event(
            type=EventType.LOST,
            memory_id=id,
            at=self._now(),
            actor=OUTSIDE,
            reason=f"renamed to {renamed_to}" if renamed_to else "its file was removed outside Tenure",
        )
        return [Revision(memory_id=id, events=(event,), after=None, expected_version=row.version)]

    def _write_files(self) -> None:
        if not self._unwritten:
            return
        revisions, self._unwritten = list(self._unwritten.values()), {}
        fresh = self.files.write(revisions, self._seen())
        holds = {path: [memory.id for memory in self.files.read(path).memories] for path, mark in fresh.items() if mark}
        self._remember(fresh, holds)

    def _seen(self) -> dict[str, str]:
        return {path: mark for path, mark, _ in self._file_rows()}

    def _file_rows(self) -> list[tuple[str, str, list[str]]]:
        rows = self.connection.execute("SELECT path, fingerprint, memories FROM file")
        return [(path, mark, msgspec.json.decode(ids)) for path, mark, ids in rows]

    def _remember(self, marks: Mapping[str, str | None], holds: Mapping[str, Sequence[str]]) -> None:
        rows: list[tuple[Any, ...]] = [
            (path, mark, msgspec.json.encode(holds.get(path, ())).decode()) for path, mark in marks.items() if mark
        ]
        self.connection.executemany("INSERT OR REPLACE INTO file VALUES (?, ?, ?)", rows)
        self.connection.executemany("DELETE FROM file WHERE path = ?", [(p,) for p, mark in marks.items() if not mark])


def _moved(before: Memory, found: Memory) -> dict[str, Any]:
    """Return what follows for the companion's own fields when another program changed a state."""
    fields: dict[str, Any] = {"phase": found.phase}
    if before.phase == "live" and found.phase != "live":
        fields["previous_state"] = before.state
    if found.phase == "held" and before.phase != "held":
        fields["times_held"] = before.times_held + 1
    return fields


def _same(lost: Memory, found: Memory) -> bool:
    """Tell whether a file found is a lost one under another name."""
    if (lost.kind, lost.created_at) != (found.kind, found.created_at):
        return False
    return lost.text == found.text or found.changes[: len(lost.changes)] == lost.changes


def _revision(events: Sequence[Event], after: Memory, version: int) -> Revision:
    return Revision(memory_id=after.id, events=tuple(events), after=after, expected_version=version)
