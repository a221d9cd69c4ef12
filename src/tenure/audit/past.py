"""Which commits took a name away, found without reading every patch of the history.

A long history is looked at in samples: the trees in which the pages first said the name, then trees spread over the
whole time. Where a sample has the name, the versions of that file are halved until the commit that lost it is left.
Only the patches of those commits are read.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial

import msgspec

from tenure.audit import languages
from tenure.audit.git import Git, Objects
from tenure.audit.history import header_mark
from tenure.model import clock

# Up to so many commits, every patch is read: that is exact, and takes about a second.
FEW_COMMITS = 1_000
MAX_SAMPLES = 24
MAX_PAGE_SAMPLES = 10
MAX_PLACES = 6


class Version(msgspec.Struct, frozen=True):
    """One change of a path: the commit, and the content before and after ('' where there is none)."""

    commit: str
    before: str
    after: str


def timeline(git: Git) -> list[str]:
    """Return the commits that lead to HEAD, newest first."""
    printed = git.run("rev-list", "HEAD", "--")
    return printed.decode("ascii", errors="replace").split() if printed else []


def suspects(
    git: Git, names: Collection[str], pages: Mapping[str, Collection[str]], commits: Sequence[str], seconds: float
) -> set[str]:
    """Return the commits that may have taken one of the names away; `pages` tells which page says which names."""
    places = _sightings(git, set(names), pages, commits, seconds)
    paths = sorted({path for found in places.values() for _commit, path in found})
    if not paths:
        return set()
    order = {commit: number for number, commit in enumerate(commits)}
    versions = histories(git, paths, seconds)
    found: set[str] = set()
    with Objects(git) as objects:
        for name, seen in places.items():
            for commit, path in seen[:MAX_PLACES]:
                later = [each for each in versions.get(path, ()) if order.get(each.commit, 0) < order.get(commit, 0)]
                at = _turn(len(later), partial(_lacks, objects, later, name))
                if at:
                    found.add(later[at - 1].commit)
    return found


def _turn(count: int, holds: Callable[[int], bool]) -> int:
    """Return how many of the first numbers hold, by halving: they do up to a point and no longer after it."""
    low, high = 0, count
    while low < high:
        middle = (low + high) // 2
        low, high = (middle + 1, high) if holds(middle) else (low, middle)
    return low


def _sightings(
    git: Git, names: set[str], pages: Mapping[str, Collection[str]], commits: Sequence[str], seconds: float
) -> dict[str, list[tuple[str, str]]]:
    """Return where samples of the history have the names: name -> (commit, path)."""
    in_time = clock.within(seconds)
    found: dict[str, list[tuple[str, str]]] = {}
    spread = [commits[int(number)] for number in _spread(len(commits))]
    for commit in [*_first_said(git, names, pages, seconds), *spread]:
        wanted = names - found.keys()
        if not wanted or not in_time():
            break
        for name, path in _grep(git, commit, wanted):
            found.setdefault(name, []).append((commit, path))
    return found


def _spread(count: int) -> Iterator[int]:
    """Yield places spread over a range, the coarse ones first."""
    step, seen = 2, {0}
    while len(seen) <= MAX_SAMPLES and step <= 2 * count:
        for part in range(1, step, 2):
            place = count * part // step
            if place not in seen:
                seen.add(place)
                yield place
        step *= 2


def _first_said(git: Git, names: set[str], pages: Mapping[str, Collection[str]], seconds: float) -> list[str]:
    """Return the commits in which pages began to say the names, those that answer for most names first."""
    versions = histories(git, sorted(pages), seconds)
    counts: dict[str, int] = defaultdict(int)
    with Objects(git) as objects:
        for page, said in pages.items():
            mine = versions.get(page, [])
            for name in names.intersection(said):
                at = _turn(len(mine), partial(_says, objects, mine, name))
                if at:
                    counts[mine[at - 1].commit] += 1
    return sorted(counts, key=lambda commit: -counts[commit])[:MAX_PAGE_SAMPLES]


def _grep(git: Git, commit: str, names: Iterable[str]) -> Iterator[tuple[str, str]]:
    patterns = [part for name in sorted(names) for part in ("-e", name)]
    arguments = ("grep", "-z", "-n", "-o", "-I", "-w", "-F", *patterns, commit, "--")
    seen: set[tuple[str, str]] = set()
    for line in git.stream(*arguments, separator=b"\n"):
        place, _, rest = line.partition(b"\0")
        path = place.decode("utf-8", errors="surrogateescape").partition(":")[2]
        name = rest.rpartition(b"\0")[2].decode("ascii", errors="replace")
        if path and (name, path) not in seen and not is_prose(path):
            seen.add((name, path))
            yield name, path


def is_prose(path: str) -> bool:
    """Return whether a name in the file says nothing about the code."""
    return path.rsplit(".", 1)[-1].lower() in languages.PROSE


def histories(git: Git, paths: Sequence[str], seconds: float) -> dict[str, list[Version]]:
    """Return the versions of each path, newest first; a rename ends one path and begins another."""
    mark = header_mark().encode()
    arguments = ("log", "--raw", "-z", "--no-abbrev", "--no-renames", "--relative", f"--format={mark.decode()}%H")
    found: dict[str, list[Version]] = defaultdict(list)
    commit = ""
    pieces = iter(git.stream(*arguments, "HEAD", "--", *paths, separator=b"\0", seconds=seconds))
    for raw in pieces:
        piece = raw.lstrip(b"\n")
        if piece.startswith(mark):
            commit = piece[len(mark) :].decode("ascii", errors="replace").strip()
        elif piece.startswith(b":"):
            facts = piece.decode("ascii", errors="replace").split(" ")
            path = next(pieces, b"").decode("utf-8", errors="surrogateescape")
            if len(facts) > 4:
                found[path].append(Version(commit, _blob(facts[2]), _blob(facts[3])))
    return found


def _blob(name: str) -> str:
    return "" if set(name) == {"0"} else name


def _has(objects: Objects, blob: str, name: str) -> bool:
    """Return whether the name stands in the content as a word."""
    data = objects.read(blob)
    word = name.encode()
    return word in data and re.search(rb"(?<![\w$])" + re.escape(word) + rb"(?![\w$])", data) is not None


def _says(objects: Objects, versions: Sequence[Version], name: str, number: int) -> bool:
    return _has(objects, versions[number].after, name)


def _lacks(objects: Objects, versions: Sequence[Version], name: str, number: int) -> bool:
    return not _has(objects, versions[number].after, name)
