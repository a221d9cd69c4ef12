"""The `.archeflow/` folder on disk: one lock for every write, no symbolic links, nothing half done.

Moving lessons to the archive changes two files. What is to happen is first written to a journal beside them
and then carried out; whoever finds the journal of a killed process carries it out again, with the same
result.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from tenure.files import durable
from tenure.files.lock import exclusive
from tenure.model.errors import Conflict, Refused
from tenure.systems.archeflow.lessons import Lesson, Line, compact, decode, encode, joined

STATE = Path(".archeflow")
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
_LEFT_OVER = re.compile(r"\.(?:lessons\.jsonl|archive\.jsonl|archive-move\.tmp)\.[0-9a-f]{12}\.tmp")


class Folder:
    """A project's `.archeflow/`; paths are relative to the project, as they are printed."""

    def __init__(self, project: Path, state: Path | None = None) -> None:
        """Refuse a state folder that is a symbolic link or not a folder; `state` is for one of another name."""
        self.project = project
        self._state = state or project / STATE
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
        return durable.read_bytes(self.path(name)) if self.path(name).exists() else b""

    def lines(self, name: Path) -> list[Line]:
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
        self._make()
        with exclusive(self.path(LOCK), wait_seconds=LOCK_SECONDS), self._holding():
            for entry in os.scandir(self.path(MEMORY)):
                if _LEFT_OVER.fullmatch(entry.name):
                    os.unlink(entry.path)
            self._finish_move()
            yield

    @contextlib.contextmanager
    def _holding(self) -> Iterator[None]:
        self._held = True
        try:
            yield
        finally:
            self._held = False

    def rewrite(self, before: Iterable[Line], after: Iterable[Line]) -> None:
        """Replace the lessons read as `before`; blank lines go, others end with a newline. Needs the lock."""
        self.refuse_link(LESSONS)
        self._refuse_changed(before)
        durable.replace(self.path(LESSONS), _whole(after))

    def move(
        self, before: Iterable[Line], kept: Iterable[Line], moved: Iterable[Line], archived: Iterable[bytes]
    ) -> None:
        """Keep only `kept` and archive what became of `moved`, as one step. Needs the lock."""
        self.refuse_link(LESSONS)
        self.refuse_link(ARCHIVE)
        self._refuse_changed(before)
        # Latin-1 holds any bytes; a broken line need not be UTF-8.
        journal = {
            "lessons_before": durable.fingerprint(self.read(LESSONS)),
            "lessons_after": _whole(kept).decode("latin-1"),
            "moved": [line.raw.decode("latin-1") for line in moved],
            "archive_before": durable.fingerprint(self.read(ARCHIVE)),
            "archive_added": _terminated(joined(archived)).decode("latin-1"),
        }
        durable.replace(self.path(JOURNAL), json.dumps(journal).encode("ascii"))
        self._finish_move()

    def replace(self, name: Path, lines: Iterable[Line]) -> None:
        """Put other lines in place of a file's; blank ones go. Needs the lock, and nobody else's changes lost."""
        self.refuse_link(name)
        durable.replace(self.path(name), _whole(lines))

    def append(self, name: Path, records: Iterable[Lesson]) -> None:
        """Add records in place, as the script does to the audit trail without a lock. Needs the lock."""
        self.refuse_link(name)
        path = self.path(name)
        data = b"".join(compact(record) for record in records)
        is_new = not path.exists()
        flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
        with os.fdopen(os.open(path, flags, 0o644), "r+b", buffering=0) as file:
            if (size := file.seek(0, os.SEEK_END)) and not _ends_a_line(file.fileno(), size):
                data = b"\n" + data
            file.write(data)
            os.fsync(file.fileno())
        if is_new:
            durable.flush_folder(path.parent)

    def refuse_link(self, name: Path) -> None:
        """Raise `Refused` when the file is a symbolic link."""
        if self.path(name).is_symlink():
            raise Refused(f"refusing to write through symlink: {name}")

    def _refuse_changed(self, before: Iterable[Line]) -> None:
        """Notice an editor, which takes no lock, that saved the file since it was read."""
        if self.read(LESSONS) != encode(before):
            raise Conflict(f"{LESSONS} was changed by someone else meanwhile; nothing was written. Try again.")

    def _make(self) -> None:
        if self.path(MEMORY).is_dir():
            return
        self.path(MEMORY).mkdir(parents=True, exist_ok=True)
        durable.flush_folder(self.path(STATE))
        durable.flush_folder(self.project)

    def _finish_move(self) -> None:
        if not self.has(JOURNAL):
            return
        try:
            journal = json.loads(self.read(JOURNAL))
            added = journal["archive_added"].encode("latin-1")
            after = journal["lessons_after"].encode("latin-1")
            moved = {raw.encode("latin-1") for raw in journal["moved"]}
            archive_before, lessons_before = journal["archive_before"], journal["lessons_before"]
        except (ValueError, LookupError, TypeError, AttributeError):
            return  # Not written by us: left as it is.
        archive, lessons = self.read(ARCHIVE), self.read(LESSONS)
        if durable.fingerprint(archive) == archive_before or added not in archive:
            self.refuse_link(ARCHIVE)
            durable.replace(self.path(ARCHIVE), joined([archive, added]))
        if durable.fingerprint(lessons) == lessons_before:
            durable.replace(self.path(LESSONS), after)
        else:
            # Somebody else wrote after the interruption: take out what was moved, keep what they wrote.
            left = [line for line in decode(lessons) if line.raw not in moved]
            if encode(left) != lessons:
                durable.replace(self.path(LESSONS), encode(left))
        durable.remove(self.path(JOURNAL))


def _whole(lines: Iterable[Line]) -> bytes:
    return _terminated(encode(line for line in lines if not line.is_blank))


def _terminated(data: bytes) -> bytes:
    return data if not data or data.endswith(b"\n") else data + b"\n"


def _ends_a_line(handle: int, size: int) -> bool:
    return os.pread(handle, 1, size - 1) == b"\n"
