"""The memory folder: records and index read and written together.

Records are written first, then the index. A writer killed in between leaves records that are newer than the
index, or missing from it; the next one that takes the lock brings the index in step before it does anything
else.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from tenure.files import CATEGORY_INDEX
from tenure.files.durable import fingerprint
from tenure.files.shared_folder import Folder as Files
from tenure.model import clock
from tenure.model.errors import Refused, TenureError
from tenure.spool import dropin
from tenure.systems.claude_memory import gate, index
from tenure.systems.claude_memory.records import CATEGORY_OF_FOLDER, FOLDERS, Record, decode, encode, is_active

INDEX = CATEGORY_INDEX


class Stored(NamedTuple):
    """A record as it lies on disk."""

    path: Path
    shown: str
    category: str
    record: Record


class RecordToWrite(NamedTuple):
    """A record to write, the path the index shows for it, and the file it leaves when it is renamed."""

    path: Path
    shown: str
    record: Record
    renamed_from: Path | None = None


class RecordFolder:
    """One `.claude/memory` folder."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.index_path = root / INDEX
        # Kept as written: the index shows paths from here, and `--root` may be relative.
        self.project = root.parent.parent
        self._base = os.path.abspath(self.project)
        self._files = _files(root)
        # What each record was read as, by which an edit made meanwhile is noticed.
        self._read_as: dict[str, str] = {}

    @contextlib.contextmanager
    def locked(self, *, wait_seconds: float | None = None, heal: bool = False) -> Iterator[None]:
        """Hold the folder for a write; after another writer died, the index is brought in step first.

        With `heal` it is brought in step in any case, for writers whose answer says that the index is right.
        """
        self.refuse_links(self.root)
        with gate.held(self.root, warn=warn, wait_seconds=wait_seconds) as interrupted:
            self.sweep()
            if heal or interrupted:
                self.heal()
            yield

    def heal_if_interrupted(self) -> None:
        """Bring the index in step when one of our writers was killed; leave a writer at work alone."""
        if gate.died_inside(self.root):
            with contextlib.suppress(TenureError, OSError), self.locked(wait_seconds=0):
                pass

    def read(self, path: Path) -> tuple[Record, str]:
        """Return the record and the MD5 of its bytes; raise when there is none or it cannot be read."""
        data = self._files.read(_place(path))
        if data is None:
            raise FileNotFoundError(path)
        self._read_as[_place(path)] = fingerprint(data)
        return decode(data), hashlib.md5(data, usedforsecurity=False).hexdigest()

    def refuse_links(self, path: Path) -> None:
        """Raise `Refused` when the folder of a record, or the memory folder itself, is a link."""
        self._files.names("" if path == self.root else path.parent.name)

    def copies(self) -> list[Path]:
        """Return the versions of records that were kept because another one took their place."""
        return self._files.copies()

    def mark(self, path: Path) -> str | None:
        """Return a record's fingerprint now, None when there is no file."""
        return self._files.mark(_place(path))

    def read_as(self, path: Path) -> str | None:
        """Return the fingerprint a record was last read with, or has when it was not read; None without a file."""
        return self._read_as.get(_place(path)) or self.mark(path)

    def stored(
        self, categories: Iterable[str] = FOLDERS, unreadable: Callable[[Path, Exception], None] | None = None
    ) -> list[Stored]:
        """Return every readable record, by category and file name; the others are reported and left alone."""
        return [
            Stored(path, self.shown(path), category, record)
            for category in categories
            for path in self._paths(category)
            if (record := self._readable(path, unreadable or _could_not_parse)) is not None
        ]

    def count(self, category: str) -> int:
        """Return how many files the category has, whatever their state."""
        return len(self._paths(category))

    def shown(self, path: Path) -> str:
        """Return the path a rebuilt index shows."""
        return path.relative_to(self.project).as_posix()

    def index_text(self) -> str:
        """Return the index, or an empty one where there is none."""
        return _index_text(self._files.read(INDEX))

    def commit(self, changes: Iterable[RecordToWrite]) -> dict[Path, str]:
        """Write the records and then the index that lists the active ones; only under the lock.

        Returns the fingerprint of each record as it was written: a moment later it may be somebody else's. Raises
        `Conflict` when somebody who takes no lock changed a record since it was read; theirs stays.
        """
        wanted: dict[str, str | None] = {}
        written: dict[Path, str] = {}
        for change in changes:
            if change.renamed_from is not None:
                # The same file under a new name: a kill leaves one record, never none and never two.
                written[change.path] = self._put(change.renamed_from, change.record)
                self._files.move(_place(change.renamed_from), _place(change.path))
                wanted[self.located(change.renamed_from)] = None
            else:
                written[change.path] = self._put(change.path, change.record)
            wanted[self.located(change.path)] = self._line(change)
        self._revise(wanted)
        return written

    def note(self, event: str, changes: Iterable[RecordToWrite], reason: str = "") -> None:
        """Leave word for the ledger of what the drop-in did to these records; only under the lock."""
        done = [
            dropin.Done(
                event,
                _place(change.path),
                change.record,
                reason=reason,
                before=_place(change.renamed_from) if change.renamed_from else "",
            )
            for change in changes
        ]
        dropin.note(self.root, clock.stamp(clock.now()), done)

    def note_purged(self, paths: Iterable[Path], reason: str) -> None:
        """Leave word for the ledger of records that are gone for good; only under the lock."""
        done = [dropin.Done("Purged", _place(path), None, reason=reason) for path in paths]
        dropin.note(self.root, clock.stamp(clock.now()), done)

    def purge(self, paths: Iterable[Path]) -> None:
        """Remove the records' files and any lines left of them; only under the lock."""
        gone = list(paths)
        for path in gone:
            self._files.remove(_place(path), expected=self.read_as(path))
            self._files.drop_copies(_place(path))
            self._read_as.pop(_place(path), None)
        self._revise({self.located(path): None for path in gone})

    def sweep(self) -> None:
        """Mend what killed writers left half done; under the lock nobody else is at it."""
        for place in ("", *FOLDERS.values()):
            with contextlib.suppress(Refused):  # a linked folder is not followed
                self._files.sweep([place])
        for note in self._files.notes:
            warn(f"WARNING: {note}")
        self._files.notes.clear()

    def write_index(self, text: str) -> None:
        """Replace the index when it differs; only under the lock."""
        self._files.change(INDEX, lambda data: text.encode("utf-8", "surrogateescape"))

    def listed_paths(self) -> dict[str, str]:
        """Return what the index lists: the file -> the path as the line has it."""
        return {index.located(e.path, self._base): e.path for e in index.entries(self.index_text())}

    def located(self, path: Path) -> str:
        """Return the file a record's path names, comparable with `listed_paths`."""
        return os.path.abspath(path)

    def heal(self) -> None:
        """Bring the index in step with records written after it; only under the lock."""
        written = _written_at(self.index_path)
        listed = self.listed_paths()
        wanted: dict[str, str | None] = {}
        for category in FOLDERS:
            for path in self._paths(category):
                place = self.located(path)
                if place not in listed or _written_at(path) > written:
                    record = self._readable(path, _could_not_parse)
                    if record is not None:
                        wanted[place] = self._line(RecordToWrite(path, listed.get(place) or self.shown(path), record))
            wanted.update(self._lost(category, listed, written))
        if any(line is not None or place in listed for place, line in wanted.items()):
            self._revise(wanted)

    def _lost(self, category: str, listed: Iterable[str], written: int) -> dict[str, None]:
        folder = self.root / FOLDERS[category]
        # A folder untouched since the index was written cannot have lost a file to a killed rename.
        if _written_at(folder) <= written:
            return {}
        inside = self.located(folder) + os.sep
        return {path: None for path in listed if path.startswith(inside) and not os.path.lexists(path)}

    def _line(self, change: RecordToWrite) -> str | None:
        if not is_active(change.record):
            return None
        category = CATEGORY_OF_FOLDER.get(change.path.parent.name, "")
        return index.line(change.record, change.shown, category=category, stem=change.path.stem)

    def _revise(self, wanted: dict[str, str | None]) -> None:
        if wanted:
            # Asked again when a person edits the index meanwhile.
            self._files.change(INDEX, lambda data: self._revised(data, wanted))

    def _revised(self, data: bytes | None, wanted: dict[str, str | None]) -> bytes:
        return index.revised(_index_text(data), wanted, project=self._base).encode("utf-8", "surrogateescape")

    def _put(self, path: Path, record: Record) -> str:
        place, data = _place(path), encode(record)
        self._files.replace(place, data, expected=self.read_as(path))
        self._read_as[place] = fingerprint(data)
        return self._read_as[place]

    def _paths(self, category: str) -> list[Path]:
        folder = self.root / FOLDERS[category]
        try:
            names = self._files.names(FOLDERS[category])
        except Refused:
            warn(f"WARNING: {folder} is a symbolic link and is not followed")
            return []
        return [folder / name for name in names if name.endswith(".json")]

    def _readable(self, path: Path, unreadable: Callable[[Path, Exception], None]) -> Record | None:
        try:
            return self.read(path)[0]
        except (TenureError, OSError) as error:
            unreadable(path, error)
            return None


def _files(root: Path) -> Files:
    """Return the folder's files; a link on the way to it counts when it stays inside the project."""
    project = Path(os.path.realpath(root.parent.parent))
    real = Path(os.path.realpath(root))
    if real.is_relative_to(project) and real != project:
        return Files(real, guarded=len(real.relative_to(project).parts), lines=[INDEX])
    return Files(root, guarded=2, lines=[INDEX])


def _place(path: Path) -> str:
    return f"{path.parent.name}/{path.name}"


def _index_text(data: bytes | None) -> str:
    return index.HEADER if data is None else data.decode("utf-8", "surrogateescape")


def _could_not_parse(path: Path, error: Exception) -> None:
    warn(f"WARNING: Could not parse {path}: {error}")


def _written_at(path: Path) -> int:
    try:
        return path.lstat().st_mtime_ns
    except OSError:
        return -1


def warn(text: str) -> None:
    """Say something on standard error, whatever characters it holds."""
    print(text.encode("utf-8", "replace").decode("utf-8"), file=sys.stderr)
