"""The memory folder as the engine's files: scanned, read and written, each record together with its index line.

A memory's id is its file's name. Where two categories have a file of one name, both ids carry their folder
(`decisions/queue`, `runbooks/queue`). The generic commands never rename a file: an id that was cited stays.
"""

from __future__ import annotations

import contextlib
import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from tenure.model import memory as codec
from tenure.model.errors import Conflict, TenureError
from tenure.model.events import Revision
from tenure.model.memory import Memory
from tenure.spool import dropin
from tenure.store.companion import FileContents, Noted
from tenure.systems.claude_memory import memories, schema
from tenure.systems.claude_memory.folder import RecordFolder, RecordToWrite
from tenure.systems.claude_memory.records import CATEGORY_OF_FOLDER, FOLDERS, Record, decode, encode
from tenure.systems.claude_memory.refusal import invalid

# Added to the fingerprint of a file whose name another category has too, because that changes its id.
SHARED = " shared"
# A file nobody may read still has a place in the scan, or it would count as removed.
UNREADABLE = "unreadable"


class MemoryFiles:
    """One `.claude/memory` folder, as `store.companion.Files` wants it."""

    owned = memories.OWNED

    def __init__(self, root: Path) -> None:
        self.root = root
        self.folder = RecordFolder(root)
        self.folder.refuse_links(root)
        self._held = False
        self.dropin_notes = dropin.path(root)

    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the folder's lock; a folder that does not exist yet is locked when it is made."""
        if self._held or not self.root.is_dir():
            yield
            return
        with self.folder.locked():
            self._held = True
            try:
                yield
            finally:
                self._held = False

    def scan(self) -> dict[str, str]:
        """Return every record's file with the hash of its bytes."""
        paths = list(self._paths())
        names = Counter(path.name for path in paths)
        marks = {}
        for path in paths:
            mark = (self.folder.mark(path) or UNREADABLE) + (SHARED if names[path.name] > 1 else "")
            marks[path.relative_to(self.root).as_posix()] = mark
        return marks

    def read(self, path: str) -> FileContents:
        """Return the memory of a file, or what is wrong with it."""
        try:
            memory = self._memory(path, self.folder.read(self.root / path)[0])
            codec.decode(codec.encode(memory))
        except (TenureError, OSError, ValueError, OverflowError, RecursionError) as error:
            return FileContents(problems=[("", f"cannot be read: {error}")])
        return FileContents(memories=[memory])

    def of_commit(self, path: str, data: bytes) -> list[Memory]:
        """Return the memory in a content of a record's file that git keeps."""
        return [self._memory(path, decode(data))]

    def noted(self, done: dropin.Done) -> Noted:
        """Return a note of the drop-in as the ledger takes it."""
        memory = self._memory(done.name, done.record) if done.record is not None else None
        return Noted(memory.id if memory else self._id(done.name), memory, self._id(done.before))

    def write(self, revisions: Sequence[Revision], seen: Mapping[str, str]) -> dict[str, str | None]:
        """Write the records and the index together; see `store.companion.Files`."""
        self.root.mkdir(parents=True, exist_ok=True)
        with self.locked():
            changes: list[RecordToWrite] = []
            leaving: list[Path] = []
            for revision in revisions:
                path = self.root / self._path(revision, seen)
                self._expect(path, seen)
                if revision.after is None:
                    if path.exists():
                        leaving.append(path)
                elif change := self._change(path, revision, seen):
                    changes.append(change)
            self.folder.heal()
            written = self.folder.commit(changes)
            self.folder.purge(leaving)
            names = Counter(path.name for path in self._paths())
        # As we wrote them: what a neighbour has put there since is still to be picked up.
        marks = {path: mark + (SHARED if names[path.name] > 1 else "") for path, mark in written.items()}
        fresh: dict[Path, str | None] = {**marks, **dict.fromkeys(leaving)}
        return {path.relative_to(self.root).as_posix(): mark for path, mark in fresh.items()}

    def record(self, memory: Memory) -> Record:
        """Return the record of a memory as it lies on disk."""
        return self.folder.read(self.root / self._place(memory.id, memory.kind))[0]

    def exists(self, name: str) -> bool:
        """Return whether any category has a file of this name."""
        return any(os.path.lexists(self.root / folder / f"{name}.json") for folder in FOLDERS.values())

    def count(self, category: str) -> int:
        """Return how many files the category has, whatever their state."""
        return self.folder.count(category)

    def problems(self, path: Path) -> list[tuple[str, str]]:
        """Return (field, what is wrong) for a record's file."""
        try:
            record, _ = self.folder.read(path)
        except (TenureError, OSError) as error:
            return [("", f"cannot be read: {error}")]
        category = CATEGORY_OF_FOLDER.get(path.parent.name) or str(record.get("category"))
        if category not in FOLDERS:
            return [("category", f"found {category[:60]!r}, expected one of {', '.join(FOLDERS)}")]
        found = [(p.field, f"found {p.found}, expected {p.expected}") for p in schema.problems(record, category)]
        if record.get("id") != path.stem and not any(field == "id" for field, _ in found):
            found.append(("id", f"found {str(record.get('id'))[:90]!r}, expected the file's name {path.stem!r}"))
        return found

    def _paths(self) -> Iterator[Path]:
        for category in FOLDERS:
            yield from self.folder._paths(category)

    def _memory(self, path: str, record: Record) -> Memory:
        return memories.decode(record, id=self._id(path), category=CATEGORY_OF_FOLDER[path.split("/", 1)[0]])

    def _id(self, path: str) -> str:
        folder, _, name = path.rpartition("/")
        others = (other for other in FOLDERS.values() if other != folder)
        shared = any(os.path.lexists(self.root / other / name) for other in others) if path else False
        return path.removesuffix(".json") if shared else name.removesuffix(".json")

    def _path(self, revision: Revision, seen: Mapping[str, str]) -> str:
        if revision.after is not None:
            return self._place(revision.memory_id, revision.after.kind)
        name = memories.stem(revision.memory_id)
        if "/" in revision.memory_id:
            return f"{revision.memory_id}.json"
        known = (f"{folder}/{name}.json" for folder in FOLDERS.values())
        return next((path for path in known if path in seen), f"{FOLDERS['decision']}/{name}.json")

    def _place(self, id: str, kind: str) -> str:
        return f"{FOLDERS[kind]}/{memories.stem(id)}.json"

    def _expect(self, path: Path, seen: Mapping[str, str]) -> None:
        self.folder.refuse_links(path)
        known = seen.get(self._shown(path), "").removesuffix(SHARED)
        if (self.folder.mark(path) or "") != known:
            raise _changed(path)

    def _shown(self, path: Path) -> str:
        return path.relative_to(self.root).as_posix()

    def _change(self, path: Path, revision: Revision, seen: Mapping[str, str]) -> RecordToWrite | None:
        memory = revision.after
        assert memory is not None
        if os.path.lexists(path):
            record, _ = self.folder.read(path)
            # Read again after it was compared: it must be the very same bytes.
            if self.folder.read_as(path) != seen.get(self._shown(path), "").removesuffix(SHARED):
                raise _changed(path)
            reason = next((e.reason for e in reversed(revision.events) if "state" in e.set), "")
            after = memories.changed(record, memory, reason=reason)
            if after is record:
                return None
        else:
            record, after = None, memories.new_record(memory)
        _refuse_new_faults(record, after, memory.kind)
        listed = self.folder.listed_paths().get(self.folder.located(path))
        return RecordToWrite(path, listed or self.folder.shown(path), after)


def _refuse_new_faults(before: Record | None, after: Record, category: str) -> None:
    known = {problem.field for problem in schema.problems(before, category)} if before is not None else set()
    unknown = {name for name in after if name not in schema.envelope(category)}
    found = [p for p in schema.problems(after, category) if p.field not in known and p.field not in unknown]
    if found:
        raise invalid(found)
    encode(after)


def _changed(path: Path) -> Conflict:
    return Conflict(
        f"{path.name} was changed by somebody else while this command ran.", hint="Nothing was written. Try again."
    )
