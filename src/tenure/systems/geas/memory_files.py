"""The memories of a `.geas` folder as files that a store can own.

A memory's fingerprint covers its own file and its application logs, so that a log written by geas itself is noticed.
Everything a command changes is written in one go, entries before the candidates they replace.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path, PurePath

from tenure.files import durable
from tenure.model import clock
from tenure.model.errors import Conflict, TenureError
from tenure.model.events import Revision
from tenure.model.memory import Memory
from tenure.model.policy import Policy
from tenure.store.companion import FileContents
from tenure.systems.geas import changes, codec, documents, memories, paths
from tenure.systems.geas.codec import Document
from tenure.systems.geas.folder import LOGS, FileToWrite, GeasFolder, Stored, checked_identity
from tenure.systems.geas.packet import STALE_STATES
from tenure.systems.geas.tables import Tables

INDEX = paths.INDEX.as_posix()
# After a mark that was made while somebody else wrote logs: they are looked at next time.
MET = " met"
FOLDERS = {"memory/entries": memories.ENTRY, "memory/candidates": memories.CANDIDATE}
# What becomes of looking for an index row in a file that holds no memory.
_NO_DOCUMENT = (TenureError, OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError)
# More suffixes than any task or memory will need; the search stops at the first free one.
MANY = 100_000


class MemoryFiles:
    """Candidates, entries, logs and reviews of one folder. The store that uses it holds the lock."""

    owned = memories.ENTRY_OWNS

    def __init__(self, root: Path, tables: Tables, policy: Policy) -> None:
        self.folder, self.policy = GeasFolder(root, tables), policy
        self.notes: list[str] = []
        # Whether the command is a batch of promotions, which ends with a line of its own.
        self.batch = False
        self._logs: dict[str, list[Stored]] = {}

    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the folder, and mend what a crash left: a damaged index, candidates beside their entry."""
        self.batch = False
        with self.folder.locked():
            self._mend()
            yield

    def scan(self) -> dict[str, str]:
        """Return every memory's file and the index, with their fingerprints."""
        self._read_logs()
        found = {place: self._mark(PurePath(place)) for place in self._places()}
        if found or self._exists(paths.INDEX):
            found[INDEX] = self._index_mark()
        return found

    def read(self, path: str) -> FileContents:
        """Return the memory a file holds; a candidate's file owns less than an entry's."""
        if path == INDEX:
            return FileContents()
        try:
            stored = self._stored(PurePath(path))
        except (TenureError, OSError) as error:
            self.notes.append(f"{path} cannot be read and is left as it is: {error}")
            return FileContents(problems=[(getattr(error, "field", "") or "file", str(error))])
        if stored is None:
            return FileContents(problems=[("file", "is gone")])
        return FileContents(
            memories=[self._memory(stored)],
            owned=memories.CANDIDATE_OWNS if stored.artifact == memories.CANDIDATE else None,
        )

    def of_commit(self, path: str, data: bytes) -> list[Memory]:
        """Return the memory in a content of a file that git keeps."""
        place = PurePath(path)
        reading = codec.decode(data, self.folder.tables, path=place, artifact=FOLDERS.get(place.parent.as_posix()))
        return [memories.memory(reading.document, (), self.policy, extra=reading.extra)]

    def write(self, revisions: Sequence[Revision], seen: Mapping[str, str]) -> dict[str, str | None]:
        """Bring files, logs, reviews, index and event lines in step with a changeset."""
        self._read_logs()
        touched = {place.as_posix() for revision in revisions for place in _places(revision.memory_id)}
        before = {place: self._mark_or_none(place) for place in touched}
        for place, mark in before.items():
            if mark != seen.get(place):
                raise _changed(place)
        now = changes.moment(revisions)
        wanted = [change for revision in revisions for change in self._changes(revision)]
        for change in wanted:
            # What a change starts from was read after it was compared: it must be the very same bytes.
            mark = before.get(change.place.as_posix())
            if mark is not None and mark.partition("-")[0] != change.expected:
                raise _changed(change.place.as_posix())
        logs = self._log_marks()
        written = self.folder.commit(wanted, changes.lines(revisions, now, batch=self.batch), now)
        for revision in revisions:
            for where in _places(revision.memory_id) if revision.after is None else ():
                self.folder.files.drop_copies(where.as_posix())
        self._read_logs()
        self._note_packets({r.memory_id: r.after.state if r.after else "gone" for r in revisions})
        logs = {place: mark for place, mark in {**logs, **written}.items() if mark and place.startswith(f"{LOGS}/")}
        met = "" if self._log_marks() == logs else MET
        fresh: dict[str, str | None] = {}
        for place in touched:
            # As we wrote it, or as it was: what a neighbour has put there since is still to be picked up.
            mark = written[place] if place in written else (before[place] or "").partition("-")[0] or None
            if mark or place in seen:
                fresh[place] = mark and f"{self._with_logs(PurePath(place), mark)}{met}"
        return {**fresh, INDEX: self._index_mark() if self._exists(paths.INDEX) else None}

    def logs_of(self, memory_id: str) -> list[Document]:
        """Return the application logs of a memory as last scanned, oldest first."""
        return [stored.document for stored in self._logs.get(memory_id, ())]

    def packets(self) -> list[tuple[PurePath, Document]]:
        """Return every memory packet that can be read, with its place."""
        found = []
        for place in self._packet_places():
            with contextlib.suppress(TenureError, OSError):
                stored = self.folder.read(place)
                if stored is not None and stored.artifact == "memory-packet":
                    found.append((place, stored.document))
        return found

    def _packet_places(self) -> Iterator[PurePath]:
        files = self.folder.files
        # A linked folder holds nothing of ours.
        with contextlib.suppress(TenureError, OSError):
            for mission in files.folders("missions"):
                for task in files.folders(f"missions/{mission}/packets"):
                    folder = PurePath("missions", mission, "packets", task)
                    yield from (folder / name for name in files.names(folder.as_posix()) if name.endswith(".json"))

    def _mend(self) -> None:
        leftovers = [place for place in self._listed("memory/candidates") if self._is_leftover(place)]
        for place in leftovers:
            with contextlib.suppress(TenureError, OSError):
                if self._stored(paths.entry(place.stem)) and (left := self._stored(place)):
                    self.folder.files.remove(place.as_posix(), expected=left.fingerprint)
        damaged = self._index_mark() in ("missing", "damaged") and bool(self._places())
        if damaged or (self._index_looks_wrong() and self.folder.index_problem()):
            self.folder.rebuild_index(clock.now())
        if damaged:
            self.notes.append("The memory index was missing or damaged and was rebuilt from the files.")

    def _index_looks_wrong(self) -> bool:
        """Compare the index with the files quickly, without validating them; a file that is no JSON is passed over."""
        places = self._places()
        found: dict[str, Document] = {}
        for place in places:
            with contextlib.suppress(*_NO_DOCUMENT):
                document = json.loads(self.folder.files.read(place) or b"")
                found[PurePath(place).stem] = documents.index_row(document)
        with contextlib.suppress(*_NO_DOCUMENT):
            index = json.loads(self.folder.files.read(INDEX) or b"")
            rows = {row["memory_id"]: row for row in index["entries"]}
            unknown = {PurePath(place).stem for place in places} - found.keys()
            return any(rows.get(name) != found.get(name) for name in {*rows, *found} - unknown)
        return bool(found)

    def _places(self) -> list[str]:
        listed = [place for folder in FOLDERS for place in self._listed(folder)]
        return [place.as_posix() for place in listed if not self._is_leftover(place)]

    def _listed(self, folder: str) -> list[PurePath]:
        try:
            names = self.folder.files.names(folder)
        except (TenureError, OSError):
            return []
        return [PurePath(folder, name) for name in names if paths.is_artifact(name) and not paths.is_review(name)]

    def _is_leftover(self, place: PurePath) -> bool:
        """Tell whether a candidate's entry exists: the remains of a promotion that was cut short."""
        return place.parent.name == "candidates" and self._exists(PurePath("memory/entries", place.name))

    def _exists(self, place: PurePath) -> bool:
        return self.folder.files.exists(place.as_posix())

    def _stored(self, place: PurePath) -> Stored | None:
        stored = self.folder.read(place, FOLDERS[place.parent.as_posix()])
        return checked_identity(stored) if stored else None

    def _memory(self, stored: Stored) -> Memory:
        document = stored.document
        held_or_gone = self.policy.phase(document["state"]) in ("held", "gone")
        return memories.memory(
            document,
            self.logs_of(document["memory_id"]),
            self.policy,
            extra=stored.extra,
            promoted_to=self._promoted_to(document["memory_id"]) if held_or_gone else None,
        )

    def _promoted_to(self, memory_id: str) -> str | None:
        """Return the last state the event lines promoted a memory to: all that is left when the companion is lost."""
        with contextlib.suppress(TenureError, OSError):
            events = self.folder.files.read(paths.EVENTS.as_posix(), limit=durable.MAX_FILE_BYTES) or b""
            for line in reversed(events.splitlines()):
                if memory_id.encode() not in line or b"memory_promoted" not in line:
                    continue
                with contextlib.suppress(ValueError, AttributeError):
                    event = json.loads(line)
                    if event.get("memory_id") == memory_id and event.get("to_state") in self.policy.states:
                        return str(event["to_state"])
        return None

    def _read_logs(self) -> None:
        self._logs = {}
        with contextlib.suppress(TenureError, OSError):
            for stored in self.folder.logs().found:
                self._logs.setdefault(stored.document["memory_id"], []).append(stored)

    def _log_marks(self) -> dict[str, str]:
        return {stored.place.as_posix(): stored.fingerprint for found in self._logs.values() for stored in found}

    def _mark(self, place: PurePath) -> str:
        return self._with_logs(place, self.folder.files.mark(place.as_posix()) or "gone")

    def _with_logs(self, place: PurePath, mark: str) -> str:
        logs = "".join(stored.fingerprint for stored in self._logs.get(place.stem, ()))
        return f"{mark}-{durable.fingerprint(logs.encode())[:16]}" if logs else mark

    def _mark_or_none(self, place: str) -> str | None:
        where = PurePath(place)
        return self._mark(where) if self._exists(where) and not self._is_leftover(where) else None

    def _index_mark(self) -> str:
        try:
            stored = self.folder.read(paths.INDEX, "memory-index")
        except (TenureError, OSError):
            return "damaged"
        return stored.fingerprint if stored else "missing"

    def _changes(self, revision: Revision) -> list[FileToWrite]:
        there = self._there(revision.memory_id)
        after = revision.after
        if after is None:
            return [*(_removal(stored) for stored in there), *self._traces(revision, everything=True)]
        base = there[0] if there else None
        document = memories.document(after, base.document if base else None)
        kind = memories.artifact(after, base.document if base else None)
        place = paths.entry(after.id) if kind == memories.ENTRY else paths.candidate(after.id)
        found = []
        if base is None or document != base.document or base.place != place:
            same = next((stored for stored in there if stored.place == place), None)
            found.append(FileToWrite(place, kind, document, same.fingerprint if same else None))
        found += [_removal(stored) for stored in there if stored.place != place]
        return [*found, *self._traces(revision), *self._additions(revision)]

    def _there(self, memory_id: str) -> list[Stored]:
        """Return the memory's files, its entry first."""
        return [stored for place in _places(memory_id) if (stored := self._stored(place))]

    def _traces(self, revision: Revision, *, everything: bool = False) -> list[FileToWrite]:
        """Return the removal of logs and reviews that no longer stand, or of all that speak of the memory."""
        if not everything and not changes.undoes(revision):
            return []
        counted = revision.after.applied if revision.after else ()
        logs = [
            stored
            for stored in self._logs.get(revision.memory_id, ())
            if everything or changes.key(stored.document) not in counted
        ]
        reviews = [
            stored
            for stored in self.folder.reviews().found
            if stored.document["memory_id"] == revision.memory_id
            and (everything or changes.takes_back(revision, stored.document))
        ]
        return [_removal(stored) for stored in (*logs, *reviews)]

    def _additions(self, revision: Revision) -> list[FileToWrite]:
        taken: set[PurePath] = set()
        found = []
        for log in changes.logs(revision):
            place = self._free((paths.log(log["task_id"], revision.memory_id, n) for n in range(1, MANY)), taken)
            found.append(FileToWrite(place, "memory-application-log", log, None))
        for review in changes.reviews(revision):
            place = self._free((paths.review(revision.memory_id, n) for n in range(1, MANY)), taken)
            found.append(FileToWrite(place, "memory-review", review, None))
        return found

    def _free(self, places: Iterator[PurePath], taken: set[PurePath]) -> PurePath:
        place = self.folder.free(place for place in places if place not in taken)
        taken.add(place)
        return place

    def _note_packets(self, states: Mapping[str, str]) -> None:
        gone = {name for name, state in states.items() if state in STALE_STATES or state == "gone"}
        for place, packet in self.packets() if gone else ():
            named = [name for name in packet["applicable_memory_ids"] if name in gone]
            if named:
                said = ", ".join(f"{name} is {states[name]}" for name in named)
                self.notes.append(f"The packet {place.as_posix()} is stale: {said}. Build it again.")


def _places(memory_id: str) -> tuple[PurePath, PurePath]:
    return paths.entry(memory_id), paths.candidate(memory_id)


def _changed(place: str) -> Conflict:
    return Conflict(
        f"{place} was changed by someone else since it was read.",
        hint="Run the command again; it starts from what is there now.",
    )


def _removal(stored: Stored) -> FileToWrite:
    return FileToWrite(stored.place, stored.artifact, None, stored.fingerprint)
