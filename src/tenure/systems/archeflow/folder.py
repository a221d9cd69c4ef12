"""The `.archeflow/` folder on disk: one lock for every write, no symbolic links, nothing half done.

Moving lessons to the archive changes two files. What is to happen is first written to a journal beside them
and then carried out; whoever finds the journal of a killed process carries it out again, with the same
result.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from tenure.files import ARCHEFLOW
from tenure.files.durable import fingerprint
from tenure.files.shared_folder import Folder as Files
from tenure.model.errors import Refused
from tenure.systems.archeflow.lessons import Lesson, LessonLine, compact, decode, joined
from tenure.systems.archeflow.line_edit import LineEdit, bare, terminated

STATE = Path(ARCHEFLOW)
MEMORY = STATE / "memory"
EVENTS = STATE / "events"
LESSONS = MEMORY / "lessons.jsonl"
ARCHIVE = MEMORY / "archive.jsonl"
AUDIT = MEMORY / "audit.jsonl"
INDEX = EVENTS / "index.jsonl"
# The script locks the same file, so both may be used side by side.
LOCK = MEMORY / "lessons.jsonl.lock"
JOURNAL = MEMORY / "archive-move.tmp"

LOCK_SECONDS = 30.0
# Files of lines in which a neighbour's line can stand beside ours.
LINES = (LESSONS.name, ARCHIVE.name, AUDIT.name)


class ArcheflowFolder:
    """A project's `.archeflow/`; paths are relative to the project, as they are printed."""

    def __init__(self, project: Path, state: Path | None = None) -> None:
        """Refuse a state folder that is a symbolic link or not a folder; `state` is for one of another name."""
        self.project = project
        self._state = state or project / STATE
        self._files = Files(self._state, lines=LINES)
        self._held = False
        for name in (STATE, MEMORY, EVENTS):
            if self.path(name).is_symlink():
                raise Refused(f"refusing to use {name}: it is a symlink (a repository can point it anywhere).")
            if self.path(name).exists() and not self.path(name).is_dir():
                raise Refused(f"refusing to use {name}: not a directory.")

    def path(self, name: Path) -> Path:
        """Return where a file of the folder is."""
        return self._state / name.relative_to(STATE)

    def has(self, name: Path) -> bool:
        """Tell whether the file is there; a symbolic link is, and reading it is refused."""
        return self.path(name).is_symlink() or self.path(name).is_file()

    def read(self, name: Path) -> bytes:
        """Return the file's bytes, none when there is no file."""
        if self.path(name).is_symlink():
            raise Refused(f"refusing to read through symlink: {name}")
        return self._files.read(_place(name)) or b""

    def lines(self, name: Path) -> list[LessonLine]:
        """Return the file's lines, none when there is no file; a move cut short is finished first."""
        self.finish()
        return decode(self.read(name))

    def finish(self) -> None:
        """Finish a move that was cut short, if there is one."""
        if not self._held and self.has(JOURNAL):
            with self.locked():
                pass

    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the folder's lock; what a killed process left behind is finished or swept away first."""
        if self.path(LOCK).is_symlink():
            raise Refused(f"refusing to use symlinked lock file: {LOCK}")
        self.refuse_link(LESSONS)
        with self._files.locked(_place(LOCK), wait_seconds=LOCK_SECONDS), self._holding():
            self._files.sweep([_place(MEMORY)])
            self._finish_move()
            yield

    @contextlib.contextmanager
    def _holding(self) -> Iterator[None]:
        self._held = True
        try:
            yield
        finally:
            self._held = False

    def rewrite(self, before: Iterable[LessonLine], after: Iterable[LessonLine]) -> None:
        """Make of the lessons read as `before` those in `after`, beside what somebody else wrote meanwhile.

        Blank lines go, others end with a newline. Needs the lock; raises `Conflict` when a line to change was changed.
        """
        self.refuse_link(LESSONS)
        edit = LineEdit.between(LESSONS, before, after)
        self._files.change(_place(LESSONS), edit.applied)

    def move(
        self,
        before: Iterable[LessonLine],
        kept: Iterable[LessonLine],
        moved: Iterable[LessonLine],
        archived: Iterable[bytes],
    ) -> None:
        """Keep only `kept` and archive what became of `moved`, as one step. Needs the lock."""
        self.refuse_link(LESSONS)
        self.refuse_link(ARCHIVE)
        edit = LineEdit.between(LESSONS, before, kept)
        edit.applied(self.read(LESSONS))  # a conflict is noticed before anything is written
        # Latin-1 holds any bytes; a broken line need not be UTF-8.
        journal = {
            "changed": [[_latin(old), new and _latin(new)] for old, new in edit.changed],
            "added": [_latin(line) for line in edit.added],
            "archive_before": fingerprint(self.read(ARCHIVE)),
            "archive_added": _latin(terminated(joined(archived))),
        }
        self._files.change(_place(JOURNAL), lambda data: json.dumps(journal).encode("ascii"))
        self._finish_move()

    def replace(self, name: Path, before: Iterable[LessonLine], after: Iterable[LessonLine]) -> None:
        """Make of the lines read as `before` those in `after`, in another file than the lessons. Needs the lock."""
        self.refuse_link(name)
        self._files.change(_place(name), LineEdit.between(name, before, after).applied)

    def append(self, name: Path, records: Iterable[Lesson]) -> None:
        """Add records in place, as the script does to the audit trail without a lock. Needs the lock."""
        self.refuse_link(name)
        self._files.append(_place(name), b"".join(compact(record) for record in records))

    def refuse_link(self, name: Path) -> None:
        """Raise `Refused` when the file is a symbolic link."""
        if self.path(name).is_symlink():
            raise Refused(f"refusing to write through symlink: {name}")

    def _finish_move(self) -> None:
        if not self.has(JOURNAL):
            return
        journal = _journal(self.read(JOURNAL))
        if journal is None:
            return  # Not written by us: left as it is.
        archive, lessons = self.read(ARCHIVE), self.read(LESSONS)
        added = journal["archive_added"].encode("latin-1")
        if fingerprint(archive) == journal["archive_before"] or added not in archive:
            self.refuse_link(ARCHIVE)
            self._files.change(_place(ARCHIVE), lambda data: joined([data or b"", added]))
        # A move that was cut short is finished as far as what it changes is still there.
        edit = _edit_of(journal, lessons)
        self._files.change(_place(LESSONS), lambda data: edit.applied(data, strict=False))
        self._files.remove(_place(JOURNAL))


