"""Where names are defined and used in the project's code.

Only names that are asked for are looked up, and only files that contain one are parsed. With a cache folder
the answer per file is kept under its size and time, so a second run reads only what changed. Without the
extra `audit` a line pattern takes the place of the grammars.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from tenure.audit import languages
from tenure.files import ARCHEFLOW, GEAS

CACHE_VERSION = 4
# A name that so many places use is there, wherever it is defined.
WIDELY_USED = 30
# Without a grammar nobody knows which class a definition is in.
UNKNOWN_CONTAINER = "?"
# What stands in these uses names that are defined elsewhere, so they are looked at last.
_ASIDE = re.compile(
    r"(?:^|/)(?:tests?|spec|specs|__tests__|examples?|docs?|demos?|samples?|fixtures|e2e)/|[._-](?:test|spec)s?\."
)
_WORD_BYTES = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_$"
_WORD_BYTE_SET = frozenset(bytes([byte]) for byte in _WORD_BYTES)
_ONLY_WORDS = bytes(byte if byte in _WORD_BYTES else 0x20 for byte in range(256))
# What stands before a name only where it is defined, in any of our languages.
_PLAIN_LEAD = re.compile(
    rb"[ \t]*(?:(?:export|default|public|private|protected|internal|static|abstract|final|open|sealed|data|async|"
    rb"override|inline|pub(?:\([a-z]+\))?|unsafe|declare|partial|suspend)[ \t]+){0,5}"
    rb"(?:def|class|function\*?|func|fn|struct|enum|trait|interface|type|record|module|object|protocol|fun|"
    rb"defp|defmodule|defmacro|macro_rules!|#define)[ \t]+(?:\([^()\n]{0,80}\)[ \t]*)?(?:self\.)?"
)
# What stands before a name that is used, quoted, imported or only talked about.
_NO_DEFINITION = re.compile(rb"[ \t]*(?:(?:import|from|use|using)\b|#(?!define)|//|/?\*|--).*|.*[.\"'`/@>]")
MAX_LEAD = 200
# Without a grammar: words that stand before a name where it is defined, or an assignment.
_DEFINED = re.compile(
    r"(?:\b(?:def|class|function|func|fn|struct|enum|trait|interface|type|const|let|var|val|module|static|macro|"
    r"record|object|protocol|extension|sub|proc|method|fun|defp|defmodule|defmacro)[ \t]+"
    r"(?:\([^()\n]{0,80}\)[ \t]*)?(?:self\.)?$)"
    r"|^[ \t]*$"
)
_AFTER = re.compile(r"[ \t]*(?:=(?!=)|:=|:[ \t]*\w[^=\n]{0,60}=|\(\)[ \t]*\{)")
# What agents and tools keep beside the code.
NOT_CODE = (".claude/", f"{GEAS}/", f"{ARCHEFLOW}/", ".tenure/", ".git/", ".cursor/")


class Hit(msgspec.Struct, frozen=True, array_like=True):
    """One place of a name; `role` is def, use (in code), text (in a string) or word (no grammar).

    A definition is `weak` when it is a function's own variable or the key of a literal.
    """

    name: str
    path: str
    line: int
    role: str
    container: str = ""
    weak: bool = False


class _Entry(msgspec.Struct, array_like=True):
    mtime: int
    size: int
    hits: list[Hit]
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
) -> dict[str, list[Hit]]:
    """Return the places of each name; a name with none is not in the result.

    For the names of `settle` one definition, or as many uses as `few`, is enough: files are not parsed for them any
    more, which is most of the work in a large project. So all files are skimmed first for what needs no parser.
    """
    parsers = _PARSERS
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
    entries: dict[str, _Entry] = {}
    found: dict[str, list[Hit]] = defaultdict(list)
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
    for hit in _PARSERS.hits(path, data, names):
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

    def add(self, hits: Iterable[Hit]) -> None:
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
    hits: list[Hit]
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
    there = words_of(data, wanted if kept is None else fresh) if b"\0" not in data[:8000] else set()
    plain = _plainly_defined(path, data, there & enough)
    return _Skimmed(stamp, kept, [*(kept.hits if kept else ()), *plain.values()], there, set(plain))


def _read(root: str, path: str) -> bytes | None:
    try:
        with open(f"{root}/{path}", "rb") as file:
            return file.read(languages.MAX_SOURCE_BYTES)
    except (OSError, ValueError):
        return None


def _entry(root: str, path: str, skim: _Skimmed, tally: _Tally, parsers: _Parsers) -> _Entry:
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


def words_of(data: bytes, names: set[bytes]) -> set[bytes]:
    """Return those of the names that stand as a word in the content."""
    return names.intersection(data.translate(_ONLY_WORDS).split())


def plainly_defines(data: bytes, names: Iterable[bytes]) -> dict[bytes, int]:
    """Return those of the names that a line defines by its first words, without a parser, with where that is."""
    found: dict[bytes, int] = {}
    for name in names:
        for at in _places(data, name):
            if _PLAIN_LEAD.fullmatch(_lead(data, at)):
                found[name] = at
                break
    return found


def may_define(data: bytes, names: Iterable[str]) -> set[str]:
    """Return those of the names that are not only used, imported, quoted or commented on in the content."""
    return {
        name
        for name in names
        if any(not _NO_DEFINITION.fullmatch(_lead(data, at)) for at in _places(data, name.encode()))
    }


def _places(data: bytes, name: bytes) -> Iterator[int]:
    """Yield the first places of a name, which may be a part of a longer word."""
    at = data.find(name)
    for _ in range(languages.MAX_MENTIONS):
        if at < 0:
            return
        if data[at + len(name) : at + len(name) + 1] not in _WORD_BYTE_SET:
            yield at
        at = data.find(name, at + len(name))


def _lead(data: bytes, at: int) -> bytes:
    """Return what stands on the line before a place."""
    return data[max(data.rfind(b"\n", 0, at) + 1, at - MAX_LEAD) : at]


def _plainly_defined(path: str, data: bytes, names: set[bytes]) -> dict[bytes, Hit]:
    if not names or not has_grammar(path):
        return {}
    return {
        name: Hit(name.decode("ascii"), path, data.count(b"\n", 0, at) + 1, "def", UNKNOWN_CONTAINER)
        for name, at in plainly_defines(data, names).items()
    }


class _Parsers:
    """The grammars, each loaded when the first file needs it."""

    def __init__(self) -> None:
        self._get: Any = None
        self._loaded: dict[str, Any] = {}
        with contextlib.suppress(ImportError):
            # The optional extra `audit`, imported by name so that types are checked without it too.
            self._get = importlib.import_module("tree_sitter_language_pack").get_parser
        self.available = self._get is not None

    def hits(self, path: str, data: bytes, names: set[str]) -> list[Hit]:
        """Return where the names stand in the file, definitions first."""
        extension = path.rsplit(".", 1)[-1].lower()
        grammar = languages.GRAMMARS.get(extension)
        if grammar is None or not self.available:
            return _by_line(path, data, names, known=grammar is not None)
        if grammar not in self._loaded:
            try:
                self._loaded[grammar] = self._get(grammar)
            except (LookupError, OSError, ValueError, RuntimeError):
                self._loaded[grammar] = None
        parser = self._loaded[grammar]
        if parser is None:
            return _by_line(path, data, names, known=True)
        return _by_tree(path, data, names, parser.parse(data).root_node, languages.DEFINITIONS[grammar])


_PARSERS = _Parsers()


def _by_tree(path: str, data: bytes, names: set[str], root: Any, definitions: dict[str, str]) -> list[Hit]:
    found: list[Hit] = []
    uses: dict[str, int] = {}
    seen: set[tuple[str, str]] = set()
    for at, name in _occurrences(data, names):
        if uses.get(name, 0) > languages.MAX_MENTIONS:
            continue
        node = root.descendant_for_byte_range(at, at + len(name))
        if node is None or "comment" in node.type:
            continue
        quoted = any(part in node.type for part in languages.QUOTED)
        defined = None if quoted else _definition(node, definitions)
        role = "text" if quoted else "use" if defined is None else "def"
        uses[name] = uses.get(name, 0) + 1
        if role != "def" and (name, role) in seen:
            continue
        seen.add((name, role))
        container = _container(defined) if defined is not None else ""
        weak = defined is not None and _is_weak(defined)
        found.append(Hit(name, path, node.start_point[0] + 1, role, container, weak))
    return found


def _definition(node: Any, definitions: dict[str, str]) -> Any:
    """Return the node that defines the name, or None where it is only used."""
    inner, parent = node, node.parent
    for _ in range(4):
        if parent is None:
            return None
        field = definitions.get(parent.type)
        if field is not None:
            named = inner.id in _named_by(parent, field)
            if named and (parent.type not in languages.NEEDS_BODY or parent.child_by_field_name("body")):
                return parent
            return None
        if parent.type in languages.SCOPED and parent.child_by_field_name("name") != inner:
            return None
        # `*name`, `Class::name`, `name[3]` and `a, b` wrap the name of a declaration.
        if "declarator" not in parent.type and parent.type not in (*languages.SCOPED, "pattern_list"):
            return None
        inner, parent = parent, parent.parent
    return None


def _named_by(node: Any, field: str) -> set[int]:
    """Return the children that name what the node defines; without a field, the first identifier does."""
    if field != languages.FIRST_IDENTIFIER:
        return {child.id for child in node.children_by_field_name(field)}
    return {child.id for child in node.named_children if "identifier" in child.type} and {
        next(child.id for child in node.named_children if "identifier" in child.type)
    }


def _is_weak(node: Any) -> bool:
    """Return whether what is defined is a function's own variable or the key of a literal."""
    if node.type == "pair":
        return True
    value = node.child_by_field_name("value")
    if node.type not in languages.VARIABLES or (value is not None and "function" in value.type):
        return False
    around = node.parent
    while around is not None:
        if any(word in around.type for word in languages.BODIES):
            return True
        if around.type in languages.CONTAINERS:
            return False
        around = around.parent
    return False


