"""What git's index says about a file: whether git tracks it, and whether it is here as a commit brought it.

The index is read without running git, because a repository can name programs that git would start. The one rule: in
doubt a file came with the repository, so an index that cannot be read counts as tracking everything.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

MOST_INDEX_BYTES = 256 * 1024 * 1024
MOST_LINK_BYTES = 8192
# Of a larger file the size and time that git noted decide alone.
MOST_COMPARED_BYTES = 64 * 1024 * 1024
_FACTS, _SHARED_NAME = 40, "sharedindex."
_EXTENDED, _INTENDED = 0x4000, 0x2000


class TrackedFile(NamedTuple):
    """One file in the index: its blob, and the time and size git saw when it wrote the file here.

    While a merge is unfinished, the file has one blob for each side.
    """

    blob: bytes
    seconds: int
    nanoseconds: int
    size: int
    others: tuple[bytes, ...] = ()


def keeper(path: str | os.PathLike[str]) -> str:
    """Return the root of a repository that keeps a file, or anything below a folder; empty when none does.

    Every repository around it is asked, for the path as it is written and for where its links lead: a folder may be a
    submodule, a link that a commit brought, or lie in another clone than the one at hand.
    """
    for written in dict.fromkeys((os.path.abspath(path), os.path.realpath(path))):
        folder = written
        while True:
            if os.path.lexists(os.path.join(folder, ".git")) and Index(Path(folder)).keeps(Path(written)):
                return folder
            above = os.path.dirname(folder)
            if above == folder:
                break
            folder = above
    return ""


class Index:
    """The index of the repository that a folder is the root of; nothing is kept outside one."""

    def __init__(self, project: Path) -> None:
        self.project = project
        self._submodules: dict[bytes, Index] = {}
        self._entries: dict[bytes, TrackedFile] | None = {}
        place = _place(project)
        if place is not None:
            try:
                self._entries = _entries(place)
            except (OSError, ValueError, IndexError):
                # None stands for an index that nobody here can read.
                self._entries = None if os.path.lexists(place) else {}

    def keeps(self, path: Path) -> bool:
        """Tell whether git keeps a file, or anything below a folder; nothing outside the project is.

        What lies below a link or a submodule that git keeps came with it.
        """
        inside = self._inside(path)
        if inside is None:
            return False
        if self._entries is None:
            return True
        if not inside:
            return bool(self._entries)
        if inside in self._entries or self._link_above(inside) or self._collapsed(inside):
            return True
        return any(name.startswith(inside + b"/") for name in self._entries)

    def brought(self, path: Path) -> bool:
        """Tell whether a file is as its commit brought it: kept by git and not changed since.

        Line ends and other filters may make it differ from its blob, so a file that git wrote and nobody touched
        counts by its time and size.
        """
        inside = self._inside(path)
        if inside is None:
            return False
        if self._entries is None:
            return True
        entry = self._entries.get(inside)
        if entry is None:
            above = self._link_above(inside)
            if above is None:
                # Nobody here knows what the folder holds, and git itself opens it once a file stands there.
                return bool(self._collapsed(inside))
            return self._brought_below(above, path)
        try:
            facts = os.lstat(path)
        except OSError:
            return False
        return _untouched(entry, facts) or _same(entry, path, facts)

    def blobs(self, path: Path) -> list[tuple[Path, str]]:
        """Return the repository that keeps a file with git's names of its contents there; nothing when none does."""
        inside = self._inside(path)
        if inside is None or not self._entries:
            return []
        if (entry := self._entries.get(inside)) is not None:
            return [(self.project, blob.hex()) for blob in (entry.blob, *entry.others)]
        if folder := self._collapsed(inside):
            return [(self.project, f"{self._entries[folder].blob.hex()}:{os.fsdecode(inside[len(folder) :])}")]
        above = self._link_above(inside)
        return self._submodule(above).blobs(path) if above is not None else []

    def _inside(self, path: Path) -> bytes | None:
        try:
            inside = path.relative_to(self.project)
        except ValueError:
            return None
        return os.fsencode(inside.as_posix()) if inside.parts else b""

    def _link_above(self, inside: bytes) -> bytes | None:
        """Return the folder above a path that is itself an entry: a link or a submodule."""
        end = inside.rfind(b"/")
        while end > 0:
            if self._entries and inside[:end] in self._entries:
                return inside[:end]
            end = inside.rfind(b"/", 0, end)
        return None

    def _collapsed(self, inside: bytes) -> bytes:
        """Return the entry of a sparse index that stands for a whole folder with all below it; nothing for none."""
        end = inside.find(b"/")
        while self._entries and end >= 0:
            if inside[: end + 1] in self._entries:
                return inside[: end + 1]
            end = inside.find(b"/", end + 1)
        return b""

    def _brought_below(self, above: bytes, path: Path) -> bool:
        if (self.project / os.fsdecode(above)).is_symlink():
            return True  # wherever it leads, a commit led there
        return self._submodule(above).brought(path)

    def _submodule(self, above: bytes) -> Index:
        if above not in self._submodules:
            self._submodules[above] = Index(self.project / os.fsdecode(above))
        return self._submodules[above]


