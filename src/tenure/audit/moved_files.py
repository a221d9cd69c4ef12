"""When a file went, and where to: one pass over the history's renames and removals, newest first.

A fate is what became of a path that is not there: the commit that took it, the path it has now if git knows
one, and whether the way there was a pure move.
"""

from __future__ import annotations

import contextlib
import posixpath
import secrets
from collections import Counter, defaultdict
from collections.abc import Callable
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path

import msgspec

from tenure.audit.project import Project
from tenure.files.git import UNREADABLE, Git
from tenure.model import clock
from tenure.model.decoding import unpack
from tenure.model.errors import Refused

SECONDS = 45.0
MAX_HOPS = 50
MAX_NAMES = 4
# Git calls files renamed from 50 % similarity on; from here on we call the move pure when the name stays.
PURE_SIMILARITY = 90
CACHE_VERSION = 2

# How much is done, and how much there is.
Tell = Callable[[int, int], None]


class Commit(msgspec.Struct, frozen=True, array_like=True):
    """One commit: its id, date and subject."""

    commit: str
    date: str
    subject: str


class PathEvent(msgspec.Struct, frozen=True, array_like=True):
    """A path that a commit renamed (`new` is set) or removed; a smaller `order` is newer."""

    old: str
    new: str
    similarity: int
    blob: str
    order: int


class Fate(msgspec.Struct, frozen=True):
    """What became of `source`: the commit that took it, where it is now, and how sure that is."""

    change: Commit
    source: str
    target: str = ""
    confidence: float = 0.0
    pure: bool = False


class _Kept(msgspec.Struct):
    version: int
    head: str
    changes: list[Commit]
    events: list[PathEvent]