def _container(node: Any) -> str:
    """Return the names of the classes, modules and so on around a definition, outermost first, dotted."""
    names: list[str] = []
    receiver = node.child_by_field_name("receiver")
    if receiver is not None:
        types = re.findall(r"[A-Za-z_]\w*", receiver.text.decode("utf-8", errors="replace"))
        names += types[-1:]
    declarator = node.child_by_field_name("declarator")
    if declarator is not None and declarator.type == "qualified_identifier":
        scope = declarator.child_by_field_name("scope")
        names += [scope.text.decode("utf-8", errors="replace")] if scope is not None else []
    named = node.child_by_field_name("name")
    if named is not None and named.type in languages.SCOPED:
        scope = named.child_by_field_name("scope")
        names += [scope.text.decode("utf-8", errors="replace").replace("::", ".")] if scope is not None else []
    around = node.parent
    while around is not None:
        field = languages.CONTAINERS.get(around.type)
        named = _container_name(around, field) if field else None
        if named is not None:
            names.insert(0, named.text.decode("utf-8", errors="replace").partition("<")[0])
        around = around.parent
    return ".".join(names)


def _container_name(node: Any, field: str) -> Any:
    named = node.child_by_field_name(field)
    if named is None and field == "name":
        named = next((child for child in node.named_children if child.type == "type_identifier"), None)
    return named