def _place(project: Path) -> Path | None:
    """Return where a repository's index lies; a submodule's `.git` is a file that names the folder."""
    marker = project / ".git"
    if marker.is_dir():
        return marker / "index"
    if not marker.is_file():
        return None
    with marker.open("rb") as file:
        link = os.fsdecode(file.read(MOST_LINK_BYTES)).strip()
    return project / link.removeprefix("gitdir:").strip() / "index"


def _untouched(entry: TrackedFile, facts: os.stat_result) -> bool:
    seconds, nanoseconds = divmod(facts.st_mtime_ns, 1_000_000_000)
    same_time = seconds & 0xFFFFFFFF == entry.seconds and entry.nanoseconds in (0, nanoseconds)
    return same_time and facts.st_size & 0xFFFFFFFF == entry.size


def _same(entry: TrackedFile, path: Path, facts: os.stat_result) -> bool:
    if not stat.S_ISREG(facts.st_mode) or facts.st_size > MOST_COMPARED_BYTES:
        return False
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    with os.fdopen(handle, "rb") as file:
        data = file.read(MOST_COMPARED_BYTES + 1)
    return any(_blob(form, len(entry.blob)) == entry.blob for form in (data, data.replace(b"\r\n", b"\n")))


def _blob(data: bytes, length: int) -> bytes:
    whole = b"blob %d\0" % len(data) + data
    # git's own name of a content, not a protection of ours
    return (hashlib.sha1(whole, usedforsecurity=False) if length == 20 else hashlib.sha256(whole)).digest()


def _entries(place: Path, *, shared: bool = False) -> dict[bytes, TrackedFile]:
    data = _read(place, MOST_INDEX_BYTES)
    for hash_bytes in (20, 32):
        try:
            found, end = _parsed(data, hash_bytes)
        except (ValueError, IndexError):
            continue
        for name, body in _extensions(data, end, hash_bytes):
            if name == b"link":
                if shared:
                    # git never makes such a chain, and one could lead back to itself.
                    raise ValueError("a shared index that names another")
                # What did not change is in a file beside it; deleted entries only make more wait.
                found = _entries(place.with_name(_SHARED_NAME + body[:hash_bytes].hex()), shared=True) | found
        return found
    raise ValueError("not an index")


def _read(path: Path, most: int) -> bytes:
    """Return a file's bytes; raise `ValueError` for one that is larger, or no plain file and might never end."""
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    with os.fdopen(handle, "rb") as file:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise ValueError("not a plain file")
        data = file.read(most + 1)
    if len(data) > most:
        raise ValueError("too large")
    return data


def _parsed(data: bytes, hash_bytes: int) -> tuple[dict[bytes, TrackedFile], int]:
    """Return the entries and where they end; raise for anything that is no index with hashes of this length."""
    version, count = int.from_bytes(data[4:8]), int.from_bytes(data[8:12])
    if data[:4] != b"DIRC" or version not in (2, 3, 4):
        raise ValueError("not an index")
    found: dict[bytes, TrackedFile] = {}
    at, name = 12, b""
    for _ in range(count):
        fields = [int.from_bytes(data[at + n : at + n + 4]) for n in range(0, _FACTS, 4)]
        blob = data[at + _FACTS : at + _FACTS + hash_bytes]
        flags = int.from_bytes(data[at + _FACTS + hash_bytes : at + _FACTS + hash_bytes + 2])
        begin = at + _FACTS + hash_bytes + (4 if flags & _EXTENDED else 2)
        more = int.from_bytes(data[begin - 2 : begin]) if flags & _EXTENDED else 0
        if fields[6] >> 12 not in (0, 4, 8, 10, 14) or (flags & _EXTENDED and version == 2):
            raise ValueError("not an entry")
        if version == 4:
            cut, begin = _number(data, begin)
            end = data.index(b"\0", begin)
            name = name[: len(name) - cut] + data[begin:end]
            at = end + 1
        else:
            end = data.index(b"\0", begin)
            name = data[begin:end]
            at += (end - at + 8) & ~7
        if len(data) < at or (flags & 0xFFF) != min(len(name), 0xFFF):
            raise ValueError("not an entry")
        if not more & _INTENDED:
            before = found.get(name)
            others = (before.blob, *before.others) if before else ()
            found[name] = TrackedFile(blob, fields[2], fields[3], fields[9], others)
    return found, at


def _number(data: bytes, at: int) -> tuple[int, int]:
    """Return a number of git's variable length, and where it ends."""
    byte = data[at]
    value = byte & 127
    while byte & 128:
        at += 1
        byte = data[at]
        value = ((value + 1) << 7) | (byte & 127)
    return value, at + 1


def _extensions(data: bytes, at: int, hash_bytes: int) -> Iterator[tuple[bytes, bytes]]:
    while at + 8 <= len(data) - hash_bytes:
        length = int.from_bytes(data[at + 4 : at + 8])
        yield data[at : at + 4], data[at + 8 : at + 8 + length]
        at += 8 + length
