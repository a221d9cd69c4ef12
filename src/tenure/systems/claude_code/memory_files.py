"""A folder of memory files as the files of a store: scanned, read, and brought in step with what changed.

The folder is locked itself, so nothing is left behind in it. What a plan expects to find is checked before anything
is written; when a later step fails all the same, the earlier ones are taken back.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from tenure.files.durable import fingerprint
from tenure.files.shared_folder import COPY, TRIES, UNNAMEABLE, Folder, reason
from tenure.model.errors import Conflict, InvalidInput, Refused, TenureError
from tenure.model.events import Revision
from tenure.model.memory import Memory
from tenure.store.companion import FileContents
from tenure.systems.claude_code import frontmatter, index, layout, memories, operations
from tenure.systems.claude_code.layout import ARCHIVE
from tenure.systems.claude_code.operations import Remove, Step, Write

MAX_BYTES = 4 * 1024 * 1024  # the client skips files above this
RETIRED = "retired"


class MemoryFiles:
    """One memory folder. `notes` collects what the user should know after a change."""

    owned = memories.OWNED

    def __init__(
        self,
        folder: Path,
        *,
        confidence: int = 0,
        max_lines: int = index.MAX_LINES,
        max_bytes: int = index.MAX_BYTES,
    ) -> None:
        self.folder = folder
        self._on_disk = Folder(folder, lines=[index.NAME], limit=MAX_BYTES)
        # What a memory starts with that was found and not captured.
        self._confidence = confidence
        self.notes: list[str] = []
        self._limits = (max_lines, max_bytes)

    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the folder, after sweeping what a killed process left in it.

        One that is not there yet is guarded by the companion's own lock.
        """
        with self._on_disk.locked():
            for place in ("", ARCHIVE):
                with contextlib.suppress(Refused):  # a linked archive is refused when something is to go there
                    self._on_disk.sweep([place])
            yield
            self.notes += self._on_disk.notes
            self._on_disk.notes.clear()

    def scan(self) -> dict[str, str]:
        """Return the memories with their fingerprints: files, what is archived, and a MEMORY.md that stands alone."""
        view = View(self._on_disk)
        return {path: self._mark(path, view) for path in _holding(view)}

    def read(self, path: str) -> FileContents:
        """Return the memory of one file; with it, what is wrong with the file."""
        try:
            data, facts = self._on_disk.read(path), self._on_disk.facts(path)
            if data is None or facts is None:
                return FileContents(problems=[("file", "is gone")])
            on_disk = datetime.fromtimestamp(facts.st_mtime, UTC).replace(microsecond=0)
        except (OSError, OverflowError, ValueError, TenureError) as error:
            return FileContents(problems=[("file", reason(error))])
        return self._contents(path, data, on_disk)

    def _contents(self, path: str, data: bytes, on_disk: datetime) -> FileContents:
        if b"\0" in data:
            return FileContents(problems=[("file", "this is a binary file, not text")])
        archived = path.startswith(f"{ARCHIVE}/")
        name = path.removeprefix(f"{ARCHIVE}/")
        id = path if archived and self._on_disk.exists(name) else name
        memory, problems = memories.decode(data, id, archived=archived, on_disk=on_disk, confidence=self._confidence)
        return FileContents(memories=[memory], problems=[("header", problem) for problem in problems])

    def of_commit(self, path: str, data: bytes) -> list[Memory]:
        """Return the memory in a content of a file that git keeps."""
        return list(self._contents(path, data, datetime.fromtimestamp(0, UTC)).memories)

    def told(self, memory: Memory) -> Memory:
        """Return the memory as its file tells it."""
        return memories.told(memory)

    def problems(self) -> list[tuple[str, str, str]]:
        """Return (path, field, message) for all that is wrong in the folder now."""
        view = View(self._on_disk)
        found = [(path, field, said) for path in _holding(view) for field, said in self.read(path).problems]
        found += [(each, "name", UNNAMEABLE) for each in view.unnameable]
        found += [(str(copy), "file", COPY) for copy in self._on_disk.copies()]
        if index.NAME in view and layout.layout_of(view) == "index":
            listed = index.entries(view[index.NAME])
            dangling = [entry for entry in listed if "/" not in entry.file and entry.file not in view]
            found += [(index.NAME, f"line {each.line}", f"{each.file} is listed and not there") for each in dangling]
            found += [(index.NAME, "size", said) for said in self._over_limit(view)]
        return found

    def write(self, revisions: Sequence[Revision], seen: Mapping[str, str]) -> dict[str, str | None]:
        """Bring the folder in step with the revisions; all or nothing.

        When somebody edits MEMORY.md meanwhile, the plan is made again from what they wrote.
        """
        for attempt in range(TRIES):
            view = View(self._on_disk)
            touched = self._touched(revisions, view, seen)
            try:
                listed = view.get(index.NAME)
                self._carry_out(revisions, view)
                break
            except Conflict:
                if attempt == TRIES - 1:
                    raise
        for revision in revisions:
            for place in (revision.memory_id, f"{ARCHIVE}/{revision.memory_id}") if revision.after is None else ():
                self._on_disk.drop_copies(place)
        if view.get(index.NAME) != listed:
            self.notes += self._over_limit(view)
        touched |= {path for revision in revisions if (path := _path_of(revision.memory_id, view))}
        return {path: self._mark(path, view) if path in view else None for path in sorted(touched)}

    def _touched(self, revisions: Sequence[Revision], view: View, seen: Mapping[str, str]) -> set[str]:
        """Return the files of these memories; raise `Conflict` when one is not as it was seen."""
        before = {revision.memory_id: _path_of(revision.memory_id, view) for revision in revisions}
        for id, path in before.items():
            self._refuse_change(id, path, view, seen)
        return {path for path in before.values() if path}

    def _carry_out(self, revisions: Sequence[Revision], view: View) -> None:
        undo: list[Step] = []
        try:
            for revision in revisions:
                for plan in (_edit, _place):
                    steps = plan(view, revision)
                    undo[:0] = operations.apply(self._on_disk, steps) if steps else []
                    view.follow(steps)
        except BaseException:
            operations.take_back(self._on_disk, undo)
            raise

    def _refuse_change(self, id: str, path: str | None, view: View, seen: Mapping[str, str]) -> None:
        expected = seen.get(path) if path else seen.get(id, seen.get(f"{ARCHIVE}/{id}"))
        found = self._mark(path, view) if path else None
        if expected != found:
            raise Conflict(f"{path or id} changed since it was read; nothing was written.", hint="Try again.")

    def _mark(self, path: str, view: View) -> str:
        # By the bytes that a plan starts from, so that no edit slips in between.
        mark = view.mark(path)
        # An archived file is known by its path as soon as another file takes its name.
        clashes = path.startswith(f"{ARCHIVE}/") and path.removeprefix(f"{ARCHIVE}/") in view
        return f"{mark}+" if clashes else mark

    def _over_limit(self, view: View) -> list[str]:
        limit = index.over_limit(view.get(index.NAME, b""), *self._limits)
        return [limit.message] if limit else []


