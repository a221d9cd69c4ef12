"""Where names are defined and used in the project's code.

Only names that are asked for are looked up, and only files that contain one are parsed. With a cache folder
the answer per file is kept under its size and time, so a second run reads only what changed. Without the
extra `audit` a line pattern takes the place of the grammars.
"""

from __future__ import annotations

import contextlib
import os
import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable
from pathlib import Path

import msgspec

from tenure.audit import languages, names_without_parser, parsing
from tenure.audit.parsing import Occurrence
from tenure.files import ARCHEFLOW, GEAS, at_once
from tenure.model.decoding import unpack

CACHE_VERSION = 5
# A name that so many places use is there, wherever it is defined.
WIDELY_USED = 30
# What stands in these uses names that are defined elsewhere, so they are looked at last.
_ASIDE = re.compile(
    r"(?:^|/)(?:tests?|spec|specs|__tests__|examples?|docs?|demos?|samples?|fixtures|e2e)/|[._-](?:test|spec)s?\."
)
# What agents and tools keep beside the code.
NOT_CODE = (".claude/", f"{GEAS}/", f"{ARCHEFLOW}/", ".tenure/", ".git/", ".cursor/")


class _Entry(msgspec.Struct, array_like=True):
    mtime: int
    size: int
    hits: list[Occurrence]
    # Names that are in the file and were not looked at, because another file had defined them by then.
    left: list[str] = []


class _Cache(msgspec.Struct):
    version: int = CACHE_VERSION
    grammars: bool = False
    names: list[str] = []
    files: dict[str, _Entry] = {}