def _by_line(path: str, data: bytes, names: set[str], *, known: bool) -> list[Hit]:
    """Return where the names stand, by looking at the words around them."""
    found: list[Hit] = []
    seen: set[tuple[str, str]] = set()
    mentions: dict[str, int] = defaultdict(int)
    for at, name in _occurrences(data, names):
        mentions[name] += 1
        if (name, "def") in seen or mentions[name] > languages.MAX_MENTIONS:
            continue
        end = at + len(name)
        start = data.rfind(b"\n", 0, at) + 1
        before = data[max(start, at - 200) : at].decode("utf-8", errors="replace")
        after = data[end : end + 100].decode("utf-8", errors="replace")
        lead = _DEFINED.search(before)
        role = "def" if lead and (lead.group().strip() or _AFTER.match(after)) else "word"
        if known and role == "word":
            if before.lstrip().startswith(("#", "//", "*", "--")):
                continue
            role = "use"
        if (name, role) not in seen:
            seen.add((name, role))
            found.append(Hit(name, path, data.count(b"\n", 0, at) + 1, role, UNKNOWN_CONTAINER))
    return found


def _occurrences(data: bytes, names: set[str]) -> Iterable[tuple[int, str]]:
    """Yield where each name stands as a whole word, in the order of the names."""
    for name in sorted(names):
        word = name.encode()
        at = data.find(word)
        while at >= 0:
            end = at + len(word)
            if data[at - 1 : at].translate(None, _WORD_BYTES) == data[at - 1 : at] and (
                data[end : end + 1].translate(None, _WORD_BYTES) == data[end : end + 1]
            ):
                yield at, name
            at = data.find(word, end)


def _load(folder: Path | None, grammars: bool) -> _Cache:
    if folder is None:
        return _Cache(grammars=grammars)
    try:
        kept = msgspec.msgpack.decode((folder / "symbols.msgpack").read_bytes(), type=_Cache)
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