class View(Mapping[str, bytes]):
    """The folder as name -> bytes, each file read when asked for; a file that cannot be read is empty here."""

    def __init__(self, folder: Folder) -> None:
        self._folder = folder
        self._data: dict[str, bytes | None] = {}
        self._wrong: dict[str, str] = {}
        # Files whose names cannot be stored or printed.
        self.unnameable: list[str] = []
        for place, lead in (("", ""), (ARCHIVE, f"{ARCHIVE}/")):
            with contextlib.suppress(OSError, TenureError):
                self._data |= dict.fromkeys(lead + name for name in folder.names(place))
                self.unnameable += [lead + name for name in folder.unnameable(place)]

    def __getitem__(self, name: str) -> bytes:
        data = self._data[name]
        if data is None:
            try:
                data = self._folder.read(name) or b""
            except (OSError, TenureError) as error:
                data, self._wrong[name] = b"", f"unreadable: {reason(error)}"
            self._data[name] = data
        return data

    def mark(self, name: str) -> str:
        """Return the fingerprint of a file as it is seen here."""
        data = self[name]
        return self._wrong.get(name) or fingerprint(data)

    def __iter__(self) -> Iterator[str]:
        return iter(list(self._data))

    def __len__(self) -> int:
        return len(self._data)

    def follow(self, steps: Iterable[Step]) -> None:
        """Take over what was just done to the folder."""
        for step in steps:
            if isinstance(step, Write):
                self._data[step.path] = step.data
            elif isinstance(step, Remove):
                del self._data[step.path]
            else:
                self._data[step.to] = self._data.pop(step.path)


