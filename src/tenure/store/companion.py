"""A store whose memories live in another system's files, with a companion database beside them.

The files own what their format can hold; the companion owns the ledger, the injections and the index, and can be
rebuilt. Files are written first, under the other system's lock, and edits made behind our back are picked up before
anything is read or written. What our own drop-in command lines did in between comes first, from their notes, and as
ours.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import msgspec

from tenure.files.durable import fingerprint
from tenure.model import clock
from tenure.model.errors import InvalidInput, TenureError
from tenure.model.events import VIA, Event, EventType, Life, Revision, decoded
from tenure.model.evolve import born, change, evolve, value_of
from tenure.model.memory import Memory, Signals, Verdict
from tenure.spool import dropin
from tenure.store import waiting
from tenure.store.records import Row
from tenure.store.sqlite.store import SqliteStore

OUTSIDE = "outside"
# Under this name the companion remembers which notes of the drop-in it has taken in.
TAKEN_IN = "drop_in"
_OURS = {VIA: dropin.SURFACE}
# A fingerprint begins with the hash of the file's own bytes; what follows is about other files.
_HASH_CHARS = 64


class Noted(NamedTuple):
    """A note of the drop-in in the words of the ledger: ids instead of names, a memory instead of a record."""

    id: str
    memory: Memory | None
    before: str = ""


class FileContents(msgspec.Struct, frozen=True, kw_only=True):
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
    # Where a path of `scan` is no file, an optional method `on_disk(path) -> str` returns the one whose memories count.
    # `of_commit(path, data) -> list[Memory]` returns the memories in a content of a file that git keeps; an error says
    # that it cannot be read.
    # A system with a drop-in has `dropin_notes`, the file its changes are noted in, and `noted(done) -> Noted`.
    owned: frozenset[str]

    def locked(self) -> AbstractContextManager[object]:
        """Hold the other system's own lock."""

    def scan(self) -> dict[str, str]:
        """Return every file that holds memories, with a fingerprint that changes when the file does."""

    def read(self, path: str) -> FileContents:
        """Return what a file holds; what cannot be read is a problem, never an exception."""

    def write(self, revisions: Sequence[Revision], seen: Mapping[str, str]) -> dict[str, str | None]:
        """Bring the files in step with a changeset; return new fingerprints, None for a file removed.

        Raises `Conflict`, before anything is written, when a file is no longer as `seen`.
        """


