"""When a name went from the code, and which name took its place, by the patches of the commits that may tell.

A commit that replaces `old` by `new` shows it: the same line, but for that one word, is removed and added.
Such pairs are votes; the line that defines the name weighs most. A name that moved and changed at once is
known by the lines of its body.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator
from functools import cached_property

import msgspec

from tenure.audit import manifests, removed_names, symbols
from tenure.audit.moved_files import Commit, _change, header_mark
from tenure.audit.words import listed
from tenure.files.git import Git, Objects, Stream

SECONDS = 45.0
MAX_PATCH_BYTES = 8_000_000
MAX_LINE = 400
DEFINITION_VOTES = 5
BODY_SIMILARITY = 0.6
MIN_BODY_LINES = 2
MAX_BODY_LINES = 500
MAX_ADDED_LINES = 20_000

_WORD = re.compile(r"[A-Za-z_$@][\w$-]*(?:/[\w.-]+)?")
_QUOTED = re.compile(r"[\"']([\w:.@/-]{1,100})[\"']")
_PLAIN_NAME = re.compile(r"[A-Za-z_$][\w$]*")
_IDENTIFIER = re.compile(r"[A-Za-z_$][\w$:.-]*")
_DEFINES = re.compile(
    # A task of mise, rake or Gradle.
    r"^\[tasks\.['\"]?([\w:.-]+?)['\"]?\]|^[ \t]*(?:tasks\.register|(?:multi)?task)[ \t(]+:?['\"]?([A-Za-z_][\w-]*)"
    r"|\b(?:def|class|function\*?|func|fn|struct|enum|trait|interface|type|const|let|var|module|record|union|"
    r"macro_rules!|#define)[ \t]+(?:\([^()\n]{0,80}\)[ \t]*)?(?:self\.)?([A-Za-z_$][\w$]*(?:::[A-Za-z_]\w*)*)"
    r"|^[ \t]*(?:[\w<>\[\],*&:]{1,60}[ \t]+){1,6}[*&]?(?:\w{1,60}::)?([A-Za-z_]\w*)[ \t]*\("
    r"|^[ \t]*([A-Za-z_]\w*)[ \t]*(?::[^=\n]{1,60})?=(?!=)"
    r"|^@?([A-Za-z][\w.-]*)[^:=\n]{0,80}:(?!=)"
    r"|^[ \t]*\"([\w:.-]+)\"[ \t]*:"
    r"|^[ \t]+(?:async[ \t]+|static[ \t]+|get[ \t]+|set[ \t]+)?([A-Za-z_$][\w$]*)[ \t]*"
    r"\([^()\n]{0,200}\)[^;\n]{0,60}\{"
)
# What can only be a definition: a keyword before the name, a function as its value, or a signature with its body.
_SURELY = re.compile(
    r"\b(?:def|class|function\*?|func|fn|struct|enum|trait|interface|record|union|macro_rules!|#define)[ \t]+"
    r"(?:\([^()\n]{0,80}\)[ \t]*)?(?:self\.)?([A-Za-z_$][\w$]*)"
    r"|\b(?:const|let|var)[ \t]+([A-Za-z_$][\w$]*)[^=\n]{0,80}=[ \t]*(?:async\b[ \t]*)?"
    r"(?:function\b|\([^\n]{0,200}=>|\w+[ \t]*=>)"
    r"|^[ \t]*(?:[\w<>\[\],*&:]{1,60}[ \t]+){1,6}[*&]?(?:\w{1,60}::)?([A-Za-z_]\w*)[ \t]*\([^;\n]{0,200}\{[ \t]*$"
)
_NOT_NAMES = listed(
    """
    if for while switch return else elif new await throw catch print case assert raise yield from import
    """
)


class Removal(msgspec.Struct, frozen=True):
    """The commit that took a name away, the file it was in, and the names that may replace it, best first.

    `defined` says that its definition seems to have gone, `surely` that nothing else can have.
    """

    change: Commit
    path: str
    defined: bool
    candidates: tuple[tuple[str, float], ...] = ()
    surely: bool = False
    # What the name was in the file that lost it: def, use, text, word or nothing known.
    role: str = ""


class _Hunk(msgspec.Struct):
    path: str
    removed: list[str] = []
    added: list[str] = []
    prose: bool = False


class RenamedNames(msgspec.Struct, frozen=True):
    """What became of the names that history knows, and why the answer is not whole, or nothing."""

    removals: dict[str, Removal]
    cut: str = ""


def removals(
    git: Git,
    wanted: removed_names.Wanted,
    pages: removed_names.Pages | None = None,
    newer: removed_names.Newer = removed_names.no_newer,
) -> RenamedNames:
    """Return, per name history knows, the newest commit that removed its definition, or else its last use.

    `pages` tells which pages of the repository, by all names they had, say which names: when they were written the
    names were most likely there, so the history is looked at from those commits first. `newer` tells which names a
    file had later.
    """
    chosen, late = removed_names.suspects(git, wanted, pages or {}, SECONDS, newer)
    found, cut = _read(set(wanted.names), _stream(git, chosen)) if chosen else ({}, "")
    return RenamedNames(_with_roles(git, found), cut or late)


def _read(wanted: set[str], stream: Stream) -> tuple[dict[str, Removal], str]:
    """Return the removals that the patches of a stream show, and why they are not all, or nothing."""
    found: dict[str, Removal] = {}
    for change, hunks in _commits(stream):
        bodies = _Bodies(hunks)
        for name, places in _removed(hunks, wanted).items():
            known = found.get(name)
            if known is not None and known.defined:
                continue
            removal = _judge(change, name, places, bodies)
            if known is None or removal.defined:
                found[name] = removal
    return found, stream.cut


def _with_roles(git: Git, found: dict[str, Removal]) -> dict[str, Removal]:
    """Return the removals with what each name was in the file that lost it."""
    result = {}
    with Objects(git) as objects:
        for name, removal in found.items():
            data = objects.read(f"{removal.change.commit}^:./{removal.path}") if removal.path else b""
            result[name] = msgspec.structs.replace(removal, role=role_in(removal.path, data, name))
    return result


def role_in(path: str, data: bytes, name: str) -> str:
    """Return what the name is in this content of the file: target, package, def, local, use, text, word or nothing."""
    if manifests.is_manifest(path):
        found = manifests.role_in(path, data.decode("utf-8", errors="replace"), name)
        if found:
            return found
    return symbols.role_in(path, data, name)


def _removed(hunks: list[_Hunk], wanted: set[str]) -> dict[str, list[tuple[_Hunk, str]]]:
    """Return the names that the commit's lines lose more often than gain, with the lines that lose them."""
    places: dict[str, list[tuple[_Hunk, str]]] = defaultdict(list)
    balance: Counter[str] = Counter()
    for hunk in hunks:
        if hunk.prose:
            continue  # what a page says more often than before is in the code no more for it
        for line in hunk.removed:
            for name in wanted.intersection(_words(line)):
                places[name].append((hunk, line))
                balance[name] += 1
        for line in hunk.added:
            for name in wanted.intersection(_words(line)):
                balance[name] -= 1
    return {name: lines for name, lines in places.items() if balance[name] > 0 or _moved(name, lines)}