def _journal(data: bytes) -> dict[str, Any] | None:
    """Return what a move wrote down before it began, or None when the file was not written by one."""
    try:
        journal = json.loads(data)
        journal["archive_before"], journal["archive_added"].encode("latin-1")
        if "changed" in journal:
            LineEdit(
                LESSONS, [(old.encode(), new and new.encode()) for old, new in journal["changed"]], [*journal["added"]]
            )
        else:
            journal["lessons_before"], journal["lessons_after"].encode("latin-1"), [*journal["moved"]]
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return None
    found: dict[str, Any] = journal
    return found


def _edit_of(journal: dict[str, Any], lessons: bytes) -> LineEdit:
    if "changed" in journal:
        changed = [(old.encode("latin-1"), new and new.encode("latin-1")) for old, new in journal["changed"]]
        return LineEdit(LESSONS, changed, [line.encode("latin-1") for line in journal["added"]])
    # As journals were written before edits were told line by line.
    if fingerprint(lessons) == journal["lessons_before"]:
        after = {bare(line.raw) for line in decode(journal["lessons_after"].encode("latin-1"))}
        gone = [line.raw for line in decode(lessons) if bare(line.raw) not in after]
        known = {bare(line.raw) for line in decode(lessons)}
        new = [line.raw for line in decode(journal["lessons_after"].encode("latin-1")) if bare(line.raw) not in known]
        return LineEdit(LESSONS, [(raw, None) for raw in gone], new)
    return LineEdit(LESSONS, [(raw.encode("latin-1"), None) for raw in journal["moved"]], [])


def _place(name: Path) -> str:
    return name.relative_to(STATE).as_posix()


def _latin(line: bytes) -> str:
    return line.decode("latin-1")
