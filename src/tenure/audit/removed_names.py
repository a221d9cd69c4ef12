"""Which commits took a name away, found without reading every patch of the history.

The history is looked at in samples: the trees in which the pages first said the names, then trees spread over the
whole time. Each content that is not there today is read once, for all names. Where a sample defines a name, the time
since then is halved until the commit that lost it is left. Only the patches of those commits are read.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache, partial

import msgspec

from tenure.audit import languages, manifests, names_without_parser, symbols
from tenure.files.git import Git, Objects
from tenure.model import clock

# So many files are listed in all samples together: a small project is sampled more often.
MAX_LISTED = 40_000
MIN_SAMPLES, MAX_SAMPLES = 7, 63
MAX_PAGE_SAMPLES = 5
# So many files of the samples are looked at for a name's definition, and so many that define it are followed.
MAX_LOOKED_AT = 12
MAX_PLACES = 3
# So many versions of one file are parsed for a name: what two do not define, the others seldom do.
MAX_VERSIONS = 2
MAX_PARSED_BYTES = 300_000
_WORD = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*")
# Without a grammar, these may still define a name or an option.
_PLAIN = frozenset(
    "sh bash zsh fish yml yaml toml ini cfg conf env sql proto graphql gradle cmake bzl bazel tf nix zig lua ex exs "
    "scala dart vue svelte astro m mm pl r jl clj hs ml fs groovy xml plist properties json".split()
)


# The names that a page has and had -> what it says.
Pages = Mapping[tuple[str, ...], Collection[str]]
# A path -> the names that the file had later.
Newer = Callable[[str], Sequence[str]]


def no_newer(path: str) -> Sequence[str]:
    """Return that a file kept its name."""
    return ()


class Wanted(msgspec.Struct, frozen=True):
    """The names that are asked about: `absent` ones are nowhere, `called` ones are used and nowhere defined."""

    absent: frozenset[str]
    called: frozenset[str] = frozenset()

    @property
    def names(self) -> frozenset[str]:
        """Return all of them."""
        return self.absent | self.called


def suspects(git: Git, wanted: Wanted, pages: Pages, seconds: float, newer: Newer = no_newer) -> tuple[set[str], str]:
    """Return the commits that may have taken one of the names away, and why they are not all, or nothing.

    `pages` tells which page says which names, `newer` which names a file had later.
    """
    printed = git.run("rev-list", "--first-parent", "HEAD", "--")
    commits = printed.decode("ascii", errors="replace").split() if printed else []
    order = {commit: number for number, commit in enumerate(commits)}
    found: set[str] = set()
    in_time = clock.within(seconds)
    with Objects(git) as objects:
        seen, cut = _sightings(git, objects, wanted, pages, commits, in_time)
        for name, places in seen.items():
            for commit, path in places:
                if not in_time():
                    return found, f"stopped after {seconds:g} s"
                names = (path, *newer(path))
                # Calls may outlive the definition in its file: the commit that took it away is another one then.
                plain = not _lacks_definition(objects, commits, names, name, order[commit])
                for lacks in (_lacks, _lacks_definition) if plain else (_lacks,):
                    lost = _turn(order[commit], partial(lacks, objects, commits, names, name))
                    if lost:
                        found.add(commits[lost - 1])
    return found, f"stopped after {seconds:g} s" if cut else ""


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
    wanted: Wanted,
    pages: Pages,
    commits: Sequence[str],
    in_time: Callable[[], bool],
) -> tuple[dict[str, list[tuple[str, str]]], bool]:
    """Return name -> (commit, path) where samples of the history define the names, and whether time ran out."""
    words = {name.encode() for name in wanted.names if _WORD.fullmatch(name)}
    odd = wanted.names - {word.decode() for word in words}
    found: dict[str, list[tuple[str, str]]] = {}
    looked: Counter[tuple[str, str]] = Counter()
    if not in_time():
        return found, True
    places = _contents(git, objects, set(wanted.names), pages, commits)
    for blob, data in objects.each(places):
        if not in_time():
            return found, True
        commit, path = places[blob]
        if len(data) > languages.MAX_SOURCE_BYTES or b"\0" in data[:8000]:
            continue
        there = {word.decode() for word in names_without_parser.words_of(data, words)}
        if manifests.is_manifest(path):
            there |= {name for name in odd if name.encode() in data}
        mine = {name for name in there if _is_open(found.get(name), commit)}
        parsed = {name for name in mine & wanted.absent if looked[name, ""] < MAX_LOOKED_AT}
        parsed = {name for name in parsed if looked[name, path] < MAX_VERSIONS and len(data) <= MAX_PARSED_BYTES}
        parsed = names_without_parser.may_define(data, parsed)
        looked.update(pair for name in parsed for pair in ((name, ""), (name, path)))
        for name in _defined(path, data, mine, parsed) if mine else ():
            found.setdefault(name, []).append((commit, path))
    return found, False


def _is_open(places: list[tuple[str, str]] | None, commit: str) -> bool:
    """Return whether one more place is of use: the first sample that defines a name answers for it."""
    return places is None or (places[0][0] == commit and len(places) < MAX_PLACES)


def _contents(
    git: Git, objects: Objects, names: set[str], pages: Pages, commits: Sequence[str]
) -> dict[str, tuple[str, str]]:
    """Return the contents of the samples that may define something and are not there today, with where they were."""
    today = _blobs(git, "HEAD")
    known = set(today.values())
    # Tests and examples define little that a page names, but for tests.
    with_tests = any("test" in name.lower() for name in names)
    count = min(MAX_SAMPLES, max(MIN_SAMPLES, MAX_LISTED // (len(today) + 1)))
    spread = [commits[place] for place in _spread(len(commits), count)]
    found: dict[str, tuple[str, str]] = {}
    for commit in dict.fromkeys([*_first_said(objects, names, pages, commits), *spread]):
        for path, blob in _blobs(git, commit).items():
            if blob not in known and (with_tests or not symbols.is_aside(path)):
                known.add(blob)
                found[blob] = commit, path
    return found


def _blobs(git: Git, commit: str) -> dict[str, str]:
    """Return path -> content's id of the files of a commit that may define something."""
    found: dict[str, str] = {}
    for row in git.paths("ls-tree", "-r", "-z", commit):
        facts, _, path = row.partition("\t")
        mode, kind, blob = [*facts.split(" "), "", "", ""][:3]
        if kind == "blob" and mode != "120000" and _may_define(path):
            found[path] = blob
    return found