class FileStore(SqliteStore):
    """The files of a dialect and their companion database."""

    def __init__(
        self,
        companion: Path,
        files: Files,
        judge: Callable[[Memory], Verdict],
        now: Callable[[], datetime],
        came_with_commit: Callable[[str], bool] | None = None,
        committed: Callable[[str], list[bytes] | None] | None = None,
    ) -> None:
        """Open the store; what `came_with_commit` says of a path that changed waits for `agree`.

        Of a file that was changed here too, those memories wait to which what is `committed` of it gave something.
        """
        super().__init__(companion)
        self.files, self.problems = files, dict[str, Sequence[tuple[str, str]]]()
        self._judge, self._now = judge, now
        self._came_with_commit, self._committed = came_with_commit, committed
        self._unwritten: dict[str, Revision] = {}
        self._notes: str = getattr(files, "dropin_notes", "")
        self._waits: dict[str, int] | None = None

    def refresh(self) -> None:
        """Pick up what changed in the files since the last command, if anything did."""
        changed, gone, _ = self._differences()
        if changed or gone or (self._notes and dropin.read(self._notes)):
            with self.writing():
                pass

    @contextlib.contextmanager
    def writing(self, *, makes: bool = True, many: bool = False) -> Iterator[None]:
        """Hold the files and the companion for one change; the files are written before the companion commits.

        The companion is always made: it must remember what it finds in files that are there.
        """
        if self.is_writing:
            with super().writing(many=many):
                yield
            return
        with self.files.locked():
            with super().writing(many=many):
                self._unwritten, self._waits = {}, None
                self._pick_up(self._take_in())
                yield
                self._write_files()
            # Only now: what a rollback took back is noted still.
            if self._notes:
                dropin.drop(self._notes)

    def commit(
        self, changes: Sequence[Revision | Life], verdicts: Sequence[Verdict | None], *, batch: int | None = None
    ) -> int:
        """Write a changeset to the companion and remember it for the files, which follow at the end of the command."""
        revisions = [_as_revision(change) if isinstance(change, Life) else change for change in changes]
        number = super().commit(revisions, verdicts, batch=batch)
        for revision in revisions:
            earlier = self._unwritten.get(revision.memory_id)
            events = (*earlier.events, *revision.events) if earlier else revision.events
            version = earlier.expected_version if earlier else revision.expected_version
            self._unwritten[revision.memory_id] = msgspec.structs.replace(
                revision, events=events, expected_version=version
            )
        return number

    # What came with a commit

    def waiting(self) -> dict[str, int]:
        """Return the memories that came with a commit and wait, each with the version that counted last."""
        if not self.exists:
            return {}
        if self._waits is None or not self.is_writing:
            self._waits = waiting.read(self)
        return self._waits

    def agree(self) -> None:
        """Let everything count as it is now; the companion is made, so that what comes later is told from it."""
        with self.writing():
            self._waits = {}
            waiting.keep(self, {})
            self.health.rejudge(self._judge)

    def accepted(self, id: str) -> Memory | None:
        """Return a memory that waits as it was when it counted last; None for a new one."""
        return waiting.at(self, id, self.waiting().get(id, 0))

    def judged(self, id: str, verdict: Verdict) -> Verdict:
        """Return a verdict as it counts here."""
        return waiting.held_back(verdict) if id in self.waiting() else verdict

    def _note_waiting(self, read: Sequence[tuple[Memory, str]], revised: Mapping[str, Revision], new: set[str]) -> None:
        """Let what a commit brought wait, and what was changed here count again."""
        if self._came_with_commit is None:
            return
        waits = dict(self.waiting())
        self._of_commits: dict[str, list[Memory] | None] = {}
        on_disk: Callable[[str], str] = getattr(self.files, "on_disk", str)
        came = {path for path in new if self._came_with_commit(on_disk(path))}
        for memory, path in read:
            revision = revised.get(memory.id)
            if revision is None or revision.after is None or not any(event.set for event in revision.events):
                continue
            counted = waits.get(memory.id, revision.expected_version)
            known = waiting.at(self, memory.id, counted)
            brought = path in came or (path in new and self._has_of_commit(on_disk(path), memory, known))
            if brought:
                waits[memory.id] = counted
            was = waiting.at(self, memory.id, revision.expected_version)
            if known is not None and not self._differing(known, revision.after, self.files.owned):
                waits.pop(memory.id, None)  # it is again what counted
            elif path in new and not brought and not waiting.same_words(was, revision.after):
                waits.pop(memory.id, None)
        for id in revised.keys() & waits.keys():
            if revised[id].after is None:
                del waits[id]
        self._waits = waits
        waiting.keep(self, waits)

    def _has_of_commit(self, path: str, memory: Memory, known: Memory | None) -> bool:
        """Tell whether a memory says anything that it did not say when it counted last, and that git keeps.

        git merges a commit into a file that was changed here, so the file differs from its blob.
        """
        if path not in self._of_commits:
            self._of_commits[path] = self._read_of_commit(path)
        kept = self._of_commits[path]
        if kept is None:
            return True  # in doubt it came with the commit
        names = waiting.WORDS if known is None else self.files.owned
        return any(
            (waiting.parts(value_of(memory, name)) - waiting.parts(value_of(known, name) if known else None))
            & waiting.parts(value_of(same, name))
            for same in kept
            if same.id == memory.id
            for name in names
        )

    def _read_of_commit(self, path: str) -> list[Memory] | None:
        """Return the memories in what git keeps of a file; None when nobody can tell."""
        read: Callable[[str, bytes], list[Memory]] | None = getattr(self.files, "of_commit", None)
        if read is None or self._committed is None:
            return []
        contents = self._committed(path)
        try:
            return None if contents is None else [memory for data in contents for memory in read(path, data)]
        except (TenureError, ValueError, LookupError, TypeError, RecursionError, OverflowError):
            return None

    def _differences(self) -> tuple[list[str], list[str], dict[str, str]]:
        """Return the files that changed, those that are gone, and all fingerprints; nothing when all is as it was."""
        seen, there = self._seen(), self.files.scan()
        changed = [path for path, mark in there.items() if seen.get(path) != mark]
        gone = [path for path in seen if path not in there]
        return (changed, gone, there) if changed or gone else ([], [], {})

    def _take_in(self) -> set[str]:
        """Record what our own drop-in did since the last command; return the ids of those a run went by unseen."""
        data = dropin.read(self._notes) if self._notes else b""
        if not data:
            return set()
        length, _, mark = str(self.meta(TAKEN_IN) or "0").partition(" ")
        # A command that was killed after its commit left notes that are in the ledger already.
        fresh = data[int(length) :] if mark and fingerprint(data[: int(length)]) == mark else data
        unseen: set[str] = set()
        for at, changes in dropin.commands(fresh):
            batch: int | None = None
            for done in changes:
                if done.event == EventType.UNSEEN:
                    unseen.update((done.record or {}).get("ids", ()))
                    continue
                now = _moment(at) or self._now()
                for revision in self._noted(done, now):
                    verdict = self._judge(revision.after) if revision.after else None
                    batch = super().commit([revision], [verdict], batch=batch)
                    if done.event == EventType.PURGED:
                        self.health.erase(revision.memory_id, (), now)
        self.keep(TAKEN_IN, f"{len(data)} {fingerprint(data)}")
        return unseen

    def _noted(self, done: dropin.Done, at: datetime) -> list[Revision]:
        """Return what a note comes to, as if the generic command had done it."""
        id, memory, before = self.files.noted(done)  # type: ignore[attr-defined]
        row, earlier = self.get(id), self.get(before) if before else None
        facts: dict[str, Any] = {"actor": dropin.SURFACE, "reason": done.reason, "run": done.run, "detail": _OURS}
        if memory is None:
            if row is None:
                return []
            event = Event(type=done.event, memory_id=id, at=at, **facts)
            return [Revision(memory_id=id, events=(event,), after=None, expected_version=row.version)]
        if row is None:
            events = [self._birth(memory, earlier, done.event, facts)]
            found = evolve(None, events[0])
            assert found is not None
            if done.event != EventType.CREATED and earlier is None:
                # It was there before anybody here looked, so what it was before is not known.
                events.append(change(found, EventType(done.event), at, **facts))
                found = evolve(found, events[1]) or found
            born_here = [_revision(events, found, self._last_version(id))]
            return [*born_here, *self._lost(before, id, facts)] if earlier else born_here
        fields = self._differing(row.memory, memory, self.files.owned)
        new_runs = {name: [done.run] for name in ("runs", "evidence") if done.run not in getattr(row.memory, name)}
        add = new_runs if done.event == EventType.EVIDENCED and done.run else {}
        type = EventType.EDITED if done.event == EventType.CREATED else EventType(done.event)
        event = change(row.memory, type, at, set=fields, add=add, **facts)
        after = evolve(row.memory, event)
        assert after is not None
        return [_revision([event], after, row.version)]

    def _pick_up(self, unseen: Collection[str]) -> None:
        changed, gone, there = self._differences()
        if not changed and not gone:
            return
        rows = self._file_rows()
        before = {path: ids for path, _, ids in rows}
        known = {path: mark[:_HASH_CHARS] for path, mark, _ in rows}
        read: list[tuple[Memory, frozenset[str]]] = []
        places: list[tuple[Memory, str]] = []
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
                    places.append((memory, path))
        still = {id for path, ids in before.items() if path in there and path not in changed for id in ids}
        lost = {id for path in (*changed, *gone) for id in before.get(path, ())} - found - still
        renamed = self._renamed([memory for memory, _ in read], lost)
        revisions = [
            revision
            for memory, owned in read
            for revision in self._taken_over(memory, owned, renamed.get(memory.id), memory.id in unseen)
        ]
        names = {row.memory.id: id for id, row in renamed.items()}
        revisions += [revision for id in sorted(lost) for revision in self._lost(id, names.get(id, ""))]
        new = {path for path in changed if known.get(path) != there[path][:_HASH_CHARS]}
        self._note_waiting(places, {revision.memory_id: revision for revision in revisions}, new)
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

    def _taken_over(self, memory: Memory, owned: frozenset[str], earlier: Row | None, unseen: bool) -> list[Revision]:
        row = self.get(memory.id)
        if row is None:
            birth = self._birth(memory, earlier, EventType.IMPORTED, {"actor": OUTSIDE})
            after = evolve(None, birth)
            assert after is not None
            return [_revision([birth], after, self._last_version(memory.id))]
        fields = self._differing(row.memory, memory, owned)
        if not fields:
            return []
        type = EventType.EDITED
        facts: dict[str, Any] = {"actor": OUTSIDE, "reason": "edited in the files"}
        if unseen and fields.keys() == {"runs_unseen"}:
            reason = f"unseen for {fields['runs_unseen']} runs"
            type, facts = EventType.UNSEEN, {"actor": dropin.SURFACE, "reason": reason, "detail": _OURS}
        event = change(row.memory, type, self._now(), set=fields, **facts)
        after = evolve(row.memory, event)
        assert after is not None
        return [_revision([event], after, row.version)]

    def _differing(self, known: Memory, found: Memory, owned: frozenset[str]) -> dict[str, Any]:
        """Return the fields in which a file tells another story than the companion, and what follows from them."""
        told: Callable[[Memory], Memory] | None = getattr(self.files, "told", None)
        shown = told(known) if told else known
        fields = {name: value_of(found, name) for name in owned if value_of(found, name) != value_of(shown, name)}
        if "state" in fields:
            fields |= _moved(known, found)
        if "review_after" in fields:
            fields["review_set_at"] = found.review_set_at
        if known.guard is not None:
            from tenure.guards import reworded  # start-up: few memories guard anything

            fields |= reworded.set_along(known, fields)
        return fields

    def _birth(self, memory: Memory, earlier: Row | None, type: str, facts: Mapping[str, Any]) -> Event:
        """Return how a memory came here; a file renamed brings along what the companion knows of it."""
        if earlier is None:
            type = EventType.CREATED if type == EventType.CREATED else EventType.IMPORTED
            told = facts if type == EventType.CREATED else {"actor": OUTSIDE, "reason": "found in the files"}
            return born(memory, type=EventType(type), **told)
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
        return born(memory, type=EventType.IMPORTED, **{**facts, "reason": f"renamed from {earlier.memory.id}"})

    def _last_version(self, id: str) -> int:
        """Return where a memory that was lost and came back goes on with its history; 0 for one that never was."""
        entries = self.history(id)
        return entries[-1].version if entries else 0

    def _lost(self, id: str, renamed_to: str = "", facts: Mapping[str, Any] | None = None) -> list[Revision]:
        row = self.get(id)
        if row is None:
            return []
        reason = f"renamed to {renamed_to}" if renamed_to else "its file was removed outside Tenure"
        told = {**(facts or {"actor": OUTSIDE}), "reason": reason}
        event = Event(type=EventType.LOST, memory_id=id, at=self._now(), **told)
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


def _as_revision(life: Life) -> Revision:
    events = tuple(map(decoded, life.entries))
    return Revision(memory_id=life.memory.id, events=events, after=life.memory, expected_version=0)


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


def _moment(stamp: str) -> datetime | None:
    try:
        return clock.parse(stamp)
    except InvalidInput:
        return None


def _revision(events: Sequence[Event], after: Memory, version: int) -> Revision:
    return Revision(memory_id=after.id, events=tuple(events), after=after, expected_version=version)
