"""lessons.jsonl and archive.jsonl as one shelf of memories, under the folder's own lock.

An id stands for the lesson in lessons.jsonl, and only without one there for the newest in archive.jsonl: a move that
was cut short, or an id the script gave twice, never shows two memories of one name.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from typing import NamedTuple

from tenure.files.durable import fingerprint
from tenure.model.errors import Conflict
from tenure.model.events import Revision
from tenure.model.memory import Memory
from tenure.spool import dropin
from tenure.store.companion import FileContents, Noted
from tenure.systems.archeflow.companion import Companion
from tenure.systems.archeflow.folder import ARCHIVE, AUDIT, LESSONS, STATE, ArcheflowFolder
from tenure.systems.archeflow.lessons import Lesson, LessonLine, changed, compact
from tenure.systems.archeflow.lessons import decode as parsed
from tenure.systems.archeflow.memories import OWNED, Codec, decode, encode, is_put_aside, problem

# Added to the mark of a file that holds lines nobody has picked up yet.
MERGED = "merged"
# Both files are read and written together, so that they have one fingerprint.
SHELF = "memory"


class _Shelf(NamedTuple):
    mark: str
    lessons: list[LessonLine]
    archive: list[LessonLine]


class LessonFiles:
    """The memories of one `.archeflow/` folder."""

    owned = OWNED

    def __init__(self, folder: ArcheflowFolder, codec: Codec) -> None:
        self.folder, self.codec = folder, codec
        # What was read last, and what was read when the store looked for changes.
        self._last = self._scanned = _Shelf("", [], [])
        self.dropin_notes = dropin.path(folder.path(STATE))

    def locked(self) -> AbstractContextManager[object]:
        """Hold the lock that the drop-in and the script take."""
        return self.folder.locked()

    def scan(self) -> dict[str, str]:
        """Return the fingerprint of both files; nothing when there is neither."""
        found = self.folder.has(LESSONS) or self.folder.has(ARCHIVE)
        self._scanned = self._shelf()
        return {SHELF: self._scanned.mark} if found else {}

    def on_disk(self, path: str) -> str:
        """Return the file whose lessons count, below the folder."""
        return LESSONS.relative_to(STATE).as_posix()

    def lessons(self) -> list[LessonLine]:
        """Return the lines of lessons.jsonl."""
        return self._shelf().lessons

    def read(self, path: str) -> FileContents:
        """Return the memories in both files, and the lines that are none; the shelf as it was last scanned."""
        shelf = self._scanned if path == SHELF and self._scanned.mark else self._shelf()
        memories: dict[str, Memory] = {}
        for line in shelf.lessons:
            if line.record is not None and not problem(line.record):
                memories.setdefault(line.record["id"], decode(line.record, self.codec, archived=False))
        for line in reversed(shelf.archive):
            if line.record is not None and not problem(line.record):
                memories.setdefault(line.record["id"], decode(line.record, self.codec, archived=True))
        names = ((LESSONS.name, shelf.lessons), (ARCHIVE.name, shelf.archive))
        problems = [
            (f"{name} line {line.number}", why) for name, lines in names for line in lines if (why := _why(line))
        ]
        return FileContents(memories=list(memories.values()), problems=problems)

    def of_commit(self, path: str, data: bytes) -> list[Memory]:
        """Return the lessons in a content of lessons.jsonl that git keeps."""
        records = [line.record for line in parsed(data) if line.record is not None]
        return [decode(record, self.codec, archived=False) for record in records if not problem(record)]

    def told(self, memory: Memory) -> Memory:
        """Return the memory its line describes: a line has no review, only whether it is in the archive."""
        return decode(encode(memory, None, self.codec.rules), self.codec, archived=is_put_aside(memory))

    def noted(self, done: dropin.Done) -> Noted:
        """Return a note of the drop-in as the ledger takes it."""
        record = done.record if done.record is not None and not problem(done.record) else None
        return Noted(done.name, decode(record, self.codec, archived=done.aside) if record else None)

    def write(self, revisions: Sequence[Revision], seen: Mapping[str, str]) -> dict[str, str | None]:
        """Bring both files in step; a lesson that leaves lessons.jsonl is in the archive before it is gone here."""
        known, before = self._scanned, self._shelf()
        if (before.lessons or before.archive) and before.mark != seen.get(SHELF):
            _refuse_changed(revisions, known if known.mark == seen.get(SHELF) else None, before)
        plan = _Plan(before)
        for revision in revisions:
            if revision.after is None:
                plan.erase(revision.memory_id)
            else:
                plan.put(revision.after, self.codec)
        self._carry_out(before, plan)
        for revision in revisions:
            if revision.after is None:
                self._erase_from_audit(revision.memory_id)
                Companion(self.folder.project).remember_erased(revision.memory_id)
        # Lines that somebody else wrote meanwhile are beside ours, and are still to be picked up.
        after = self._scanned = self._shelf()
        return {SHELF: after.mark if _raws(after) == plan.raws() else f"{after.mark} {MERGED}"}

    def _carry_out(self, before: _Shelf, plan: _Plan) -> None:
        if plan.moved:
            self.folder.move(
                before.lessons, plan.lessons, [old for old, _ in plan.moved], [new for _, new in plan.moved]
            )
        elif plan.lessons != before.lessons:
            self.folder.rewrite(before.lessons, plan.lessons)
        if plan.archive != before.archive:
            self.folder.replace(ARCHIVE, before.archive, plan.archive)

    def _erase_from_audit(self, identity: str) -> None:
        """Take a lesson's words out of the audit trail; its id stays, so that it is not given again."""
        if not self.folder.has(AUDIT):
            return
        lines = self.folder.lines(AUDIT)
        after = [_without_words(line, identity) for line in lines]
        if after != lines:
            self.folder.replace(AUDIT, lines, after)

    def _shelf(self) -> _Shelf:
        data = self._bytes()
        mark = _mark(*data)
        if self._last.mark != mark:
            self._last = _Shelf(mark, *map(parsed, data))
        return self._last

    def _bytes(self) -> tuple[bytes, bytes]:
        self.folder.finish()
        return self.folder.read(LESSONS), self.folder.read(ARCHIVE)