def _moved(name: str, lines: list[tuple[_Hunk, str]]) -> bool:
    return any(_defined_name(line) == name for _hunk, line in lines)


def _judge(change: Commit, name: str, places: list[tuple[_Hunk, str]], bodies: _Bodies) -> Removal:
    defining = [(hunk, line) for hunk, line in places if _defined_name(line) == name]
    votes: Counter[str] = Counter()
    for hunk, line in places:
        weight = DEFINITION_VOTES if (hunk, line) in defining else 1
        for other in hunk.added:
            replaced = _substituted(line, other, name)
            if replaced:
                votes[replaced] += weight
    scores = {new: count / sum(votes.values()) for new, count in votes.items()}
    strong = {new for new, count in votes.items() if count >= DEFINITION_VOTES}
    candidates = {new: 0.95 * share if new in strong else 0.6 * share for new, share in scores.items()}
    if not strong:
        for hunk, _line in defining:
            for new, score in _by_body(hunk, name, bodies):
                candidates[new] = max(candidates.get(new, 0.0), score)
    ordered = sorted(candidates.items(), key=lambda pair: (-pair[1], pair[0]))
    path = _told_in(name, [hunk.path for hunk, _line in defining], [hunk.path for hunk, _line in places])
    heirs = tuple((new, round(score, 2)) for new, score in ordered[:5])
    return Removal(change, path, bool(defining), heirs, any(_surely_defines(line, name) for _, line in defining))


def _told_in(name: str, defining: list[str], places: list[str]) -> str:
    """Return the file that tells best what a name was: no lock file of a package's, no test that only assigns it."""
    if not _PLAIN_NAME.fullmatch(name):
        return next((path for path in places if manifests.is_manifest(path)), places[0])
    told = min(defining or places, key=symbols.is_aside)
    own = next((path for path in places if not symbols.is_aside(path)), told)
    return own if symbols.is_aside(told) else told


def _substituted(old: str, new: str, name: str) -> str | None:
    """Return the word that stands in `new` wherever `name` stands in `old`, when nothing else differs."""
    old, new = old.strip(), new.strip()
    at = re.search(rf"(?<![\w$-]){re.escape(name)}(?![\w$-])", old)
    if at is None or old == new:
        return None
    match = _IDENTIFIER.match(new, at.start())
    if new[: at.start()] != old[: at.start()] or match is None:
        return None
    word = match.group()
    tail = old[at.end() :]
    while word and new[at.start() + len(word) :] != tail and len(word) > 1 and word[-1] in ":.-":
        word = word[:-1]
    replaced = re.sub(rf"(?<![\w$-]){re.escape(name)}(?![\w$-])", lambda _: word, old)
    return word if replaced == new and word != name else None