def look_up(
    root: Path,
    files: Iterable[str],
    names: Collection[str],
    *,
    settle: Collection[str] = (),
    few: int = WIDELY_USED,
    cache: Path | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> dict[str, list[Occurrence]]:
    """Return the places of each name; a name with none is not in the result.

    For the names of `settle` one definition, or as many uses as `few`, is enough: files are not parsed for them any
    more, which is most of the work in a large project. So all files are skimmed first for what needs no parser.
    """
    parsers = parsing.PARSERS
    kept = _load(cache, parsers.available)
    known = set(kept.names)
    wanted = set(names)
    fresh = {name.encode() for name in wanted - known}
    asked = {name.encode() for name in wanted | known}
    enough = {name.encode() for name in settle}
    base = str(root)
    ordered = sorted(files, key=lambda path: (is_aside(path), path))
    skimmed: dict[str, _Skimmed] = {}
    tally = _Tally(wanted, enough, few)
    for count, path in enumerate(ordered):
        if progress is not None and count % 500 == 0:
            progress(count, len(ordered))
        skim = _skim(base, path, kept.files.get(path), asked, fresh, enough)
        if skim is not None:
            skimmed[path] = skim
            tally.add(skim.hits)
    if progress is not None:
        progress(len(ordered), len(ordered))
    entries: dict[str, _Entry] = {}
    found: dict[str, list[Occurrence]] = defaultdict(list)
    for path, skim in skimmed.items():
        entries[path] = entry = _entry(base, path, skim, tally, parsers)
        for hit in entry.hits:
            if hit.name in wanted:
                found[hit.name].append(hit)
    changed = (
        fresh
        or entries.keys() != kept.files.keys()
        or any(kept.files[path] is not entry for path, entry in entries.items())
    )
    if cache is not None and changed:
        _save(cache, _Cache(CACHE_VERSION, parsers.available, sorted(wanted | known), entries))
    return found


def role_in(path: str, data: bytes, name: str) -> str:
    """Return what the name is in this content of the file: def, local, use, text, word, or nothing at all."""
    return roles_in(path, data, {name}).get(name, "")


def roles_in(path: str, data: bytes, names: set[str]) -> dict[str, str]:
    """Return what each of the names is in this content of the file; one that is not there is not in the answer."""
    if not data or len(data) > languages.MAX_SOURCE_BYTES or b"\0" in data[:8000]:
        return {}
    roles: dict[str, set[str]] = defaultdict(set)
    for hit in parsing.PARSERS.hits(path, data, names):
        roles[hit.name].add("local" if hit.weak else hit.role)
    ranked = ("def", "local", "use", "text", "word")
    return {name: next(role for role in ranked if role in found) for name, found in roles.items()}


def has_grammar(path: str) -> bool:
    """Return whether the file is code whose names we can tell from its words."""
    return path.rsplit(".", 1)[-1].lower() in languages.GRAMMARS


def is_aside(path: str) -> bool:
    """Return whether the file is a test, an example or the like, which uses names that others define."""
    return _ASIDE.search(path) is not None


def is_source(path: str) -> bool:
    """Return whether names are looked for in the file: code and settings, not prose and not memories."""
    extension = path.rsplit(".", 1)[-1].lower() if "." in path else ""
    hidden = path.startswith(NOT_CODE)
    return extension not in languages.PROSE and not hidden and not path.endswith("package-lock.json")


class _Tally:
    """Which names nothing more needs to be known about: those defined somewhere, and those used often enough."""

    def __init__(self, wanted: set[str], enough: set[bytes], few: int) -> None:
        self.settled: set[bytes] = set()
        self._wanted = wanted
        self._enough = enough
        self._few = few
        self._uses: dict[str, int] = defaultdict(int)

    def add(self, hits: Iterable[Occurrence]) -> None:
        """Count the hits of one file."""
        for hit in hits:
            if hit.name in self._wanted and hit.role != "text":
                self._uses[hit.name] += 1
                defined = hit.role == "def" and not hit.weak
                if (defined or self._uses[hit.name] >= self._few) and (name := hit.name.encode()) in self._enough:
                    self.settled.add(name)


class _Skimmed(msgspec.Struct):
    """What one look at a file's words told: what is known, and the names that a parser would tell more about."""

    facts: tuple[int, int]
    kept: _Entry | None
    hits: list[Occurrence]
    present: set[bytes]
    plain: set[bytes]


def _skim(
    root: str, path: str, kept: _Entry | None, wanted: set[bytes], fresh: set[bytes], enough: set[bytes]
) -> _Skimmed | None:
    try:
        facts = os.stat(f"{root}/{path}", follow_symlinks=False)
    except (OSError, ValueError):
        return None
    stamp = facts.st_mtime_ns, facts.st_size
    if kept is not None and (kept.mtime, kept.size) != stamp:
        kept = None
    if kept is not None and not fresh:
        return _Skimmed(stamp, kept, kept.hits, set(), set())
    if facts.st_size > languages.MAX_SOURCE_BYTES or facts.st_mode & 0o170000 != 0o100000:
        return None
    data = _read(root, path)
    if data is None:
        return None
    is_text = b"\0" not in data[:8000]
    there = names_without_parser.words_of(data, wanted if kept is None else fresh) if is_text else set()
    plain = _plainly_defined(path, data, there & enough)
    return _Skimmed(stamp, kept, [*(kept.hits if kept else ()), *plain.values()], there, set(plain))


def _read(root: str, path: str) -> bytes | None:
    try:
        with open(f"{root}/{path}", "rb", opener=at_once) as file:
            return file.read(languages.MAX_SOURCE_BYTES)
    except (OSError, ValueError):
        return None


def _entry(root: str, path: str, skim: _Skimmed, tally: _Tally, parsers: parsing.Parsers) -> _Entry:
    """Return what is known of the file, after a parser was asked about what is still open."""
    kept, settled = skim.kept, tally.settled
    again = {name for each in kept.left if (name := each.encode()) not in settled} if kept else set()
    if kept is not None and not skim.present and not again:
        return kept
    asked = ((skim.present - skim.plain) | again) - settled
    left = {name.decode("ascii") for name in (skim.present & settled) | skim.plain}
    data = _read(root, path) if asked else None
    fresh = parsers.hits(path, data, {name.decode("ascii") for name in asked}) if data else []
    tally.add(fresh)
    if kept is not None:
        left |= set(kept.left) - {name.decode("ascii") for name in again}
    # What was told without a parser gives way to what the parser says.
    hits = [hit for hit in skim.hits if hit.name.encode() not in again] + fresh
    return _Entry(*skim.facts, hits, sorted(left))


def _plainly_defined(path: str, data: bytes, names: set[bytes]) -> dict[bytes, Occurrence]:
    if not names or not has_grammar(path):
        return {}
    return {
        name: Occurrence(name.decode("ascii"), path, data.count(b"\n", 0, at) + 1, "def", parsing.UNKNOWN_CONTAINER)
        for name, at in names_without_parser.plainly_defines(data, names).items()
    }


def _load(folder: Path | None, grammars: bool) -> _Cache:
    if folder is None:
        return _Cache(grammars=grammars)
    try:
        kept = unpack((folder / "symbols.msgpack").read_bytes(), _Cache)
    except (OSError, msgspec.DecodeError):
        return _Cache(grammars=grammars)
    fits = kept.version == CACHE_VERSION and kept.grammars == grammars
    return kept if fits else _Cache(grammars=grammars)


def _save(folder: Path, cache: _Cache) -> None:
    from tenure.files import durable as files
    from tenure.model.errors import Refused

    with contextlib.suppress(OSError, Refused):  # a cache that cannot be kept costs time, nothing else
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        files.replace(folder / "symbols.msgpack", msgspec.msgpack.encode(cache), mode=0o600)
