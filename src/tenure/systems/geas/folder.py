"""One `.geas` folder: reading what is there, and changing it so that nothing is lost.

Every change happens under one lock, names the bytes it expects to replace, and is written file by file, each
atomically: entries before the candidates they replace, then the index, then the events. A crash in between
leaves at worst a candidate beside its entry, or an old index; `memories` and `index_problem` recognise both.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from pathlib import Path, PurePath

import msgspec

from tenure.files import durable, lock
from tenure.model.errors import Conflict, InvalidInput, Refused, TenureError
from tenure.systems.geas import codec, documents, paths, schemas
from tenure.systems.geas.codec import Document
from tenure.systems.geas.tables import Tables

# geas artifacts are a few kilobytes; anything above this is not one.
MAX_ARTIFACT_BYTES = 4 * 1024 * 1024


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


class Change(msgspec.Struct, frozen=True):
    """A file to be written, or removed when `document` is None.

    `expected` is the fingerprint it was read with; None means that no file may be there.
    """

    place: PurePath
    artifact: str
    document: Document | None
    expected: str | None


class Folder:
    """The memory of one `.geas` folder."""

    def __init__(self, root: Path, tables: Tables, *, lock_path: Path | None = None) -> None:
        if root.is_symlink():
            raise Refused(f"{str(root)!r} is a symbolic link, and those are not followed here.")
        self.root = root
        self.tables = tables
        self._lock_path = lock_path

    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the folder's lock; without a lock of its own, the caller holds one."""
        if self._lock_path is None:
            yield
            return
        _make_folder(self._lock_path.parent)
        with lock.exclusive(self._lock_path):
            yield

    def read(self, place: PurePath, artifact: str | None = None) -> Stored | None:
        """Return the artifact at `place`, or None when there is no such file."""
        data = self._bytes(place)
        if data is None:
            return None
        reading = codec.decode(data, self.tables, path=place, artifact=artifact)
        return Stored(
            place, reading.artifact, reading.document, reading.extra, reading.repairs, durable.fingerprint(data)
        )

    def memories(self) -> Scan:
        """Return all candidates and entries, in order of id."""
        entries = self._scan("memory/entries", "memory-entry")
        candidates = self._scan("memory/candidates", "memory-candidate")
        promoted = {stored.document["memory_id"] for stored in entries.found}
        kept = [stored for stored in candidates.found if stored.document["memory_id"] not in promoted]
        left = [stored.place for stored in candidates.found if stored.document["memory_id"] in promoted]
        found = sorted((*entries.found, *kept), key=lambda stored: str(stored.document["memory_id"]))
        return Scan(tuple(found), (*entries.unreadable, *candidates.unreadable), tuple(left))

    def logs(self) -> Scan:
        """Return all application logs, oldest first, whatever their file names."""
        scan = self._scan("memory/logs", "memory-application-log")
        ordered = sorted(scan.found, key=lambda stored: (stored.document["meta"]["created_at"], stored.place))
        return Scan(tuple(ordered), scan.unreadable)

    def reviews(self) -> Scan:
        """Return all reviews of candidates and entries, oldest first."""
        scans = [self._scan(f"memory/{part}", "memory-review", reviews=True) for part in ("candidates", "entries")]
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
        return next(place for place in places if not os.path.lexists(self.root / place))

    def commit(self, changes: Iterable[Change], events: Iterable[Mapping[str, object]], now: datetime) -> None:
        """Apply all changes, bring the index in step and append the events.

        Raises `Conflict` before anything is written when a file is not the one a change expects.
        """
        wanted = list(changes)
        for place in (paths.INDEX, paths.EVENTS):
            paths.within(self.root, self.root / place)
        with self.locked():
            encoded = [self._checked(change) for change in wanted]
            for change, data in zip(wanted, encoded, strict=True):
                if data is not None:
                    self._write(change.place, data)
            for change in wanted:
                if change.document is None:
                    durable.remove(self.root / change.place)
            touched = [change for change in wanted if change.artifact in ("memory-candidate", "memory-entry")]
            if touched:
                self._update_index(touched, now)
            self._append(events)

    def rebuild_index(self, now: datetime) -> Scan:
        """Write the index anew from the files and return what was read; unreadable files keep their row."""
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
        path = paths.within(self.root, self.root / place)
        try:
            return durable.read_bytes(path, limit=MAX_ARTIFACT_BYTES)
        except (FileNotFoundError, NotADirectoryError):
            return None

    def _scan(self, folder: str, artifact: str, *, reviews: bool = False) -> Scan:
        found: list[Stored] = []
        unreadable: list[Unreadable] = []
        place = PurePath(folder)
        path = paths.within(self.root, self.root / place)
        names = sorted(os.listdir(path)) if path.is_dir() else []
        for name in names:
            is_review = name.endswith(f"{paths.REVIEW_SUFFIX}.json")
            if not name.endswith(".json") or name.startswith(".") or is_review is not reviews:
                continue
            try:
                stored = self.read(place / name, artifact)
                if stored is not None:
                    found.append(checked_identity(stored))
            except (TenureError, OSError) as error:
                unreadable.append(Unreadable(place / name, str(error)))
        return Scan(tuple(found), tuple(unreadable))

    def _checked(self, change: Change) -> bytes | None:
        data = self._bytes(change.place)
        current = None if data is None else durable.fingerprint(data)
        if current != change.expected:
            found = "is gone" if current is None else "was written by someone else"
            raise Conflict(
                f"{change.place.as_posix()} {found} since it was read.",
                hint="Run the command again; it starts from what is there now.",
            )
        return None if change.document is None else codec.encode(change.document, change.artifact)

    def put(self, place: PurePath, data: bytes) -> None:
        """Put an artifact that is made anew each time, such as a packet, in its place."""
        self._write(place, data)

    def _write(self, place: PurePath, data: bytes) -> None:
        path = paths.within(self.root, self.root / place)
        _make_folder(path.parent)
        durable.replace(path, data)

    def _update_index(self, changes: Iterable[Change], now: datetime) -> None:
        try:
            stored = self.read(paths.INDEX, "memory-index")
        except (TenureError, OSError):
            stored = None
        if stored is None:
            self._rebuild_index(now)
            return
        rows = {row["memory_id"]: row for row in stored.document["entries"]}
        written = {change.document["memory_id"] for change in changes if change.document is not None}
        for change in changes:
            if change.document is not None:
                rows[change.document["memory_id"]] = documents.index_row(change.document)
            elif change.place.stem not in written:
                rows.pop(change.place.stem, None)
        self._write_index(rows.values(), now, stored.document["meta"])

    def _rebuild_index(self, now: datetime) -> Scan:
        rows: dict[str, Document] = {}
        meta = None
        # A damaged index may still hold usable rows, of memories whose own file cannot be read just now.
        with contextlib.suppress(TenureError, OSError):
            old = codec.parse(self._bytes(paths.INDEX) or b"")
            meta = old["meta"] if not schemas.problems(old, "memory-index") else None
            rows = {row["memory_id"]: row for row in old["entries"]} if meta else {}
        scan = self.memories()
        kept = {one.place.stem for one in scan.unreadable}
        rows = {name: row for name, row in rows.items() if name in kept}
        rows |= {one.document["memory_id"]: documents.index_row(one.document) for one in scan.found}
        self._write_index(rows.values(), now, meta)
        return scan

    def _write_index(self, rows: Iterable[Document], now: datetime, meta: Document | None) -> None:
        self._write(paths.INDEX, codec.encode(documents.index(rows, now, meta), "memory-index"))

    def _append(self, events: Iterable[Mapping[str, object]]) -> None:
        lines = b"".join(json.dumps(event, ensure_ascii=False).encode("utf-8") + b"\n" for event in events)
        if not lines:
            return
        path = paths.within(self.root, self.root / paths.EVENTS)
        _make_folder(path.parent)
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_NOFOLLOW", 0), 0o644)
        with os.fdopen(handle, "r+b", buffering=0) as file:
            size = file.seek(0, os.SEEK_END)
            # Another writer's line that was cut short must not swallow ours.
            if size:
                file.seek(-1, os.SEEK_END)
                lines = lines if file.read(1) == b"\n" else b"\n" + lines
            file.write(lines)
            os.fsync(file.fileno())
        durable.flush_folder(path.parent)


def _make_folder(path: Path) -> None:
    """Create a folder and those above it so that they survive a power cut."""
    if not path.is_dir():
        _make_folder(path.parent)
        path.mkdir(exist_ok=True)
        durable.flush_folder(path.parent)


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
