"""Which commits took a name away, found without reading every patch of the history.

A long history is looked at in samples: the trees in which the pages first said the name, then trees spread over the
whole time. Where a sample defines the name, the time since then is halved until the commit that lost it is left.
Only the patches of those commits are read.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial

from tenure.audit import languages, manifests, symbols
from tenure.audit.git import Git, Objects
from tenure.model import clock

# Up to so many commits of so many files, every patch is read: that is exact, and takes about a second.
FEW_COMMITS, FEW_FILES = 1_000, 2_000
MAX_SAMPLES = 8
MAX_PAGE_SAMPLES = 5
# So many files of a sample are looked at for a name's definition, and so many that define it are followed.
MAX_LOOKED_AT = 12
MAX_PLACES = 3
# So many names fit into one argument of a command.
MAX_ASKED = 1_000


# The names that a page has and had -> what it says.
Pages = Mapping[tuple[str, ...], Collection[str]]


def suspects(git: Git, names: Collection[str], pages: Pages, seconds: float) -> tuple[set[str], str]:
    """Return the commits that may have taken one of the names away, and why they are not all, or nothing.

    `pages` tells which page says which names.
    """
    printed = git.run("rev-list", "--first-parent", "HEAD", "--")
    commits = printed.decode("ascii", errors="replace").split() if printed else []
    order = {commit: number for number, commit in enumerate(commits)}
    found: set[str] = set()
    with Objects(git) as objects:
        seen, cut = _sightings(git, objects, set(names), pages, commits, seconds)
        for name, places in seen.items():
            for commit, path in places:
                lost = _turn(order[commit], partial(_lacks, objects, commits, path, name))
                if lost:
                    found.add(commits[lost - 1])
    return found, cut


def _turn(count: int, holds: Callable[[int], bool]) -> int:
    """Return how many of the first numbers hold, by halving: they do up to a point and no longer after it."""
    low, high = 0, count
    while low < high:
        middle = (low + high) // 2
        low, high = (middle + 1, high) if holds(middle) else (low, middle)
    return low


def _sightings(
    git: Git,
    objects: Objects,
    names: set[str],
    pages: Pages,
    commits: Sequence[str],
    seconds: float,
) -> tuple[dict[str, list[tuple[str, str]]], str]:
    """Return name -> (commit, path) where samples of the history define the names, and why not all were looked at."""
    in_time = clock.within(seconds)
    found: dict[str, list[tuple[str, str]]] = {}
    spread = [commits[place] for place in _spread(len(commits))]
    for commit in dict.fromkeys([*_first_said(objects, names, pages, commits), *spread]):
        wanted = names - found.keys()
        if not wanted:
            break
        if not in_time():
            return found, f"stopped after {seconds:g} s"
        seen: dict[str, set[str]] = defaultdict(set)
        looked: Counter[str] = Counter()
        for name, path in _grep(git, commit, wanted):
            looked[name] += 1
            if looked[name] <= MAX_LOOKED_AT:
                seen[path].add(name)
        for path, mine in seen.items():
            for name in _defined(objects, commit, path, mine):
                if len(found.setdefault(name, [])) < MAX_PLACES:
                    found[name].append((commit, path))
    return found, ""


def _defined(objects: Objects, commit: str, path: str, names: set[str]) -> set[str]:
    """Return those of the names that the file defines at that commit, as code or as a target or dependency."""
    data = objects.read(f"{commit}:./{path}")
    found = {name for name, role in symbols.roles_in(path, data, names).items() if role == "def"}
    if manifests.is_manifest(path):
        text = data.decode("utf-8", errors="replace")
        found |= {name for name in names if manifests.role_in(path, text, name)}
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


def _first_said(objects: Objects, names: set[str], pages: Pages, commits: Sequence[str]) -> list[str]:
    """Return the commits in which pages began to say the names, those that answer for most names first."""
    counts: dict[str, int] = defaultdict(int)
    for paths, said in pages.items():
        for name in names.intersection(said):
            at = _turn(len(commits), partial(_has, objects, commits, paths, name))
            if at:
                counts[commits[at - 1]] += 1
    return sorted(counts, key=lambda commit: -counts[commit])[:MAX_PAGE_SAMPLES]


def _grep(git: Git, commit: str, names: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield (name, path) for every file of a commit that has one of the names as a word."""
    ordered = sorted(names)
    for first in range(0, len(ordered), MAX_ASKED):
        # One alternation is matched in one pass; several patterns would each be looked for on every line.
        either = "|".join(re.sub(r"([^\w-])", r"\\\1", name) for name in ordered[first : first + MAX_ASKED])
        arguments = ("grep", "-z", "-n", "-o", "-I", "-w", "-E", "-e", f"({either})", commit, "--")
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


def _has(objects: Objects, commits: Sequence[str], paths: Iterable[str], name: str, at: int) -> bool:
    """Return whether the name stands as a word in the first of the files that the commit has."""
    data = next(filter(None, (objects.read(f"{commits[at]}:./{path}") for path in paths)), b"")
    word = name.encode()
    return word in data and re.search(rb"(?<![\w$])" + re.escape(word) + rb"(?![\w$])", data) is not None


def _lacks(objects: Objects, commits: Sequence[str], path: str, name: str, at: int) -> bool:
    return not _has(objects, commits, (path,), name, at)