class _Bodies:
    """The definitions that a commit adds, with the lines of their bodies, found once for all names it removes."""

    def __init__(self, hunks: list[_Hunk]) -> None:
        self._hunks = hunks

    @cached_property
    def added(self) -> list[tuple[str, set[str]]]:
        """Return them; of a commit that adds very much, nothing, because most of it is no rename."""
        if sum(len(hunk.added) for hunk in self._hunks) > MAX_ADDED_LINES:
            return []
        return [block for hunk in self._hunks for block in _blocks(hunk.added)]


def _by_body(hunk: _Hunk, name: str, bodies: _Bodies) -> Iterator[tuple[str, float]]:
    """Yield names whose added body resembles the removed one, with 0..0.9 for how much."""
    body = next((lines for found, lines in _blocks(hunk.removed, name)), set())
    if len(body) < MIN_BODY_LINES:
        # Only the signature changed: the single definition added in the same place is the likely heir.
        heirs = [new for each in hunk.added if (new := _defined_name(each)) and new != name]
        if len(heirs) == 1 and sum(_defined_name(each) is not None for each in hunk.removed) == 1:
            yield heirs[0], 0.7
        return
    for new, lines in bodies.added:
        if new != name and lines:
            share = len(body & lines) / len(body | lines)
            if share >= BODY_SIMILARITY:
                yield new, 0.9 * share


def _blocks(lines: list[str], only: str = "") -> Iterator[tuple[str, set[str]]]:
    """Yield each definition of the lines, or of one name, with the stripped lines up to the next one at its depth."""
    names = [_defined_name(line) for line in lines]
    for number, name in enumerate(names):
        if name is None or (only and name != only):
            continue
        depth = len(lines[number]) - len(lines[number].lstrip())
        body: set[str] = set()
        for place in range(number + 1, min(len(lines), number + 1 + MAX_BODY_LINES)):
            inner = lines[place].strip()
            if inner and names[place] is not None and len(lines[place]) - len(lines[place].lstrip()) <= depth:
                break
            if len(inner) > 2:
                body.add(inner)
        yield name, body


def _defined_name(line: str) -> str | None:
    match = _DEFINES.search(line[:MAX_LINE])
    if match is None:
        return None
    name = next(group for group in match.groups() if group)
    first = line.split(None, 1)[0] if line.strip() else ""
    return None if name in _NOT_NAMES or first in _NOT_NAMES else name


def _surely_defines(line: str, name: str) -> bool:
    match = _SURELY.search(line[:MAX_LINE])
    return match is not None and name in match.groups()


def _words(line: str) -> set[str]:
    """Return the words of a line, whole and in their parts, so that `a-b` answers for `a-b`, `a` and `b`."""
    whole = _WORD.findall(line) + _QUOTED.findall(line)
    return set(whole) | {part for word in whole for part in re.split(r"[-/]", word)}


def _stream(git: Git, chosen: Collection[str]) -> Stream:
    arguments = ["log", "-p", "-U0", "-M", "--no-color", "--no-ext-diff", "--no-textconv", "--relative"]
    # A header stands at the beginning of a line and carries a mark made for this call: no byte of a patch, whose
    # lines all begin with a sign of their own, can pass for one.
    mark = header_mark()
    arguments += ["--no-walk=sorted", "--diff-merges=first-parent", "--stdin", f"--format={mark}%H %ct %s"]
    given = "".join(f"{commit}\n" for commit in sorted(chosen)).encode()
    return git.stream(*arguments, separator=mark.encode(), seconds=SECONDS, stdin=given)


def _commits(stream: Stream) -> Iterator[tuple[Commit, list[_Hunk]]]:
    for raw in stream:
        text = raw[:MAX_PATCH_BYTES].decode("utf-8", errors="replace")
        header, _, patch = text.partition("\n")
        if patch:
            yield _change(header), list(_hunks(patch))


def _hunks(patch: str) -> Iterator[_Hunk]:
    path = ""
    prose = False
    hunk: _Hunk | None = None
    for line in patch.split("\n"):
        if line.startswith("diff --git "):
            hunk = None
            prose = removed_names.is_prose(line.rstrip('"'))
        elif hunk is None and line.startswith("--- "):
            path = line[6:] if line[4:6] == "a/" else ""
        elif line.startswith("@@ "):
            hunk = _Hunk(path, [], [], prose)
            yield hunk
        elif hunk is not None and line.startswith("-"):
            hunk.removed.append(line[1 : MAX_LINE + 1])
        elif hunk is not None and line.startswith("+"):
            hunk.added.append(line[1 : MAX_LINE + 1])