def _edit(view: View, revision: Revision) -> list[Step]:
    """Return what changes inside the file; nothing for one that is new, or stays as it is."""
    memory, path = revision.after, _path_of(revision.memory_id, view)
    if memory is None or path is None:
        return []
    data = view[path]
    archived = path != revision.memory_id or path.startswith(f"{ARCHIVE}/")
    known, _ = memories.decode(data, memory.id, archived=archived, on_disk=memory.created_at)
    stamped = "modified" in frontmatter.parse(data).fields
    changes, body = memories.difference(memory, known, stamped=stamped)
    if not changes and body is None:
        return []
    if path == index.NAME:
        raise Refused(
            "A MEMORY.md that stands alone is not edited.",
            hint="Add a memory first: that turns it into an index and keeps its text as a memory of its own.",
        )
    edited = frontmatter.edit(data, changes, body=body)
    again, _ = memories.decode(edited, memory.id, archived=archived, on_disk=memory.created_at)
    if not memories.says_the_same(again, memory):
        raise Refused(f"{path} cannot hold this without being read as something else; nothing was written.")
    if archived:
        return [Write(path, edited, fingerprint(data))]
    return layout.plan_edit(view, path, changes, body=body)


def _place(view: View, revision: Revision) -> list[Step]:
    """Return what brings the file where it belongs: into the folder, into the archive, or away."""
    memory, id = revision.after, revision.memory_id
    path = _path_of(id, view)
    # Without a date of retirement it was written by mistake, and the writing was undone.
    unwritten = memory is not None and memory.state == RETIRED and memory.retired_at is None
    if memory is None or unwritten:
        if path is None:
            return []
        gone: list[Step] = [Remove(path, fingerprint(view[path]))]
        return gone if path.startswith(f"{ARCHIVE}/") else layout.plan_remove(view, path)
    aside = memory.phase == "gone"
    if path is None:
        return _create(view, memory, aside=aside)
    inside = path.startswith(f"{ARCHIVE}/")
    if aside and not inside:
        _refuse_clash(view, f"{ARCHIVE}/{path}")
        return layout.plan_archive(view, path)
    if inside and not aside:
        _refuse_clash(view, path.removeprefix(f"{ARCHIVE}/"))
        return layout.plan_restore(view, path.removeprefix(f"{ARCHIVE}/"))
    return []


def _create(view: View, memory: Memory, *, aside: bool) -> list[Step]:
    if not memory.id.endswith(".md") or "/" in memory.id:
        raise InvalidInput(f"{memory.id!r} is not a file name ending in .md, so no file can hold it.", field="id")
    nested = layout.prefers_nested(view)
    fields = memories.header(memory, nested=nested)
    if aside:
        return [Write(f"{ARCHIVE}/{memory.id}", frontmatter.encode(fields, memory.text, nested=nested), None)]
    return layout.plan_add(view, memory.id, fields, memory.text, nested=nested)


def _refuse_clash(view: View, path: str) -> None:
    if path in view:
        raise Refused(f"{path} is there already.", hint="Rename one of the two files, then try again.")


def _holding(view: View) -> list[str]:
    """Return the files that hold memories; MEMORY.md only when it stands alone."""
    found = layout.memory_files(view)
    alone = [index.NAME] if layout.layout_of(view) == "standalone" else []
    return [*found, *alone, *layout.archived_files(view)]


def _path_of(id: str, view: View) -> str | None:
    return next((path for path in (id, f"{ARCHIVE}/{id}") if path in view), None)