class History:
    """The renames and removals of the project, read on first use."""

    def __init__(self, project: Project, cache: Path | None = None, tell: Tell | None = None) -> None:
        self.project = project
        self.cache = cache
        self.tell: Tell = tell or (lambda done, of: None)
        self.changes: list[Commit] = []

    @cached_property
    def events(self) -> dict[str, list[PathEvent]]:
        """Return the events of every path that ever went, newest first."""
        found: dict[str, list[PathEvent]] = defaultdict(list)
        for event in self._read():
            found[event.old].append(event)
        return found

    @cached_property
    def _by_folder(self) -> dict[str, list[PathEvent]]:
        found: dict[str, list[PathEvent]] = defaultdict(list)
        for events in self.events.values():
            parent = events[0].old.rpartition("/")[0]
            while parent:
                found[parent].append(events[0])
                parent = parent.rpartition("/")[0]
        return found

    @cached_property
    def _by_name(self) -> dict[str, list[PathEvent]]:
        found: dict[str, list[PathEvent]] = defaultdict(list)
        for path, events in self.events.items():
            found[posixpath.basename(path)].append(events[0])
        return found

    @cached_property
    def _older(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = defaultdict(list)
        for events in self.events.values():
            for event in events:
                if event.new:
                    found[event.new].append(event.old)
        return found

    def names_of(self, path: str) -> tuple[str, ...]:
        """Return the path and the names it had before, newest first."""
        found = [path]
        for each in found:
            found += [old for old in self._older.get(each, ()) if old not in found]
            if len(found) > MAX_NAMES:
                break
        return tuple(found[:MAX_NAMES])

    def newer_names(self, path: str) -> tuple[str, ...]:
        """Return the names that a file had after this one, oldest first."""
        found: list[str] = []
        for _ in range(MAX_HOPS):
            current = found[-1] if found else path
            new = next((event.new for event in self.events.get(current, ()) if event.new), "")
            if not new or new in found:
                break
            found.append(new)
        return tuple(found)

    def had_folder(self, folder: str) -> bool:
        """Return whether files were in the folder once."""
        return folder in self._by_folder

    def had_folder_ending(self, path: str) -> bool:
        """Return whether files were once in a folder whose path ends so."""
        return any(each == path or each.endswith("/" + path) for each in self._by_folder)

    def fate(self, path: str) -> Fate | None:
        """Return what became of a path that is not there, or None when history does not know it."""
        plain = posixpath.normpath(path)
        if plain in self.events:
            return self._follow(self.events[plain][0])
        if plain in self._by_folder:
            return self._folder(plain)
        ends = [each for each in self._by_name.get(posixpath.basename(plain), ()) if _ends(each.old, plain)]
        if not ends:
            return None
        found = self._follow(min(ends, key=lambda event: event.order))
        ambiguous = len({each.old for each in ends}) > 1
        return msgspec.structs.replace(found, confidence=found.confidence * 0.6, pure=False) if ambiguous else found

    def _follow(self, first: PathEvent) -> Fate:
        event, confidence, pure = first, 1.0, True
        change = self.changes[first.order]
        for _ in range(MAX_HOPS):
            target = event.new or self._twin(event)
            if not target:
                return Fate(self.changes[event.order], first.old)
            if event.new:
                confidence *= event.similarity / 100
                same_name = posixpath.basename(event.old) == posixpath.basename(event.new)
                pure = pure and (event.similarity == 100 or (same_name and event.similarity >= PURE_SIMILARITY))
            if target in self.project.files:
                # Files that look all alike (licence headers, empty packages) are paired by chance.
                alone = len(self.project.by_blob.get(self.project.blobs.get(target, ""), ())) <= 1
                return Fate(change, first.old, target, round(confidence, 2), pure and alone)
            later = [each for each in self.events.get(target, ()) if each.order < event.order]
            if not later:
                return Fate(change, first.old)
            event = later[-1]
        return Fate(change, first.old)

    def _twin(self, event: PathEvent) -> str:
        """Return the only file that has the removed file's very content, for moves made in two commits."""
        twins = self.project.by_blob.get(event.blob, [])
        return twins[0] if len(twins) == 1 else ""

    def _folder(self, folder: str) -> Fate:
        """Return where a folder went: where most of its files went, with their paths below it kept."""
        events = sorted(self._by_folder[folder], key=lambda event: event.order)
        votes: Counter[str] = Counter()
        for event in events:
            fate = self._follow(event)
            rest = event.old[len(folder) :]
            if fate.target.endswith(rest) and fate.target != event.old:
                votes[fate.target[: -len(rest)]] += 1
        best = votes.most_common(1)
        change = self.changes[events[0].order]
        if not best or best[0][0] not in self.project.folders:
            return Fate(change, folder)
        target, count = best[0]
        # A folder whose files went to several places is not a move of the folder.
        return Fate(change, folder, target, round(count / len(events), 2), count == len(events))

    def _read(self) -> list[PathEvent]:
        git = self.project.git
        head = git.text("rev-parse", "--verify", "-q", "HEAD") if self.project.has_git else None
        if head is None:
            return []
        file = self.cache / "history.msgpack" if self.cache else None
        if file is not None:
            try:
                kept = unpack(file.read_bytes(), _Kept)
                if (kept.version, kept.head) == (CACHE_VERSION, head):
                    self.changes = kept.changes
                    return kept.events
            except (OSError, msgspec.DecodeError):
                pass
        events, cut = _events(git, self.changes, self.tell)
        if cut == UNREADABLE:
            # Comparing contents needs all of them; a partial clone may lack some. Equal ones are known by their ids.
            self.changes = []
            events, cut = _events(git, self.changes, self.tell, renames="--find-renames=100%")
        if cut:
            self.project.notices.append(f"the history was not read to its end ({cut}): what broke before is unknown")
        elif file is not None:
            from tenure.files import durable

            kept = _Kept(CACHE_VERSION, head, self.changes, events)
            with contextlib.suppress(OSError, Refused):  # a cache that cannot be kept costs time, nothing else
                file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                durable.replace(file, msgspec.msgpack.encode(kept), mode=0o600)
        return events


def _events(
    git: Git, changes: list[Commit], tell: Tell, renames: str = "--find-renames"
) -> tuple[list[PathEvent], str]:
    """Return the removals and renames on the way to HEAD, newest first, and why they are not all, or nothing."""
    total = int(git.text("rev-list", "--count", "HEAD") or 0)
    mark = header_mark()
    stream = git.stream(
        "log",
        "--raw",
        "-z",
        "--no-abbrev",
        renames,
        "--no-rename-empty",
        "--diff-filter=DR",
        "--relative",
        "--no-ext-diff",
        "--no-textconv",
        f"--format={mark}%H %ct %s",
        "HEAD",
        "--",
        separator=b"\0",
        seconds=SECONDS,
    )
    found: list[PathEvent] = []
    pieces = iter(stream)
    for raw in pieces:
        piece = raw.lstrip(b"\n")
        if piece.startswith(mark.encode()):
            changes.append(_change(_path(piece[len(mark) :])))
            if len(changes) % 500 == 0:
                tell(len(changes), total)
        elif piece.startswith(b":") and changes:
            # How many paths follow is said by the status, so no path can pass for a record.
            facts = piece.decode("ascii", errors="replace").split(" ")
            status = facts[4] if len(facts) > 4 else ""
            old = _path(next(pieces, b""))
            new = _path(next(pieces, b"")) if status.startswith("R") else ""
            if old and status:
                similarity = int(status[1:]) if status[1:].isdigit() else 0
                found.append(PathEvent(old, new, similarity, facts[2], len(changes) - 1))
    return found, stream.cut


def header_mark() -> str:
    """Return a mark for the headers of one `git log` that nothing in a history can hold."""
    return f"tenure-{secrets.token_hex(16)} "


def merged_branches(git: Git) -> dict[str, Commit]:
    """Return the branches that merge commits name, with the newest such commit."""
    found: dict[str, Commit] = {}
    arguments = ("log", "--merges", "-z", "--format=%H %ct %s", "HEAD", "--")
    for raw in git.stream(*arguments, separator=b"\0", seconds=SECONDS):
        change = _change(raw.decode("utf-8", errors="replace"))
        words = change.subject.replace("'", " ").split()
        for marker, offset in (("branch", 1), ("from", 1)):
            if marker in words[:-1]:
                name = words[words.index(marker) + offset]
                found.setdefault(name, change)
                found.setdefault(name.partition("/")[2] or name, change)
    return found


def _change(line: str) -> Commit:
    commit, seconds, subject = [*line.split(" ", 2), "", ""][:3]
    return Commit(commit[:12], clock.stamp(moment_of(seconds)), subject[:200])


def moment_of(seconds: str) -> datetime:
    """Return the time that git prints as seconds; a commit may claim any date, and one beyond all calendars is none."""
    try:
        return datetime.fromtimestamp(int(seconds or 0), UTC)
    except (ValueError, OverflowError, OSError):
        return datetime.fromtimestamp(0, UTC)


def _path(raw: bytes) -> str:
    return raw.decode("utf-8", errors="surrogateescape")


def _ends(path: str, ending: str) -> bool:
    return path == ending or path.endswith("/" + ending)
