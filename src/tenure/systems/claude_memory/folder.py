"""The memory folder: records and index read and written together.

Records are written first, then the index. A writer killed in between leaves records that are newer than the
index, or missing from it; the next one that takes the lock brings the index in step before it does anything
else.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from tenure.files import durable
from tenure.model.errors import TenureError
from tenure.systems.claude_memory import gate, index
from tenure.systems.claude_memory.records import CATEGORY_OF_FOLDER, FOLDERS, Record, decode, encode, is_active

# How `durable.replace` names what it has not finished.
HALF_WRITTEN = re.compile(r"\..+\.(?:json|md)\.[0-9a-f]{12}\.tmp")


class Stored(NamedTuple):
    """A record as it lies on disk."""

    path: Path
    shown: str
    category: str
    record: Record


class Change(NamedTuple):
    """A record to write, the path the index shows for it, and the file it leaves when it is renamed."""

    path: Path
    shown: str
    record: Record
    renamed_from: Path | None = None


class Folder:
    """One `.claude/memory` folder."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.index_path = root / "index.md"
        # Kept as written: the index shows paths from here, and `--root` may be relative.
        self.project = root.parent.parent
        self._base = os.path.abspath(self.project)

    @contextlib.contextmanager
    def locked(self, *, wait_seconds: float | None = None, heal: bool = False) -> Iterator[None]:
        """Hold the folder for a write; after another writer died, the index is brought in step first.

        With `heal` it is brought in step in any case, for writers whose answer says that the index is right.
        """
        with gate.held(self.root, warn=warn, wait_seconds=wait_seconds) as interrupted:
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
        data = durable.read_bytes(path)
        return decode(data), hashlib.md5(data, usedforsecurity=False).hexdigest()

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
        try:
            return durable.read_bytes(self.index_path).decode("utf-8", "surrogateescape")
        except FileNotFoundError:
            return index.HEADER

    def commit(self, changes: Iterable[Change]) -> None:
        """Write the records and then the index that lists the active ones; only under the lock."""
        wanted: dict[str, str | None] = {}
        for change in changes:
            if change.renamed_from is not None:
                # The same file under a new name: a kill leaves one record, never none and never two.
                durable.replace(change.renamed_from, encode(change.record))
                os.rename(change.renamed_from, change.path)
                durable.flush_folder(change.path.parent)
                wanted[self.located(change.renamed_from)] = None
            else:
                durable.replace(change.path, encode(change.record))
            wanted[self.located(change.path)] = self._line(change)
        self._revise(wanted)

    def purge(self, paths: Iterable[Path]) -> None:
        """Remove the records' files and any lines left of them; only under the lock."""
        gone = list(paths)
        for path in gone:
            durable.remove(path)
        self._revise({self.located(path): None for path in gone})

    def sweep(self) -> None:
        """Remove half-written files that killed writers left; under the lock nobody else is writing one."""
        for folder in (self.root, *(self.root / name for name in FOLDERS.values())):
            if folder.is_dir() and not folder.is_symlink():
                for name in filter(HALF_WRITTEN.fullmatch, os.listdir(folder)):
                    durable.remove(folder / name)

    def write_index(self, text: str) -> None:
        """Replace the index when it differs; only under the lock."""
        if not self.index_path.exists() or text != self.index_text():
            durable.replace(self.index_path, text.encode("utf-8", "surrogateescape"))

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
                        wanted[place] = self._line(Change(path, listed.get(place) or self.shown(path), record))
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

    def _line(self, change: Change) -> str | None:
        if not is_active(change.record):
            return None
        category = CATEGORY_OF_FOLDER.get(change.path.parent.name, "")
        return index.line(change.record, change.shown, category=category, stem=change.path.stem)

    def _revise(self, wanted: dict[str, str | None]) -> None:
        if wanted:
            self.write_index(index.revised(self.index_text(), wanted, project=self._base))

    def _paths(self, category: str) -> list[Path]:
        folder = self.root / FOLDERS[category]
        if folder.is_symlink():
            warn(f"WARNING: {folder} is a symbolic link and is not followed")
            return []
        try:
            names = sorted(name for name in os.listdir(folder) if name.endswith(".json"))
        except (FileNotFoundError, NotADirectoryError):
            return []
        return [folder / name for name in names]

    def _readable(self, path: Path, unreadable: Callable[[Path, Exception], None]) -> Record | None:
        try:
            return self.read(path)[0]
        except (TenureError, OSError) as error:
            unreadable(path, error)
            return None


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
