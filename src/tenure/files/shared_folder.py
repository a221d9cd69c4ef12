"""The only way to write another system's files: never follow a link, leave a file half-written or lose an edit.

Every folder below the project is opened through its parent's descriptor without following links. A file is replaced
by exchanging names, so that what was really there comes out and is compared with what was read. Somebody else's edit
goes back where it was, and the caller either gets `Conflict` or starts again from that edit (`change`). `sweep`
recognises by name what a killed process left, and repairs it under the lock.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import stat
import time
from collections.abc import Callable, Collection, Iterable, Iterator
from pathlib import Path, PurePosixPath

from tenure.files import exchange, lock, withdrawn
from tenure.files.beneath import NO_LINKS, READING, Beneath, split
from tenure.files.durable import MAX_FILE_BYTES, fingerprint
from tenure.model.errors import Conflict, InvalidInput, Refused

# How often a rule starts again from somebody else's edit.
TRIES = 50
# How often an edit is copied that changes while it is.
_COPIES = 3

# A temporary file that is not yet whole, and one that is: its name says what it was to replace, and by what.
_UNFINISHED = re.compile(r"\..+\.[0-9a-f]{12}\.tmp")
_READY = re.compile(r"\.(.+)\.([0-9a-f]{12}|removed)-([0-9a-f]{12}|nothing)\.tmp(?:\.out\.tmp)?")
_REMOVED, _NOTHING = "removed", "nothing"

# So much of two fingerprints fits a file name beside the longest name of a memory.
MARK_CHARS = 12

# What is wrong with a name that `unnameable` returns.
UNNAMEABLE = "its name is not Unicode text"

# What is said of a copy that `copies` returns.
COPY = "another version of a file that two programs wrote at once; take over what you need and remove it"

KEPT = PurePosixPath(".tenure", "kept")

Rule = Callable[[bytes | None], bytes | None]


class Folder:
    """A folder of files that others write too; places are relative to it, with `/` between their parts."""

    def __init__(
        self,
        root: Path,
        *,
        guarded: int = 1,
        lines: Collection[str] = (),
        limit: int = MAX_FILE_BYTES,
    ) -> None:
        """Take a folder whose last `guarded` parts may not be links.

        `lines` names the files in which two people's lines can stand side by side. What cannot be put back is copied
        to a folder outside this one, and named in `notes`.
        """
        self.root, self.limit, self.notes = root, limit, list[str]()
        self._beneath = beneath = Beneath(root, guarded)
        self._lines = frozenset(lines)
        self._kept = beneath.base / KEPT
        self._held = False

    # Looking

    def read(self, place: str, *, limit: int | None = None) -> bytes | None:
        """Return a file's bytes, None when there is no file; refuse a link, a device or a file above the limit."""
        try:
            with self._beneath.parent(place) as (handle, name):
                return self._beneath.read(handle, name, limit or self.limit)
        except (FileNotFoundError, NotADirectoryError):
            return None

    def mark(self, place: str) -> str | None:
        """Return a file's fingerprint, None when there is no file; one that cannot be read has a mark too."""
        try:
            data = self.read(place)
        except (OSError, Refused, InvalidInput) as error:
            return f"unreadable: {reason(error)}"
        return None if data is None else fingerprint(data)

    def facts(self, place: str) -> os.stat_result | None:
        """Return what the file system knows of a file, link or folder; None when there is nothing."""
        try:
            with self._beneath.parent(place) as (handle, name):
                return os.stat(name, dir_fd=handle, follow_symlinks=False)
        except (FileNotFoundError, NotADirectoryError):
            return None

    def exists(self, place: str) -> bool:
        """Tell whether there is anything at a place, a link included."""
        return self.facts(place) is not None

    def names(self, place: str = "") -> list[str]:
        """Return the names of everything in a folder that is no folder, sorted; none when it is not there.

        A name that is no Unicode text cannot be stored or printed: `unnameable` returns those.
        """
        return [name for name in self._beneath.listed(place, folders=False) if is_text(name)]

    def unnameable(self, place: str = "") -> list[str]:
        """Return the names in a folder that are no Unicode text, as they may be printed."""
        return [repr(name)[1:-1] for name in self._beneath.listed(place, folders=False) if not is_text(name)]

    def folders(self, place: str = "") -> list[str]:
        """Return the names of the folders in a folder, sorted."""
        return self._beneath.listed(place, folders=True)

    # Changing: the caller holds the lock

    @contextlib.contextmanager
    def locked(self, name: str = "", *, wait_seconds: float = 30.0) -> Iterator[None]:
        """Hold a lock file in the folder, or without a name the folder itself, in which nothing is then left."""
        if self._held:
            yield
            return
        folder, file = split(name) if name else ("", "")
        with contextlib.ExitStack() as stack:
            # A folder that is not there yet has nobody to be guarded from but those who share the caller's own lock.
            with contextlib.suppress(FileNotFoundError):
                handle = stack.enter_context(self._beneath.opened(folder, make=bool(name)))
                stack.enter_context(lock.exclusive(file or ".", dir_fd=handle, wait_seconds=wait_seconds))
            self._held = True
            stack.callback(self._release)
            yield

    def replace(self, place: str, data: bytes, *, expected: str | None) -> None:
        """Put data where a file of the expected fingerprint is, or with None where nothing is; durably, all at once.

        Raises `Conflict` when something else is found there, which then stays.
        """
        with self._beneath.parent(place, make=expected is None) as (handle, name):
            if (found := self.mark(place)) != expected:
                raise _changed(place, gone=found is None)
            ready = self._written(handle, name, data, expected)
            try:
                # Looked at again after the flush, which takes longest: what is noticed now need not be put back, and
                # nobody reads our version in between.
                if expected is not None and not self._is(handle, name, expected):
                    raise _changed(place)
                if expected is None:
                    exchange.rename_new(handle, ready, handle, name)
                else:
                    exchange.exchange(handle, ready, name)
            except (FileExistsError, FileNotFoundError):
                _unlink(handle, ready)
                raise _changed(place, gone=expected is not None) from None
            except BaseException:
                _unlink(handle, ready)
                raise
            if expected is not None and not self._is(handle, ready, expected):
                self._put_back(handle, ready, name, place, fingerprint(data))
                os.fsync(handle)
                raise _changed(place)
            _unlink(handle, ready)
            os.fsync(handle)
        if expected is not None and name not in self._lines and self._kept.is_dir():
            withdrawn.follow(self._copies(), _copied(place), expected, data)

    def change(self, place: str, rule: Rule) -> bytes | None:
        """Make of a file what a rule makes of its bytes; None stands for no file. Return what is there now.

        When somebody else writes meanwhile, the rule is asked again about what they wrote.
        """
        for attempt in range(TRIES):
            before = self.read(place)
            after = rule(before)
            if after == before:
                break
            try:
                if after is None:
                    self.remove(place, expected=fingerprint(before or b""))
                else:
                    self.replace(place, after, expected=None if before is None else fingerprint(before))
                break
            except Conflict:
                if attempt == TRIES - 1:
                    raise
                time.sleep(0.001 * attempt)
        return after

    def remove(self, place: str, *, expected: str | None = None) -> None:
        """Remove a file durably; raise `Conflict`, and leave it, when its fingerprint is not the expected one."""
        with self._beneath.parent(place) as (handle, name):
            ready = f".{name}.{_REMOVED}-{expected[:MARK_CHARS] if expected else _NOTHING}.tmp"
            try:
                os.rename(name, ready, src_dir_fd=handle, dst_dir_fd=handle)
            except FileNotFoundError:
                if expected is None:
                    return
                raise _changed(place, gone=True) from None
            if expected is not None and not self._is(handle, ready, expected):
                self._return(handle, ready, name, place)
                os.fsync(handle)
                raise _changed(place)
            _unlink(handle, ready)
            os.fsync(handle)

    def move(self, place: str, to: str) -> None:
        """Rename a file to a place where nothing is; bytes and times stay."""
        with self._beneath.parent(place) as (handle, name), self._beneath.parent(to, make=True) as (target, new_name):
            try:
                exchange.rename_new(handle, name, target, new_name)
            except (FileExistsError, FileNotFoundError):
                raise Conflict(f"{place!r} cannot be moved to {to!r}: the folder has changed.") from None
            os.fsync(target)
            os.fsync(handle)

    def append(self, place: str, data: bytes) -> None:
        """Add lines at the end of a file in place, as programs do that take no lock; a torn line before is ended."""
        while data:
            with self._beneath.parent(place, make=True) as (handle, name):
                flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | NO_LINKS
                with os.fdopen(self._beneath.open(handle, name, flags), "r+b", buffering=0) as file:
                    size = file.seek(0, os.SEEK_END)
                    torn = size > 0 and os.pread(file.fileno(), 1, size - 1) != b"\n"
                    file.write(b"\n" + data if torn else data)
                    os.fsync(file.fileno())
                    written = os.fstat(file.fileno()).st_ino
                if not size:
                    os.fsync(handle)
                # Somebody who replaced the file while we wrote has lines that end before ours.
                with contextlib.suppress(FileNotFoundError):
                    if os.stat(name, dir_fd=handle, follow_symlinks=False).st_ino == written:
                        return
            if data in (self.read(place) or b""):
                return

    def make(self, place: str = "") -> None:
        """Make a folder and those above it, durably."""
        with self._beneath.opened(place, make=True):
            pass

    def remove_folder(self, place: str) -> None:
        """Remove a folder when it is empty."""
        with contextlib.suppress(OSError), self._beneath.parent(place) as (handle, name):
            os.rmdir(name, dir_fd=handle)

    def sweep(self, places: Iterable[str]) -> None:
        """Mend what killed processes left in these folders: unfinished files go, somebody's edit comes back."""
        for place in places:
            lead = f"{place}/" if place else ""
            with contextlib.suppress(FileNotFoundError, NotADirectoryError), self._beneath.opened(place) as handle:
                for file in os.listdir(handle):
                    if found := _READY.fullmatch(file):
                        self._recover(handle, file, found, f"{lead}{found[1]}")
                    elif _UNFINISHED.fullmatch(file):
                        _unlink(handle, file)
            if self._kept.is_dir() and any(name.endswith(withdrawn.ENDING) for name in self._copies().names()):
                for file in self.names(place):
                    withdrawn.settle(self._copies(), _copied(lead + file), self.read(lead + file))

    def copies(self) -> list[Path]:
        """Return the versions of files that were kept because another one took their place."""
        names = self._copies().names()
        return [self._kept / name for name in names if name != ".gitignore" and not name.endswith(withdrawn.ENDING)]

    def drop_copies(self, place: str) -> None:
        """Remove what was kept of a file: its memory is to be forgotten."""
        kept = self._copies()
        kept.sweep([""])
        for name in kept.names():
            if name.startswith(_copied(place)):
                kept.remove(name)

    # Inside

    def _copies(self) -> Folder:
        return Folder(self._kept, guarded=2)

    def _release(self) -> None:
        self._held = False

    def _written(self, handle: int, name: str, data: bytes, expected: str | None) -> str:
        """Write data to a temporary file, flush it, and return its name once it is whole."""
        temporary = f".{name}.{os.urandom(6).hex()}.tmp"
        ready = f".{name}.{fingerprint(data)[:MARK_CHARS]}-{expected[:MARK_CHARS] if expected else _NOTHING}.tmp"
        mode = None
        with contextlib.suppress(FileNotFoundError):
            mode = stat.S_IMODE(os.stat(name, dir_fd=handle, follow_symlinks=False).st_mode)
        file = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | NO_LINKS, 0o644, dir_fd=handle)
        try:
            with os.fdopen(file, "wb") as stream:
                if mode is not None:
                    os.fchmod(stream.fileno(), mode)
                stream.write(data)
                stream.flush()
                os.fsync(stream.fileno())
            try:
                exchange.rename_new(handle, temporary, handle, ready)
            except FileExistsError:
                # The same change, cut short by a kill; anything else under this name is somebody's edit.
                if not self._is(handle, ready, fingerprint(data)):
                    raise _changed(name) from None
                os.rename(temporary, ready, src_dir_fd=handle, dst_dir_fd=handle)
        except BaseException:
            _unlink(handle, temporary)
            raise
        return ready

    def _is(self, handle: int, name: str, expected: str, *, wait: bool = True) -> bool:
        """Tell whether a file is what was expected, and nobody is still writing to it."""
        try:
            with os.fdopen(os.open(name, READING, dir_fd=handle), "rb") as file:
                if not exchange.settled(file.fileno(), wait=wait):
                    return False
                return hashlib.file_digest(file, "sha256").hexdigest() == expected
        except OSError:
            return False

    def _put_back(self, handle: int, ready: str, name: str, place: str, ours: str) -> None:
        """Give somebody else's file its name again; what was there instead must be ours, or it is kept as well."""
        if name not in self._lines:
            self._copy(handle, ready, place)
        try:
            exchange.exchange(handle, ready, name)
        except FileNotFoundError:
            self._return(handle, ready, name, place)
            return
        if self._is(handle, ready, ours):
            _unlink(handle, ready)
        else:
            self._keep(handle, ready, name, place)

    def _copy(self, handle: int, ready: str, place: str) -> None:
        """Copy somebody's edit before it is put back; again when they were not done with it yet."""
        with contextlib.suppress(OSError, Refused, InvalidInput):
            for _ in range(_COPIES):
                data = self._beneath.read(handle, ready, MAX_FILE_BYTES)
                withdrawn.keep(self._copies(), _copied(place), data)
                if self._is(handle, ready, fingerprint(data), wait=False):
                    break

    def _return(self, handle: int, ready: str, name: str, place: str) -> None:
        try:
            exchange.rename_new(handle, ready, handle, name)
        except FileExistsError:
            self._keep(handle, ready, name, place)

    def _keep(self, handle: int, ready: str, name: str, place: str) -> None:
        """Keep a version of a file that another one took the place of: among its lines, or as a copy elsewhere."""
        try:
            data = self._beneath.read(handle, ready, MAX_FILE_BYTES)
        except (OSError, Refused, InvalidInput):
            return  # it stays under its temporary name
        if not self._is(handle, ready, fingerprint(data)):
            return  # somebody is still writing to it: the next sweep keeps what they wrote
        if name in self._lines:
            self.change(place, lambda now: united(now or b"", data))
        else:
            copy = f"{_copied(place)}{fingerprint(data)[:8]}"
            kept = self._copies()
            kept.change(".gitignore", lambda now: now or b"*\n")
            kept.change(copy, lambda now: data)
            self.notes.append(
                f"{place} was written by two programs at once; the other version is kept as {self._kept / copy}."
            )
        _unlink(handle, ready)

    def _recover(self, handle: int, file: str, found: re.Match[str], place: str) -> None:
        name, new, old = found[1], found[2], found[3]
        try:
            mark = fingerprint(self._beneath.read(handle, file, MAX_FILE_BYTES))
        except (OSError, Refused, InvalidInput):
            return
        if not self._is(handle, file, mark, wait=False):
            return  # a program still has it open for writing
        if new == _REMOVED:
            self._finish_removal(handle, file, name, place, was_expected=mark[:MARK_CHARS] == old or old == _NOTHING)
            return
        if mark[:MARK_CHARS] in (new, old):
            _unlink(handle, file)
            return
        # An exchange was cut short, and this is somebody else's edit that came out of it.
        if (self.mark(place) or "")[:MARK_CHARS] == new:
            self._put_back(handle, file, name, place, self.mark(place) or "")
        else:
            self._return(handle, file, name, place)

    def _finish_removal(self, handle: int, file: str, name: str, place: str, *, was_expected: bool) -> None:
        """Give a file whose removal was never acknowledged its name back, unless there is a new one."""
        try:
            exchange.rename_new(handle, file, handle, name)
        except FileExistsError:
            if was_expected:
                _unlink(handle, file)
            else:
                self._keep(handle, file, name, place)


def is_text(name: str) -> bool:
    """Tell whether a name is Unicode text and not just bytes."""
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def united(ours: bytes, theirs: bytes) -> bytes:
    """Return a file of lines with those of another version added that it lacks."""
    has = set(ours.split(b"\n"))
    missing = [line for line in theirs.split(b"\n") if line not in has]
    if not missing:
        return ours
    lead = ours if not ours or ours.endswith(b"\n") else ours + b"\n"
    return lead + b"\n".join(missing) + b"\n"


def reason(error: Exception) -> str:
    """Return in a few words why a file cannot be used."""
    if isinstance(error, OSError):
        return f"cannot be read: {error.strerror or type(error).__name__}"
    return str(getattr(error, "message", error))


def _copied(place: str) -> str:
    return f"{place.replace('/', '-')}."


def _changed(place: str, *, gone: bool = False) -> Conflict:
    what = "is gone" if gone else "was written by someone else"
    return Conflict(
        f"{place} {what} since it was read; nothing was written to it.",
        hint="Run the command again; it starts from what is there now.",
    )


def _unlink(handle: int, name: str) -> None:
    with contextlib.suppress(FileNotFoundError):
        os.unlink(name, dir_fd=handle)