class _Plan:
    """What both files will hold. A line taken out leaves None, so that positions stay."""

    def __init__(self, before: _Shelf) -> None:
        # Lines that go from the lessons to the end of the archive, with the bytes they arrive as.
        self.moved: list[tuple[LessonLine, bytes]] = []
        self._lessons: list[LessonLine | None] = [*before.lessons]
        self._archive: list[LessonLine | None] = [*before.archive]
        self._here, self._away = _positions(before.lessons), _positions(before.archive)

    @property
    def lessons(self) -> list[LessonLine]:
        return [line for line in self._lessons if line is not None]

    @property
    def archive(self) -> list[LessonLine]:
        return [line for line in self._archive if line is not None]

    def raws(self) -> set[bytes]:
        """Return every line that both files should hold now."""
        lines = [line.raw for line in (*self.lessons, *self.archive) if not line.is_blank]
        return {raw.strip() for raw in (*lines, *(new for _, new in self.moved))}

    def put(self, memory: Memory, codec: Codec) -> None:
        """Place a memory's line where its state belongs, and where it stands when it need not move."""
        here, away = self._here.get(memory.id, []), self._away.get(memory.id, [])
        there = self._lessons[here[0]] if here else self._archive[away[-1]] if away else None
        record = encode(memory, there.record if there else None, codec.rules)
        line = changed(there, record) if there else LessonLine(0, compact(record), record)
        if not is_put_aside(memory):
            if here:
                self._lessons[here[0]] = line
                return
            if away:
                self._archive[away[-1]] = None
            # A line's number is its place in the file it came from, and this file has not seen it.
            self._lessons.append(line._replace(number=0))
        elif here:
            lines = [old for position in here if (old := self._lessons[position])]
            self.moved += [(lines[0], line.raw), *((old, old.raw) for old in lines[1:])]
            self._take_out(self._lessons, here)
        elif away:
            self._archive[away[-1]] = line
        else:
            self._archive.append(line)

    def erase(self, identity: str) -> None:
        """Take out every line of this id."""
        self._take_out(self._lessons, self._here.get(identity, []))
        self._take_out(self._archive, self._away.get(identity, []))

    def _take_out(self, lines: list[LessonLine | None], positions: Sequence[int]) -> None:
        for position in positions:
            lines[position] = None


def _positions(lines: Sequence[LessonLine]) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for position, line in enumerate(lines):
        if line.record is not None and not problem(line.record):
            found.setdefault(line.record["id"], []).append(position)
    return found


def _refuse_changed(revisions: Sequence[Revision], known: _Shelf | None, found: _Shelf) -> None:
    """Raise `Conflict` when somebody else wrote a line that is to change; other lines are theirs to write."""
    wanted = {revision.memory_id for revision in revisions}
    if known is None or _of(known, wanted) != _of(found, wanted):
        raise Conflict(
            f"{LESSONS} was changed by someone else meanwhile; nothing was written.", hint="Repeat the command."
        )


def _of(shelf: _Shelf, ids: set[str]) -> list[bytes]:
    lines = (*shelf.lessons, *shelf.archive)
    return [line.raw for line in lines if line.record is not None and str(line.record.get("id")) in ids]


def _raws(shelf: _Shelf) -> set[bytes]:
    return {line.raw.strip() for line in (*shelf.lessons, *shelf.archive) if not line.is_blank}


def _mark(lessons: bytes, archive: bytes) -> str:
    return f"{fingerprint(lessons)} {fingerprint(archive)}"


def _why(line: LessonLine) -> str:
    return line.problem or (problem(line.record) if line.record is not None else "")


def _without_words(line: LessonLine, identity: str) -> LessonLine:
    record: Lesson | None = line.record
    if record is None or record.get("lesson_id") != identity or not record.get("lesson_desc"):
        return line
    return changed(line, {**record, "lesson_desc": ""})
