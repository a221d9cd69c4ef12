"""One `.geas` folder: reading what is there, and changing it so that nothing is lost.

Every change happens under the folder's lock, names the bytes it expects to replace, and is written file by file:
entries before the candidates they replace, then the index, then the events. A crash in between leaves at worst a
candidate beside its entry, or an old index; `memories` and `index_problem` recognise both.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from pathlib import Path, PurePath

import msgspec

from tenure.files import steps
from tenure.files.durable import fingerprint
from tenure.files.shared_folder import UNNAMEABLE, reason
from tenure.files.shared_folder import Folder as Files
from tenure.model.errors import Conflict, InvalidInput, Refused, TenureError
from tenure.systems.geas import codec, documents, paths, schemas
from tenure.systems.geas.codec import Document
from tenure.systems.geas.tables import Tables

# geas artifacts are a few kilobytes; anything above this is not one.
MAX_ARTIFACT_BYTES = 4 * 1024 * 1024
ENTRIES, CANDIDATES, LOGS = "memory/entries", "memory/candidates", "memory/logs"
# Every folder that is written to, and may hold what a killed process left.
WRITTEN = (ENTRIES, CANDIDATES, LOGS, paths.INDEX.parent.as_posix(), paths.EVENTS.parent.as_posix())


class Stored(msgspec.Struct, frozen=True):
    """A document, where it lies below the folder, and the fingerprint of the bytes it was read from."""

    place: PurePath
    artifact: str
    document: Document
    extra: Document
    repairs: tuple[str, ...]
    fingerprint: str


class Unreadable(msgspec.Struct, frozen=True):
    """A file that was left as it is, and why."""

    place: PurePath
    reason: str


class Scan(msgspec.Struct, frozen=True):
    """Everything of one kind that could be read, and what could not."""

    found: tuple[Stored, ...]
    unreadable: tuple[Unreadable, ...]
    # Candidates whose entry exists: the remains of a promotion that was cut short.
    leftovers: tuple[PurePath, ...] = ()


class FileToWrite(msgspec.Struct, frozen=True):
    """A file to be written, or removed when `document` is None.

    `expected` is the fingerprint it was read with; None means that no file may be there.
    """

    place: PurePath
    artifact: str
    document: Document | None
    expected: str | None


class GeasFolder:
    """The memory of one `.geas` folder."""

    def __init__(self, root: Path, tables: Tables) -> None:
        if root.is_symlink():
            raise Refused(f"{str(root)!r} is a symbolic link, and those are not followed here.")
        self.root = root
        self.files = Files(root, limit=MAX_ARTIFACT_BYTES)
        self.tables = tables

    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the folder; what a killed process left in it is swept first."""
        with self.files.locked():
            for place in WRITTEN:
                # A linked folder is refused by whatever wants to write there.
                with contextlib.suppress(Refused):
                    self.files.sweep([place])
            yield

    def read(self, place: PurePath, artifact: str | None = None) -> Stored | None:
        """Return the artifact at `place`, or None when there is no such file."""
        data = self._bytes(place)
        if data is None:
            return None
        reading = codec.decode(data, self.tables, path=place, artifact=artifact)
        return Stored(place, reading.artifact, reading.document, reading.extra, reading.repairs, fingerprint(data))

    def memories(self) -> Scan:
        """Return all candidates and entries, in order of id."""
        entries = self._scan(ENTRIES, "memory-entry")
        candidates = self._scan(CANDIDATES, "memory-candidate")
        promoted = {stored.document["memory_id"] for stored in entries.found}
        kept = [stored for stored in candidates.found if stored.document["memory_id"] not in promoted]
        left = [stored.place for stored in candidates.found if stored.document["memory_id"] in promoted]
        found = sorted((*entries.found, *kept), key=lambda stored: str(stored.document["memory_id"]))
        return Scan(tuple(found), (*entries.unreadable, *candidates.unreadable), tuple(left))

    def logs(self) -> Scan:
        """Return all application logs, oldest first, whatever their file names."""
        scan = self._scan(LOGS, "memory-application-log")
        ordered = sorted(scan.found, key=lambda stored: (stored.document["meta"]["created_at"], stored.place))
        return Scan(tuple(ordered), scan.unreadable)

    def reviews(self) -> Scan:
        """Return all reviews of candidates and entries, oldest first."""
        scans = [self._scan(folder, "memory-review", reviews=True) for folder in (CANDIDATES, ENTRIES)]
        found = [stored for scan in scans for stored in scan.found]
        found.sort(key=lambda stored: (stored.document["meta"]["created_at"], stored.place))
        return Scan(tuple(found), tuple(one for scan in scans for one in scan.unreadable))

    def agent_notes(self, agent: str) -> str | None:
        """Return the text of the agent's own file under either spelling, or None."""
        for place in paths.agent_notes(agent):
            data = self._bytes(place)
            if data is not None:
                return data.decode("utf-8", "replace")
        return None

    def free(self, places: Iterable[PurePath]) -> PurePath:
        """Return the first of these places where no file lies."""
        return next(place for place in places if not self.files.exists(place.as_posix()))

    def commit(
        self, changes: Iterable[FileToWrite], events: Iterable[Mapping[str, object]], now: datetime
    ) -> dict[str, str | None]:
        """Apply all changes, bring the index in step and append the events.

        Returns the fingerprint of what was written to each place, None where a file was removed: what lies there a
        moment later may be somebody else's. Raises `Conflict` before anything is written when a file is not the one
        that a change expects.
        """
        wanted = list(changes)
        with self.locked():
            planned = [self._step(change) for change in wanted]
            writes = [step for step in planned if isinstance(step, steps.Write)]
            undo = steps.apply(self.files, [*writes, *(step for step in planned if step not in writes)])
            touched = [change for change in wanted if change.artifact in ("memory-candidate", "memory-entry")]
            try:
                if touched:
                    self.files.change(paths.INDEX.as_posix(), lambda data: self._indexed(data, touched, now))
                self._append(events)
            except BaseException:
                steps.take_back(self.files, undo)
                raise
            return {step.path: fingerprint(step.data) if isinstance(step, steps.Write) else None for step in planned}

    def rebuild_index(self, now: datetime) -> Scan:
        """Rewrite the index from the files and return what was read; unreadable files keep their row."""
        with self.locked():
            return self._rebuild_index(now)

    def index_problem(self) -> str:
        """Return why the index cannot be relied on, or nothing when it says what the files say."""
        try:
            stored = self.read(paths.INDEX, "memory-index")
        except (TenureError, OSError) as error:
            return str(error)
        if stored is None:
            return "the index is missing"
        scan = self.memories()
        rows = {row["memory_id"]: row for row in stored.document["entries"]}
        unreadable = {one.place.stem for one in scan.unreadable}
        expected = {one.document["memory_id"]: documents.index_row(one.document) for one in scan.found}
        wrong = sorted(name for name in {*rows, *expected} - unreadable if rows.get(name) != expected.get(name))
        return f"the index is out of step for {', '.join(wrong[:5])}" if wrong else ""

    def _bytes(self, place: PurePath) -> bytes | None:
        return self.files.read(place.as_posix())

    def _scan(self, folder: str, artifact: str, *, reviews: bool = False) -> Scan:
        found: list[Stored] = []
        place = PurePath(folder)
        try:
            names = self.files.names(folder)
            unreadable = [Unreadable(place / name, UNNAMEABLE) for name in self.files.unnameable(folder)]
        except (TenureError, OSError) as error:
            return Scan((), (Unreadable(place, reason(error)),))
        for name in names:
            if not paths.is_artifact(name) or paths.is_review(name) is not reviews:
                continue
            try:
                stored = self.read(place / name, artifact)
                if stored is not None:
                    found.append(checked_identity(stored))
            except (TenureError, OSError) as error:
                unreadable.append(Unreadable(place / name, str(error)))
        return Scan(tuple(found), tuple(unreadable))

    def _step(self, change: FileToWrite) -> steps.Step:
        place = change.place.as_posix()
        current = self.files.mark(place)
        if current != change.expected:
            found = "is gone" if current is None else "was written by someone else"
            raise Conflict(
                f"{place} {found} since it was read.", hint="Run the command again; it starts from what is there now."
            )
        if change.document is None:
            return steps.Remove(place, change.expected or "")
        return steps.Write(place, codec.encode(change.document, change.artifact), change.expected)

    def put(self, place: PurePath, data: bytes) -> None:
        """Write an artifact that is made again each time, such as a packet."""
        self.files.change(place.as_posix(), lambda there: data)

    def _indexed(self, data: bytes | None, changes: Iterable[FileToWrite], now: datetime) -> bytes:
        """Return the index with the rows of these changes; one that is missing or damaged is rebuilt."""
        old = self._index(data)
        if old is None:
            return self._rebuilt(data, self.memories(), now)
        rows = {row["memory_id"]: row for row in old["entries"]}
        written = {change.document["memory_id"] for change in changes if change.document is not None}
        for change in changes:
            if change.document is not None:
                rows[change.document["memory_id"]] = documents.index_row(change.document)
            elif change.place.stem not in written:
                rows.pop(change.place.stem, None)
        return codec.encode(documents.index(rows.values(), now, old["meta"]), "memory-index")

    def _rebuild_index(self, now: datetime) -> Scan:
        scan = self.memories()
        self.files.change(paths.INDEX.as_posix(), lambda data: self._rebuilt(data, scan, now))
        return scan

    def _rebuilt(self, data: bytes | None, scan: Scan, now: datetime) -> bytes:
        rows: dict[str, Document] = {}
        meta = None
        # A damaged index may still hold usable rows, of memories whose own file cannot be read just now.
        with contextlib.suppress(TenureError, OSError):
            old = codec.parse(data or b"")
            meta = old["meta"] if not schemas.problems(old, "memory-index") else None
            rows = {row["memory_id"]: row for row in old["entries"]} if meta else {}
        kept = {one.place.stem for one in scan.unreadable}
        rows = {name: row for name, row in rows.items() if name in kept}
        rows |= {one.document["memory_id"]: documents.index_row(one.document) for one in scan.found}
        return codec.encode(documents.index(rows.values(), now, meta), "memory-index")

    def _index(self, data: bytes | None) -> Document | None:
        if data is None:
            return None
        try:
            return codec.decode(data, self.tables, path=paths.INDEX, artifact="memory-index").document
        except TenureError:
            return None

    def _append(self, events: Iterable[Mapping[str, object]]) -> None:
        lines = b"".join(json.dumps(event, ensure_ascii=False).encode("utf-8") + b"\n" for event in events)
        self.files.append(paths.EVENTS.as_posix(), lines)


def checked_identity(stored: Stored) -> Stored:
    """Return the memory; refuse one whose file is not named after it: writing it back would make a second one."""
    if stored.artifact not in ("memory-candidate", "memory-entry"):
        return stored
    memory_id = paths.safe_id(stored.document["memory_id"])
    if stored.place.stem != memory_id:
        raise InvalidInput(
            f"{stored.place.name}: memory_id: found {memory_id!r}, expected {stored.place.stem!r}.",
            field="memory_id",
        )
    return stored