@lru_cache(maxsize=100_000)
def _may_define(path: str) -> bool:
    name = path.rpartition("/")[2]
    ending = name.rpartition(".")[2].lower() if "." in name else ""
    told = ending in languages.GRAMMARS or ending in _PLAIN or manifests.is_manifest(path)
    return told and symbols.is_source(path) and "node_modules/" not in path


def _defined(path: str, data: bytes, names: set[str], parsed: set[str]) -> set[str]:
    """Return those of the names that the content defines, as code or as a target or dependency.

    Only those of `parsed` are worth a parser: what is still called was ours only if it was defined beyond doubt.
    """
    found = {name.decode() for name in names_without_parser.plainly_defines(data, (name.encode() for name in names))}
    if parsed - found:
        found |= {name for name, role in symbols.roles_in(path, data, parsed - found).items() if role == "def"}
    if manifests.is_manifest(path):
        text = data.decode("utf-8", errors="replace")
        found |= {name for name in names if manifests.role_in(path, text, name)}
    return found


def _spread(count: int, samples: int) -> Iterator[int]:
    """Yield places spread over a range, the coarse ones first."""
    step, seen = 2, {0}
    while len(seen) <= samples and step <= 2 * count:
        for part in range(1, step, 2):
            place = count * part // step
            if place not in seen and len(seen) <= samples:
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


def is_prose(path: str) -> bool:
    """Return whether a name in the file says nothing about the code."""
    return path.rsplit(".", 1)[-1].lower() in languages.PROSE


def _has(objects: Objects, commits: Sequence[str], paths: Iterable[str], name: str, at: int) -> bool:
    """Return whether the name stands as a word in the first of the files that the commit has."""
    data = _content(objects, commits[at], paths)
    word = name.encode()
    return word in data and re.search(rb"(?<![\w$])" + re.escape(word) + rb"(?![\w$])", data) is not None


def _content(objects: Objects, commit: str, paths: Iterable[str]) -> bytes:
    return next(filter(None, (objects.read(f"{commit}:./{path}") for path in paths)), b"")


def _lacks(objects: Objects, commits: Sequence[str], paths: Iterable[str], name: str, at: int) -> bool:
    return not _has(objects, commits, paths, name, at)


def _lacks_definition(objects: Objects, commits: Sequence[str], paths: Iterable[str], name: str, at: int) -> bool:
    return not any(names_without_parser.plainly_defines(_content(objects, commits[at], paths), [name.encode()]))
